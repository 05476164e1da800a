/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfer curves: from a coded value to light and, for sRGB, back. Knows no pixels. */
#pragma once

#include <glib.h>

typedef enum
{
  TH_TRANSFER_SRGB,
  TH_TRANSFER_GAMMA, /* a plain exponent; 1 is linear */
  TH_TRANSFER_PQ,    /* SMPTE ST 2084 */
  TH_TRANSFER_HLG,   /* BT.2100 hybrid log-gamma */
} ThTransfer;

/* Light of a coded value from 0 to 1; 1 is the white of a plain screen. The two of high dynamic
 * range are brought into that: a display of 1000 cd/m² is shown on one of 203, the white of
 * BT.2408, by the curve of BT.2390 (EETF), channel by channel; what is brighter is clipped. */
double th_transfer_to_linear (ThTransfer transfer, double gamma, double code);
/* The other way for sRGB. */
double th_transfer_srgb_code (double linear);

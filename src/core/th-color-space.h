/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A colour space that is told by numbers instead of a profile: white, primaries, curve. Knows
 * neither the files that tell it nor pixels. */
#pragma once

#include "core/th-transfer.h"

/* CIE xy */
typedef struct
{
  double x, y;
} ThChroma;

/* All zero says nothing, which means sRGB. */
typedef struct
{
  gboolean given;
  gboolean narrow; /* black is 16 and white 235 of 255 */
  ThTransfer transfer;
  double gamma; /* of TH_TRANSFER_GAMMA */
  ThChroma white, red, green, blue;
} ThColorSpace;

/* 3×3, row by row. */
typedef struct
{
  double m[9];
} ThMatrix;

/* sRGB's white and primaries, with transfer. */
ThColorSpace th_color_space_plain (ThTransfer transfer, double gamma);
/* Adobe RGB (1998). */
ThColorSpace th_color_space_adobe_rgb (void);
/* By the code points of ITU-T H.273, for RGB data. The curves of BT.601, 709 and 2020 count as
 * sRGB's: that is what stills which say so were made with. FALSE, and space is left alone, for
 * points that are unknown or say nothing. */
gboolean th_color_space_from_cicp (guint primaries, guint transfer, gboolean full_range,
                                   ThColorSpace *space);

/* Light of a coded value from 0 to 1, within 0 to 1. */
double th_color_space_to_linear (const ThColorSpace *space, double code);
/* From its light to XYZ relative to D50, adapted by Bradford. FALSE where the numbers are no colour
 * space. */
gboolean th_color_space_to_xyz (const ThColorSpace *space, ThMatrix *matrix);
/* From XYZ relative to D50 to sRGB's light. */
ThMatrix th_color_space_srgb_from_xyz (void);
ThMatrix th_matrix_multiply (const ThMatrix *a, const ThMatrix *b);

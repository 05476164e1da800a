/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Three curves, a matrix and sRGB's curve: all that bringing most RGB spaces to sRGB takes. Knows
 * nothing of where its numbers come from. */
#pragma once

#include "core/th-color-space.h"

#define TH_SHAPER_STEPS 16384
/* Differences of a value that nobody sees; profiles that mean sRGB stay within. */
#define TH_SHAPER_SAME 3

typedef struct
{
  float linear[3][256]; /* light of each value */
  float matrix[9];      /* to sRGB's light, scaled to steps */
  guint8 codes[TH_SHAPER_STEPS];
} ThShaper;

/* Light, from 0 to 1, of channel's value code, from 0 to 1. */
typedef double (*ThShaperCurve) (guint channel, double code, gpointer data);

/* to_xyz: from the space's light to XYZ relative to D50. */
void th_shaper_init (ThShaper *shaper, ThShaperCurve curve, gpointer data, const ThMatrix *to_xyz);
/* FALSE where the space's numbers make no sense. */
gboolean th_shaper_init_space (ThShaper *shaper, const ThColorSpace *space);
/* TRUE where it would change nothing that a person could see. */
gboolean th_shaper_is_identity (const ThShaper *shaper);
/* width pixels of channels bytes, 3 or 4, of which the first three change. */
void th_shaper_row (const ThShaper *shaper, guint channels, const guint8 *in, guint32 width,
                    guint8 *out);

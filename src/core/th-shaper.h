/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Three curves, a matrix and sRGB's curve: all that bringing most RGB spaces to sRGB takes. Knows
 * nothing of where its numbers come from. */
#pragma once

#include "core/th-color-space.h"

/* Differences of a value that nobody sees; profiles that mean sRGB stay within. */
#define TH_SHAPER_SAME 3

typedef struct _ThShaper ThShaper;

/* Light, from 0 to 1, of channel's value code, from 0 to 1. */
typedef double (*ThShaperCurve) (guint channel, double code, gpointer data);

/* bits: 8 or 16 of each sample that will come in. To be filled in before anything else is asked of
 * it; NULL where memory is short. */
ThShaper *th_shaper_new (guint bits);
/* to_xyz: from the space's light to XYZ relative to D50. */
void th_shaper_fill (ThShaper *shaper, ThShaperCurve curve, gpointer data, const ThMatrix *to_xyz);
/* FALSE where the space's numbers make no sense. */
gboolean th_shaper_fill_space (ThShaper *shaper, const ThColorSpace *space);
void th_shaper_free (ThShaper *shaper);
/* Of one for 8 bits: TRUE where it would change nothing that a person could see. */
gboolean th_shaper_is_identity (const ThShaper *shaper);
gsize th_shaper_bytes (const ThShaper *shaper);
/* width pixels of 3 or 4 samples, of which the first three go through and the fourth is kept, to as
 * many bytes. */
void th_shaper_row (const ThShaper *shaper, guint channels, const void *in, guint32 width,
                    guint8 *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThShaper, th_shaper_free)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the chunks of a PNG say about its colours besides a profile, and which of them counts. */
#pragma once

#include "core/th-color-space.h"
#include "core/th-input.h"

typedef struct
{
  gboolean has_cicp, has_srgb, has_chroma;
  ThColorSpace cicp; /* where it has one that is understood */
  double gamma;      /* gAMA's, 0 where there is none */
  ThColorSpace chroma;
} ThPngColors;

/* The payload of cICP, sRGB, gAMA and cHRM, length bytes at offset; nonsense is passed over. The
 * first of each kind counts. */
void th_png_colors_read_cicp (ThPngColors *colors, ThInput *input, guint64 offset, guint32 length);
void th_png_colors_read_srgb (ThPngColors *colors, ThInput *input, guint64 offset, guint32 length);
void th_png_colors_read_gamma (ThPngColors *colors, ThInput *input, guint64 offset, guint32 length);
void th_png_colors_read_chroma (ThPngColors *colors, ThInput *input, guint64 offset,
                                guint32 length);
/* The space by the order of the third edition: cICP, then a profile, then sRGB, then gAMA and cHRM.
 * *profile: whether a profile would go before it. */
ThColorSpace th_png_colors_space (const ThPngColors *colors, gboolean *profile);

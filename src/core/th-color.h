/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The colour stage: from what came out of the shrinker to 8-bit sRGB with straight alpha. It runs
 * on small pictures only, after shrinking. */
#pragma once

#include "base/th-image.h"
#include "core/th-sink.h"

typedef struct _ThColor ThColor;

/* How to bring color (with alpha, premultiplied as the shrinker delivers it, or without) to sRGB.
 * icc is the header's profile or NULL; a broken or unfitting one is ignored, never fatal. */
ThColor *th_color_new (ThColorModel color, gboolean has_alpha, const guint8 *icc, gsize icc_size);
void th_color_free (ThColor *color);
/* One row: width pixels of interleaved 8-bit samples in, 3 (no alpha) or 4 bytes a pixel out. */
void th_color_row (const ThColor *color, const guint8 *in, guint32 width, guint8 *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThColor, th_color_free)

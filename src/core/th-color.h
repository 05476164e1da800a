/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The colour stage: from what came out of the shrinker to 8-bit sRGB. It runs on small pictures
 * only, after shrinking. */
#pragma once

#include "base/th-image.h"
#include "core/th-sink.h"

typedef struct _ThColor ThColor;

/* How to bring color (with straight alpha or without) to sRGB. icc is the header's profile or NULL
 * and need not outlive the call; a broken or unfitting one is ignored, never fatal. Profiles are
 * not evaluated yet: without one, and so far with one, samples count as sRGB and as its grey, and
 * ink by the plain product of what each one lets through. */
ThColor *th_color_new (ThColorModel color, gboolean has_alpha, const guint8 *icc, gsize icc_size);
void th_color_free (ThColor *color);
/* Channels of a pixel that comes out: 3, or 4 with alpha. */
guint th_color_channels (const ThColor *color);
/* One row: width pixels of interleaved 8-bit samples in, th_color_channels bytes a pixel out. */
void th_color_row (const ThColor *color, const guint8 *in, guint32 width, guint8 *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThColor, th_color_free)

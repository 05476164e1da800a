/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shrinker: rows of one raster in, N smaller pictures out, in one pass over the rows.
 *
 * Stage 1 averages boxes of whole factors while rows arrive, so that what is kept stays within 2 to
 * 3 times the largest target; stage 2 is a separable Lanczos3 to each exact size. A smaller target
 * starts from the larger one's intermediate. Alpha is premultiplied on the way in. The fraction of
 * the raster's last row and column counts by its real share. */
#pragma once

#include "base/th-fit.h"
#include "core/th-sink.h"

typedef struct _ThShrink ThShrink;

/* targets: at least one, largest first, each at most the raster in both sides and never 0.
 * NULL where memory is short. */
ThShrink *th_shrink_new (const ThRaster *raster, const ThSize *targets, guint n_targets);
void th_shrink_free (ThShrink *shrink);
/* Bytes that th_shrink_new would allocate, outputs included: part of the plan's peak. */
guint64 th_shrink_bytes (const ThRaster *raster, const ThSize *targets, guint n_targets);

/* The sink that a codec pushes into; owned by the shrinker. */
ThSink *th_shrink_sink (ThShrink *shrink);
/* Rows taken so far. */
guint32 th_shrink_rows_seen (const ThShrink *shrink);
/* Ends the input. Rows that never came are filled: transparent where there is alpha, else mid grey.
 */
void th_shrink_finish (ThShrink *shrink);
/* After th_shrink_finish: row y of target i, 8 bits a sample, the raster's colour model and, where
 * the raster has alpha, premultiplied alpha last. Valid until th_shrink_free. */
const guint8 *th_shrink_row (const ThShrink *shrink, guint i, guint32 y);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThShrink, th_shrink_free)

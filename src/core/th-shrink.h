/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shrinker: rows of one raster in, N smaller pictures out, in one pass over the rows.
 *
 * Stage 1 averages boxes of whole factors while rows arrive, so that what is kept is at least twice
 * the target, and less than four times; stage 2 is a separable Lanczos3 to the exact size. A
 * smaller target starts from the larger one's intermediate. Alpha is premultiplied within. The
 * fraction of the raster's last row and column counts by its real share. */
#pragma once

#include "base/th-fit.h"
#include "core/th-sink.h"

typedef struct _ThShrink ThShrink;

#define TH_SHRINK_MAX_TARGETS 8

/* Takes row y of target i, complete as soon as the rows it needs have come: 8 bits a sample, the
 * raster's colour model and, where the raster has alpha, straight alpha last. Each target's rows
 * come once each, from the first to the last; row is valid during the call only, and aligned. */
typedef void (*ThShrinkReady) (guint i, guint32 y, const guint8 *row, gpointer data);

/* targets: 1 to TH_SHRINK_MAX_TARGETS, largest first, each at most the raster in both sides and
 * never 0. A target of the raster's own size is a copy. NULL where memory is short. */
ThShrink *th_shrink_new (const ThRaster *raster, const ThSize *targets, guint n_targets,
                         ThShrinkReady ready, gpointer data);
void th_shrink_free (ThShrink *shrink);
/* Has rows handed over with 16-bit samples in host order: for curves that 8 bits are too rough for.
 */
void th_shrink_keep_depth (ThShrink *shrink);
/* Bytes that th_shrink_new allocates, all at once: part of the plan's peak. A few rows of each
 * intermediate, no whole picture. G_MAXUINT64 where the number does not fit. */
guint64 th_shrink_bytes (const ThRaster *raster, const ThSize *targets, guint n_targets);

/* The sink that a codec pushes into; owned by the shrinker. Rows beyond the raster's are refused.
 */
ThSink *th_shrink_sink (ThShrink *shrink);
/* Rows taken so far. */
guint32 th_shrink_rows_seen (const ThShrink *shrink);
/* Ends the input. Rows that never came are filled: transparent where there is alpha, else mid grey.
 * After it all rows of all targets have been handed over. */
void th_shrink_finish (ThShrink *shrink);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThShrink, th_shrink_free)

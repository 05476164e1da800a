/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects pixels that come in any order, averaged over boxes of side × side, until the whole
 * picture can be pushed from top to bottom. A pixel may come again. Knows no decoder. */
#pragma once

#include "base/th-error.h"
#include "base/th-fit.h"
#include "core/th-sink.h"

typedef struct _ThGather ThGather;

/* Largest side of a box: so a sum of all its 16-bit samples, each twice, fits 32 bits. */
#define TH_GATHER_SIDE_MAX 128u

/* The side for a picture of which a part as large as target is wanted: what is left is half as much
 * again, for the shrinker. */
guint th_gather_side (ThSize full, ThSize target);
/* What will be pushed. Straight alpha becomes premultiplied where boxes are averaged. */
ThRaster th_gather_raster (ThSize full, guint side, ThColorModel color, ThAlpha alpha, guint bits);
/* Allocated memory. */
guint64 th_gather_bytes (const ThRaster *raster, guint side);
/* alpha: of the pixels that come. NULL without memory. */
ThGather *th_gather_new (const ThRaster *raster, guint side, ThAlpha alpha);
void th_gather_free (ThGather *gather);
/* n pixels of row y of the full picture, from x on, in the raster's layout. What lies outside is
 * ignored. */
void th_gather_take (ThGather *gather, gsize x, gsize y, gsize n, const void *pixels);
/* OK; PARTIAL where pixels are missing, which are made up among others and left out below; STOPPED;
 * CORRUPT where there are none. */
ThStatus th_gather_push (ThGather *gather, ThSink *sink);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThGather, th_gather_free)

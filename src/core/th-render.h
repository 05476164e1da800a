/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One picture from first byte to finished thumbnails: sniff, header, plan; then, once the caller
 * has granted the memory, decode, shrink, colour, orient. This is all that a worker does with a
 * file. */
#pragma once

#include "base/th-error.h"
#include "base/th-fit.h"
#include "base/th-flavor.h"
#include "base/th-image.h"
#include "base/th-limits.h"
#include "core/th-color.h"
#include "core/th-input.h"

typedef struct _ThRender ThRender;

/* What th_render_open found and intends. */
typedef struct
{
  const char *codec;     /* static */
  const char *mime_type; /* static */
  ThSize full;           /* the main picture as a person sees it (oriented) */
  gboolean scalable;
  guint channels; /* of the results: 3 or 4 */
  guint pages;
  guint frames;
  double duration;    /* seconds */
  guint64 peak_bytes; /* codec, shrinker and colours together, results not included */
} ThRenderPlan;

/* Finds the codec and plans for square boxes (pixels, largest first, 1 to TH_N_FLAVORS of them).
 * The input and the limits must outlive the render; colors, which may be NULL, keeps what profiles
 * came to. error is set on all but OK. */
ThStatus th_render_open (ThInput *input, const ThLimits *limits, const guint32 *boxes,
                         guint n_boxes, ThColorCache *colors, ThRender **render, GError **error);
const ThRenderPlan *th_render_plan (const ThRender *render);
/* results: one a box, sizes by th_fit (or th_fit_scalable) of full, channels as planned, data
 * writable. OK or PARTIAL: all pixels of all results have been written; otherwise some may have
 * been. Once a render. */
ThStatus th_render_run (ThRender *render, const ThImage *results, GError **error);
void th_render_free (ThRender *render);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThRender, th_render_free)

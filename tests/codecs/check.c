/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "check.h"

#include "core/th-codec.h"
#include "core/th-render.h"
#include "heap-count.h"

typedef struct
{
  guint n;
  guint32 boxes[TH_N_FLAVORS];
} BoxSet;

static const BoxSet box_sets[] = {
  { 1, { 128 } },
  { 1, { 16 } },
  { 1, { 1024 } },
  { 4, { 1024, 512, 256, 128 } },
};

/* before: what the heap held when the render was opened. */
static ThStatus
run_render (ThRender *render, const BoxSet *set, gint64 before, ThSize *full)
{
  const ThRenderPlan *plan = th_render_plan (render);
  const gint64 opened = heap_now ();
  gint64 results;
  g_autoptr (GError) error = NULL;
  ThImage images[TH_N_FLAVORS];
  ThStatus status;

  *full = plan->full;
  for (guint i = 0; i < set->n; i++)
    {
      ThSize size = plan->scalable ? th_fit_scalable (plan->full, set->boxes[i])
                                   : th_fit (plan->full, set->boxes[i]);
      gsize stride = (gsize) size.width * plan->channels;

      images[i] = (ThImage){ size, plan->channels, stride, g_malloc_n (size.height, stride) };
    }
  results = heap_now () - opened;
  heap_forget_peak ();
  status = th_render_run (render, images, &error);
  if (heap_counts ())
    g_assert_cmpint (heap_peak () - before - results, <=, (gint64) plan->peak_bytes);
  for (guint i = 0; i < set->n; i++)
    g_free (images[i].data);
  g_assert_true ((error == NULL) == th_status_has_pixels (status));
  g_assert_cmpint (status, !=, TH_STATUS_STOPPED);
  return status;
}

static ThStatus
render_once (ThBytes data, const BoxSet *set, ThSize *full)
{
  g_autoptr (ThInput) input = th_input_new_bytes (data.data, data.size);
  g_autoptr (ThRender) render = NULL;
  g_autoptr (GError) error = NULL;
  const gint64 before = heap_now ();
  ThLimits limits;
  ThStatus status;

  th_limits_init (&limits);
  status = th_render_open (input, &limits, set->boxes, set->n, NULL, &render, &error);
  if (status == TH_STATUS_OK)
    return run_render (render, set, before, full);
  g_assert_nonnull (error);
  g_assert_false (th_status_has_pixels (status));
  return status;
}

ThStatus
check_render (ThBytes data, ThSize *full)
{
  ThStatus status = render_once (data, &box_sets[0], full);

  for (gsize i = 1; i < G_N_ELEMENTS (box_sets); i++)
    {
      ThSize again;
      ThStatus other = render_once (data, &box_sets[i], &again);

      /* What is missing may lie behind what a small size needs. */
      g_assert_cmpint (th_status_has_pixels (other), ==, th_status_has_pixels (status));
      if (!th_status_has_pixels (status))
        g_assert_cmpint (other, ==, status);
      else
        g_assert_true (again.width == full->width && again.height == full->height);
      status = other == TH_STATUS_PARTIAL ? other : status;
    }
  return status;
}

void
check_prefixes (ThBytes data, guint wanted)
{
  gsize step = MAX (data.size / wanted, 1);

  for (gsize size = 0; size < data.size; size += step)
    {
      /* Of its own size, so that a sanitizer sees what reads beyond. */
      g_autofree guint8 *copy = g_memdup2 (data.data, size);
      ThSize full;

      render_once ((ThBytes){ copy, size }, &box_sets[0], &full);
    }
}

typedef struct
{
  ThSink sink;
  gboolean stopped;
} Stopper;

static gboolean
stop (ThSink *sink, const void *rows, gsize stride, guint32 n)
{
  Stopper *stopper = (Stopper *) sink;

  g_assert_false (stopper->stopped);
  stopper->stopped = TRUE;
  return FALSE;
}

void
check_stop (ThBytes data)
{
  g_autoptr (ThInput) input = th_input_new_bytes (data.data, data.size);
  const ThCodec *codec = th_codec_sniff (input);
  Stopper stopper = { { stop }, FALSE };
  g_autoptr (GError) error = NULL;
  ThSession *session = NULL;
  ThLimits limits;
  ThStatus status;
  ThPlan plan;

  th_limits_init (&limits);
  g_assert_nonnull (codec);
  g_assert_cmpint (codec->open (input, &limits, &session, &error), ==, TH_STATUS_OK);
  g_assert_true (codec->plan (session, &codec->header (session)->size, 1, &plan));
  status = codec->decode (session, &plan, &stopper.sink, &error);
  codec->close (session);
  g_assert_no_error (error);
  g_assert_cmpint (status, ==, TH_STATUS_STOPPED);
  g_assert_true (stopper.stopped);
}

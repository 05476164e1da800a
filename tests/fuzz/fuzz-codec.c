/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One codec, named by FUZZ_CODEC, from sniffing to finished thumbnails, whose every byte is read.
 * Compiled once for each codec in the build's dictionary. */
#include "config.h"

#include <string.h>

#include "core/th-codec.h"
#include "core/th-render.h"
#include "fuzz.h"

/* A run is to take milliseconds and find faults in memory, not in budgets. */
#define FUZZ_PIXELS     (512u * 512u)
#define FUZZ_PLAN_BYTES (64u * 1024u * 1024u)

static const guint32 boxes[] = { 256, 128, 40 };
/* Small thumbnails go other ways, through the previews within a picture too. */
static const guint32 small_boxes[] = { 40, 24, 24 };

G_STATIC_ASSERT (G_N_ELEMENTS (boxes) == G_N_ELEMENTS (small_boxes));

typedef struct
{
  ThImage images[G_N_ELEMENTS (boxes)];
} Results;

static void
results_init (Results *results, const ThRenderPlan *plan, const guint32 *wanted)
{
  for (gsize i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      ThImage *image = &results->images[i];

      image->size =
          plan->scalable ? th_fit_scalable (plan->full, wanted[i]) : th_fit (plan->full, wanted[i]);
      image->channels = plan->channels;
      image->stride = (gsize) image->size.width * image->channels;
      image->data = g_malloc (image->stride * image->size.height);
    }
}

static void
results_clear (Results *results)
{
  for (gsize i = 0; i < G_N_ELEMENTS (boxes); i++)
    g_free (results->images[i].data);
}

/* Makes the sanitizers look at every byte. */
static guint32
results_sum (const Results *results)
{
  guint32 sum = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (boxes); i++)
    for (gsize k = 0; k < results->images[i].stride * results->images[i].size.height; k++)
      sum += results->images[i].data[k] > 127 ? 3 : 1;
  return sum;
}

static void
render (ThRender *job, const guint32 *wanted)
{
  Results results = { 0 };
  g_autoptr (GError) error = NULL;
  ThStatus status;

  results_init (&results, th_render_plan (job), wanted);
  status = th_render_run (job, results.images, &error);
  if (th_status_has_pixels (status))
    g_assert_cmpuint (results_sum (&results), >, 0);
  else
    g_assert_nonnull (error);
  results_clear (&results);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (ThInput) input = th_input_new_bytes (data, size);
  g_autoptr (ThRender) job = NULL;
  g_autoptr (GError) error = NULL;
  const ThCodec *codec = th_codec_sniff (input);
  const guint32 *wanted = size % 2 == 0 ? boxes : small_boxes;
  ThLimits limits;
  ThStatus status;

  if (codec == NULL || strcmp (codec->name, FUZZ_CODEC) != 0)
    return 0;
  th_limits_init (&limits);
  limits.max_pixels = FUZZ_PIXELS;
  limits.max_plan_bytes = FUZZ_PLAN_BYTES;
  status = th_render_open (input, &limits, wanted, G_N_ELEMENTS (boxes), NULL, &job, &error);
  if (status != TH_STATUS_OK)
    {
      g_assert_nonnull (error);
      return 0;
    }
  if (th_render_plan (job)->peak_bytes <= limits.max_plan_bytes)
    render (job, wanted);
  return 0;
}

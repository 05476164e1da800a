/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "picture.h"

#include <string.h>

#include "core/th-codec.h"
#include "heap-count.h"

/* Takes rows as RGBA. */
typedef struct
{
  ThSink sink;
  const ThPlan *plan;
  Picture *picture;
} Collector;

Picture *
picture_new (ThSize size)
{
  Picture *picture = g_new0 (Picture, 1);

  picture->size = size;
  picture->rgba = g_malloc0_n (size.height, (gsize) size.width * 4);
  return picture;
}

void
picture_free (Picture *picture)
{
  g_free (picture->rgba);
  g_free (picture);
}

static guint
sample_8 (const ThRaster *raster, const guint8 *row, gsize index)
{
  guint16 deep;

  if (raster->bits == 8)
    return row[index];
  memcpy (&deep, row + 2 * index, sizeof deep);
  return (deep * 255u + 32767) / 65535;
}

/* Nothing of CMYK is compared: it gets the plainest conversion. */
static void
convert_pixel (const ThRaster *raster, const guint8 *row, guint32 x, guint8 *out)
{
  guint channels = th_raster_channels (raster);
  guint values[5] = { 0 };

  for (guint i = 0; i < channels; i++)
    values[i] = sample_8 (raster, row, (gsize) x * channels + i);
  for (guint i = 0; i < 3; i++)
    {
      guint value = values[raster->color == TH_COLOR_GREY ? 0 : i];

      if (raster->color == TH_COLOR_CMYK)
        value = (255 - values[i]) * (255 - values[3]) / 255;
      out[i] = (guint8) value;
    }
  out[3] = (guint8) (raster->alpha != TH_ALPHA_NONE ? values[channels - 1] : 255);
}

static gboolean
collect (ThSink *sink, const void *rows, gsize stride, guint32 n)
{
  Collector *collector = (Collector *) sink;
  const ThRaster *raster = &collector->plan->raster;
  Picture *picture = collector->picture;

  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (picture->rows + n, <=, raster->height);
  g_assert_true (n == 1 || stride >= th_raster_row_bytes (raster));
  for (guint32 i = 0; i < n; i++)
    {
      const guint32 pushed = picture->rows++;
      const guint32 y = collector->plan->bottom_up ? raster->height - 1 - pushed : pushed;

      picture->first = collector->plan->bottom_up ? y : 0;
      for (guint32 x = 0; x < picture->size.width; x++)
        convert_pixel (raster, (const guint8 *) rows + i * stride, x,
                       picture->rgba + ((gsize) y * picture->size.width + x) * 4);
    }
  return TRUE;
}

static void
check_header (const ThHeader *header)
{
  g_assert_cmpuint (header->size.width, >, 0);
  g_assert_cmpuint (header->size.height, >, 0);
  g_assert_cmpuint (header->orientation, >=, 1);
  g_assert_cmpuint (header->orientation, <=, 8);
  g_assert_nonnull (header->mime_type);
  g_assert_true ((header->icc == NULL) == (header->icc_size == 0));
}

/* box 0: at full size. */
static Picture *
decode_open (const ThCodec *codec, ThSession *session, guint32 box)
{
  const ThHeader *header = codec->header (session);
  const ThSize target = box > 0 ? th_fit (header->size, box) : header->size;
  g_autoptr (Picture) picture = NULL;
  g_autoptr (GError) error = NULL;
  gint64 before = heap_now ();
  Collector collector;
  ThPlan plan;

  check_header (header);
  g_assert_true (codec->plan (session, &target, 1, &plan));
  g_assert_true (box > 0 || plan.raster.width == header->size.width);
  g_assert_true (box > 0 || plan.raster.height == header->size.height);
  g_assert_true ((plan.raster.alpha != TH_ALPHA_NONE) == header->has_alpha);
  picture = picture_new ((ThSize){ plan.raster.width, plan.raster.height });
  collector = (Collector){ { collect }, &plan, picture };
  before = heap_now ();
  heap_forget_peak ();
  picture->status = codec->decode (session, &plan, &collector.sink, &error);
  if (heap_counts ())
    g_assert_cmpint (heap_peak () - before, <=, (gint64) plan.peak_bytes);
  if (picture->status == TH_STATUS_OK)
    g_assert_cmpuint (picture->rows, ==, plan.raster.height);
  if (picture->status == TH_STATUS_PARTIAL)
    g_assert_cmpuint (picture->rows, >, 0);
  g_assert_true ((error == NULL) == th_status_has_pixels (picture->status));
  return g_steal_pointer (&picture);
}

static Picture *
decode (ThBytes data, guint32 box)
{
  g_autoptr (ThInput) input = th_input_new_bytes (data.data, data.size);
  const ThCodec *codec = th_codec_sniff (input);
  g_autoptr (GError) error = NULL;
  ThSession *session = NULL;
  ThStatus status = TH_STATUS_NOT_MINE;
  Picture *picture;
  ThLimits limits;

  th_limits_init (&limits);
  if (codec != NULL)
    status = codec->open (input, &limits, &session, &error);
  if (status == TH_STATUS_OK)
    {
      g_assert_no_error (error);
      picture = decode_open (codec, session, box);
      codec->close (session);
    }
  else
    {
      g_assert_true (codec == NULL || error != NULL);
      g_assert_null (session);
      picture = picture_new ((ThSize){ 0, 0 });
      picture->status = status;
    }
  g_strlcpy (picture->codec, codec != NULL ? codec->name : "", sizeof picture->codec);
  return picture;
}

Picture *
picture_decode (ThBytes data)
{
  return decode (data, 0);
}

Picture *
picture_shrink (ThBytes data, guint32 box)
{
  return decode (data, box);
}

guint
picture_difference (const Picture *a, const Picture *b)
{
  gsize start = (gsize) a->first * a->size.width;
  gsize n = (gsize) a->rows * a->size.width;
  int worst = 0;

  g_assert_cmpuint (a->size.width, ==, b->size.width);
  g_assert_cmpuint (a->size.height, ==, b->size.height);
  for (gsize i = 0; i < n; i++)
    {
      const guint8 *p = a->rgba + (start + i) * 4;
      const guint8 *q = b->rgba + (start + i) * 4;

      worst = MAX (worst, ABS (p[3] - q[3]));
      for (guint c = 0; c < 3 && p[3] != 0; c++)
        worst = MAX (worst, ABS (p[c] - q[c]));
    }
  return (guint) worst;
}

double
picture_mean_difference (const Picture *a, const Picture *b)
{
  gsize start = (gsize) a->first * a->size.width * 4;
  gsize n = (gsize) a->rows * a->size.width * 4;
  guint64 sum = 0;

  g_assert_cmpuint (a->size.width, ==, b->size.width);
  g_assert_cmpuint (a->size.height, ==, b->size.height);
  for (gsize i = 0; i < n; i++)
    sum += (guint64) ABS (a->rgba[start + i] - b->rgba[start + i]);
  return (double) sum / (double) MAX (n, 1);
}

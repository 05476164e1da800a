/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "color-chart.h"

#include <string.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "core/th-render.h"
#include "jpeg-maker.h"
#include "png-maker.h"

/* Patches are JPEG's blocks, so that each is a single coefficient. */
#define PATCH   8u
#define COLUMNS 18u
#define WIDTH   CHART_WIDTH
G_STATIC_ASSERT (CHART_WIDTH == COLUMNS * PATCH);
#define HEIGHT (CHART_PATCHES / COLUMNS * PATCH)
/* Of an APP2 segment. */
#define PIECE_BYTES 65519u

void
chart_patch (ThColorModel model, guint i, guint8 samples[4])
{
  samples[0] = (guint8) (model == TH_COLOR_GREY ? i : i % 6 * 51);
  samples[1] = (guint8) (i / 6 % 6 * 51);
  samples[2] = (guint8) (i / 36 * 51);
  samples[3] = (guint8) (i * 7 % 11 * 20);
}

static guint
patch_at (guint x, guint y)
{
  return y / PATCH * COLUMNS + x / PATCH;
}

GByteArray *
chart_rows (ThColorModel model, guint32 *width, guint32 *height)
{
  GByteArray *rows = g_byte_array_new ();

  *width = WIDTH;
  *height = HEIGHT;
  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    {
      guint8 samples[4];

      chart_patch (model, patch_at (i % WIDTH, i / WIDTH), samples);
      g_byte_array_append (rows, samples, model);
    }
  return rows;
}

static GByteArray *
make_png (ThColorModel model, ThBytes icc)
{
  guint32 width, height;
  g_autoptr (GByteArray) rows = chart_rows (model, &width, &height);
  GByteArray *png = png_begin (width, height, model == TH_COLOR_GREY ? 0 : 2, 8);

  if (icc.data != NULL)
    png_add_profile (png, icc.data, icc.size);
  png_finish (png, rows->data, rows->len / height, height);
  return png;
}

static guint8
paint (double x, double y, guint channel, gconstpointer data)
{
  const ThColorModel *model = data;
  guint8 samples[4];

  chart_patch (*model, patch_at ((guint) (x * WIDTH), (guint) (y * HEIGHT)), samples);
  /* As Adobe stores it. */
  return *model == TH_COLOR_CMYK ? (guint8) (255 - samples[channel]) : samples[channel];
}

static void
insert_profile (GByteArray *jpeg, ThBytes icc)
{
  const guint count = (guint) ((icc.size + PIECE_BYTES - 1) / PIECE_BYTES);

  for (guint i = count; i > 0; i--)
    {
      const gsize start = (gsize) (i - 1) * PIECE_BYTES;
      const gsize size = MIN (icc.size - start, PIECE_BYTES);
      g_autoptr (GByteArray) piece = g_byte_array_new ();
      const guint8 numbers[2] = { (guint8) i, (guint8) count };

      g_byte_array_append (piece, (const guint8 *) "ICC_PROFILE", 12);
      g_byte_array_append (piece, numbers, 2);
      g_byte_array_append (piece, icc.data + start, (guint) size);
      jpeg_insert_segment (jpeg, 0xe2, piece->data, (guint16) piece->len);
    }
}

static GByteArray *
make_jpeg (ThColorModel model, ThBytes icc)
{
  const JpegRecipe recipe = {
    .width = WIDTH,
    .height = HEIGHT,
    .stored = model == TH_COLOR_GREY  ? JCS_GRAYSCALE
              : model == TH_COLOR_RGB ? JCS_YCbCr
                                      : JCS_YCCK,
    .paint = paint,
    .data = &model,
  };
  GByteArray *jpeg = jpeg_make (&recipe);

  insert_profile (jpeg, icc);
  return jpeg;
}

static GByteArray *
make_webp (ThColorModel model, ThBytes icc)
{
  guint32 width, height;
  g_autoptr (GByteArray) grey = chart_rows (model, &width, &height);
  g_autoptr (GByteArray) rgb = g_byte_array_new ();
  WebPMux *mux = WebPMuxNew ();
  WebPData still = { 0 }, profile = { icc.data, icc.size }, file = { 0 };
  GByteArray *webp = g_byte_array_new ();
  guint8 *encoded = NULL;

  for (guint i = 0; i < width * height; i++)
    for (guint c = 0; c < 3; c++)
      g_byte_array_append (rgb, grey->data + i * model + c % model, 1);
  still.size =
      WebPEncodeLosslessRGB (rgb->data, (int) width, (int) height, (int) width * 3, &encoded);
  still.bytes = encoded;
  g_assert_cmpint (WebPMuxSetImage (mux, &still, 0), ==, WEBP_MUX_OK);
  if (icc.data != NULL)
    g_assert_cmpint (WebPMuxSetChunk (mux, "ICCP", &profile, 0), ==, WEBP_MUX_OK);
  g_assert_cmpint (WebPMuxAssemble (mux, &file), ==, WEBP_MUX_OK);
  g_byte_array_append (webp, file.bytes, (guint) file.size);
  WebPDataClear (&file);
  WebPMuxDelete (mux);
  WebPFree (encoded);
  return webp;
}

GByteArray *
chart_make (ChartContainer container, ThColorModel model, ThBytes icc)
{
  switch (container)
    {
    case CHART_JPEG:
      return make_jpeg (model, icc);
    case CHART_WEBP:
      return make_webp (model, icc);
    case CHART_PNG:
    default:
      return make_png (model, icc);
    }
}

void
chart_read (const ThImage *image, ChartColors *colors)
{
  colors->channels = image->channels;
  g_assert_cmpuint (image->size.width, ==, WIDTH);
  g_assert_cmpuint (image->size.height, ==, HEIGHT);
  for (guint i = 0; i < CHART_PATCHES; i++)
    {
      const guint x = i % COLUMNS * PATCH + PATCH / 2, y = i / COLUMNS * PATCH + PATCH / 2;

      colors->rgba[i][3] = 255;
      memcpy (colors->rgba[i], image->data + y * image->stride + x * image->channels,
              image->channels);
    }
}

void
chart_render (const GByteArray *file, ChartColors *colors)
{
  g_autoptr (ThInput) input = th_input_new_bytes (file->data, file->len);
  g_autofree guint8 *pixels = g_malloc0 (WIDTH * HEIGHT * 4);
  g_autoptr (ThRender) render = NULL;
  g_autoptr (GError) error = NULL;
  const guint32 box = WIDTH;
  ThLimits limits;
  ThImage image;
  guint channels;

  th_limits_init (&limits);
  th_render_open (input, &limits, &box, 1, NULL, &render, &error);
  g_assert_no_error (error);
  channels = th_render_plan (render)->channels;
  image = (ThImage){ { WIDTH, HEIGHT }, channels, WIDTH * channels, pixels };
  g_assert_cmpint (th_render_run (render, &image, &error), ==, TH_STATUS_OK);
  chart_read (&image, colors);
  colors->peak_bytes = th_render_plan (render)->peak_bytes;
}

/* Samples of patch i as the reference wants them. */
static void
plain_samples (ThColorModel model, guint i, double out[4])
{
  guint8 samples[4];

  chart_patch (model, i, samples);
  for (guint c = 0; c < 3; c++)
    out[c] = model == TH_COLOR_CMYK ? (255 - samples[c]) * (255 - samples[3]) / 65025.0
                                    : samples[model == TH_COLOR_GREY ? 0 : c] / 255.0;
}

static void
profile_samples (ThColorModel model, guint i, double out[4])
{
  guint8 samples[4];

  chart_patch (model, i, samples);
  for (guint c = 0; c < 4; c++)
    out[c] = samples[c] / 255.0 * (model == TH_COLOR_CMYK ? 100 : 1);
}

ColorDifference
chart_compare (const ChartColors *colors, ThColorModel model, ThBytes icc)
{
  g_autoptr (ColorReference) reference = color_reference_new (model, icc);
  ColorDifference result = { 0, 0 };

  for (guint i = 0; i < CHART_PATCHES; i++)
    {
      double in[4], difference;

      if (icc.data != NULL)
        profile_samples (model, i, in);
      else
        plain_samples (model, i, in);
      difference = color_reference_difference (reference, in, colors->rgba[i]);
      result.worst = MAX (result.worst, difference);
      result.mean += difference / CHART_PATCHES;
    }
  return result;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is particular to JPEG; the general walker is test-codecs. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/th-codec.h"
#include "core/th-render.h"
#include "jpeg-maker.h"

extern const ThCodec th_codec_jpeg;

/* What a codec pushed. */
typedef struct
{
  ThSink sink;
  ThHeader header;
  ThPlan plan;
  guint8 *pixels;
  guint32 rows;
  ThStatus status;
  char *message;
} Picture;

static gboolean
take_rows (ThSink *sink, const void *rows, gsize stride, guint32 n)
{
  Picture *picture = (Picture *) sink;
  gsize width = th_raster_row_bytes (&picture->plan.raster);

  g_assert_cmpuint (picture->rows + n, <=, picture->plan.raster.height);
  for (guint32 i = 0; i < n; i++)
    memcpy (picture->pixels + (picture->rows + i) * width, (const guint8 *) rows + i * stride,
            width);
  picture->rows += n;
  return TRUE;
}

static void
picture_clear (Picture *picture)
{
  g_free (picture->pixels);
  g_free (picture->message);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Picture, picture_clear)

/* Decodes for a square box; a block of its own of just that size shows one byte too far. */
static void
decode (const guint8 *data, gsize size, guint32 box, Picture *picture)
{
  g_autofree guint8 *copy = g_memdup2 (data, size);
  g_autoptr (ThInput) input = th_input_new_bytes (copy, size);
  g_autoptr (GError) error = NULL;
  ThSession *session = NULL;
  ThLimits limits;
  ThSize target;

  *picture = (Picture){ .sink = { take_rows } };
  th_limits_init (&limits);
  picture->status = th_codec_jpeg.open (input, &limits, &session, &error);
  if (picture->status == TH_STATUS_OK)
    {
      picture->header = *th_codec_jpeg.header (session);
      target = th_fit (picture->header.size, box);
      g_assert_true (th_codec_jpeg.plan (session, &target, 1, &picture->plan));
      picture->pixels =
          g_malloc0 (th_raster_row_bytes (&picture->plan.raster) * picture->plan.raster.height);
      picture->status = th_codec_jpeg.decode (session, &picture->plan, &picture->sink, &error);
      th_codec_jpeg.close (session);
    }
  g_assert_true (th_status_has_pixels (picture->status) == (error == NULL));
  g_assert_true (th_status_has_pixels (picture->status) == (picture->rows > 0));
  picture->message = error != NULL ? g_strdup (error->message) : NULL;
}

static void
test_orientation (void)
{
  for (guint orientation = 0; orientation <= 9; orientation++)
    for (guint big = 0; big <= 1; big++)
      {
        g_autoptr (GByteArray) jpeg = jpeg_make (&(JpegRecipe){ .width = 20,
                                                                .height = 10,
                                                                .stored = JCS_YCbCr,
                                                                .orientation = orientation,
                                                                .big_endian = big == 1 });
        g_auto (Picture) picture = { 0 };

        /* Behind another APP1 and a comment. */
        jpeg_insert_segment (jpeg, 0xfe, "words", 5);
        jpeg_insert_segment (jpeg, 0xe1, "http://ns.adobe.com/xap/1.0/\0<x/>", 33);
        decode (jpeg->data, jpeg->len, 20, &picture);
        g_assert_cmpint (picture.status, ==, TH_STATUS_OK);
        g_assert_cmpuint (picture.header.orientation, ==,
                          orientation >= 1 && orientation <= 8 ? orientation : 1);
      }
}

static void
check_flat (const Picture *picture, guint tolerance)
{
  guint channels = th_raster_channels (&picture->plan.raster);
  gsize count = th_raster_row_bytes (&picture->plan.raster) * picture->rows;

  for (gsize i = 0; i < count; i++)
    g_assert_cmpint (ABS (picture->pixels[i] - (200 - 60 * (int) (i % channels))), <=,
                     (int) tolerance);
}

/* Sizes around whole blocks at each scale: the last column and row have the picture's colour. */
static void
test_edges (void)
{
  static const guint32 boxes[] = { 20, 40, 80, 300 };

  for (guint width = 249; width <= 266; width++)
    for (gsize i = 0; i < G_N_ELEMENTS (boxes); i++)
      {
        guint height = width - 100;
        g_autoptr (GByteArray) jpeg = jpeg_make (&(JpegRecipe){
            .width = width, .height = height, .stored = JCS_YCbCr, .h = 2, .v = 2, .flat = TRUE });
        g_auto (Picture) picture = { 0 };
        const ThRaster *raster = &picture.plan.raster;
        double scale = (double) (1 << i) / 8;

        decode (jpeg->data, jpeg->len, boxes[i], &picture);
        g_assert_cmpint (picture.status, ==, TH_STATUS_OK);
        g_assert_cmpfloat (raster->exact_width, ==, width * scale);
        g_assert_cmpfloat (raster->exact_height, ==, height * scale);
        g_assert_cmpuint (raster->width, ==, (guint) ceil (width * scale));
        g_assert_cmpuint (picture.rows, ==, (guint) ceil (height * scale));
        check_flat (&picture, 4);
      }
}

typedef struct
{
  J_COLOR_SPACE stored;
  gboolean no_adobe;
  gboolean inverted;
} InkRow;

static void
test_cmyk (void)
{
  static const InkRow rows[] = {
    { JCS_CMYK, FALSE, TRUE },
    { JCS_CMYK, TRUE, FALSE },
    { JCS_YCCK, FALSE, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) jpeg = jpeg_make (&(JpegRecipe){ .width = 40,
                                                              .height = 30,
                                                              .stored = rows[i].stored,
                                                              .no_adobe = rows[i].no_adobe,
                                                              .flat = TRUE });
      g_auto (Picture) picture = { 0 };

      decode (jpeg->data, jpeg->len, 40, &picture);
      g_assert_cmpint (picture.status, ==, TH_STATUS_OK);
      g_assert_cmpint (picture.plan.raster.color, ==, TH_COLOR_CMYK);
      for (gsize k = 0; rows[i].inverted && k < 40 * 30 * 4; k++)
        picture.pixels[k] = (guint8) (255 - picture.pixels[k]);
      check_flat (&picture, 4);
    }
}

/* Finished thumbnail of one channel. */
static guint8 *
thumbnail (const GByteArray *jpeg, guint32 box, ThSize *size)
{
  g_autoptr (ThInput) input = th_input_new_bytes (jpeg->data, jpeg->len);
  g_autoptr (ThRender) render = NULL;
  g_autofree guint8 *rgb = NULL;
  guint8 *green;
  ThLimits limits;
  ThImage image;

  th_limits_init (&limits);
  g_assert_cmpint (th_render_open (input, &limits, &box, 1, NULL, &render, NULL), ==, TH_STATUS_OK);
  *size = th_fit (th_render_plan (render)->full, box);
  rgb = g_malloc ((gsize) size->width * size->height * 3);
  image = (ThImage){ *size, 3, (gsize) size->width * 3, rgb };
  g_assert_cmpint (th_render_run (render, &image, NULL), ==, TH_STATUS_OK);
  green = g_malloc ((gsize) size->width * size->height);
  for (gsize i = 0; i < (gsize) size->width * size->height; i++)
    green[i] = rgb[3 * i + 1];
  return green;
}

/* SSIM of two 8×8 windows (Wang et al. 2004). */
static double
window_ssim (const guint8 *a, const guint8 *b, gsize stride)
{
  double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0, n = 64;

  for (gsize y = 0; y < 8; y++)
    for (gsize x = 0; x < 8; x++)
      {
        double p = a[y * stride + x], q = b[y * stride + x];

        sum_a += p;
        sum_b += q;
        aa += p * p;
        bb += q * q;
        ab += p * q;
      }
  sum_a /= n;
  sum_b /= n;
  return (2 * sum_a * sum_b + 6.5025) * (2 * (ab / n - sum_a * sum_b) + 58.5225)
         / ((sum_a * sum_a + sum_b * sum_b + 6.5025)
            * (aa / n - sum_a * sum_a + bb / n - sum_b * sum_b + 58.5225));
}

static double
ssim (const guint8 *a, const guint8 *b, ThSize size)
{
  double sum = 0;
  guint n = 0;

  for (gsize y = 0; y + 8 <= size.height; y += 4)
    for (gsize x = 0; x + 8 <= size.width; x += 4)
      {
        sum += window_ssim (a + y * size.width + x, b + y * size.width + x, size.width);
        n++;
      }
  return sum / n;
}

/* The same coefficients in one scan and in many: stopping early is not seen. */
static void
test_early_stop (void)
{
  static const guint32 boxes[] = { 32, 64, 100, 128, 200, 400 };
  JpegRecipe recipe = { .width = 410, .height = 300, .stored = JCS_YCbCr, .h = 2, .v = 2 };
  g_autoptr (GByteArray) baseline = jpeg_make (&recipe);
  g_autoptr (GByteArray) progressive = NULL;

  recipe.progressive = TRUE;
  progressive = jpeg_make (&recipe);
  for (gsize i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      ThSize size;
      g_autofree guint8 *whole = thumbnail (baseline, boxes[i], &size);
      g_autofree guint8 *early = thumbnail (progressive, boxes[i], &size);

      g_assert_cmpfloat (ssim (whole, early, size), >=, 0.98);
    }
}

/* Every prefix: nothing until the first row of blocks is there, then never less than before. */
static void
test_truncated (void)
{
  static const JpegRecipe recipes[] = {
    { .width = 70, .height = 90, .stored = JCS_YCbCr, .h = 2, .v = 2 },
    { .width = 70, .height = 90, .stored = JCS_YCbCr, .h = 2, .v = 2, .progressive = TRUE },
    { .width = 70, .height = 90, .stored = JCS_GRAYSCALE, .arithmetic = TRUE },
    { .width = 70, .height = 90, .stored = JCS_CMYK, .restart = 1 },
    { .width = 70, .height = 90, .stored = JCS_YCbCr, .separate = TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (recipes); i++)
    {
      g_autoptr (GByteArray) jpeg = jpeg_make (&recipes[i]);
      guint32 best = 0;

      for (guint end = 0; end <= jpeg->len; end++)
        {
          g_auto (Picture) picture = { 0 };

          decode (jpeg->data, end, 90, &picture);
          g_assert_cmpuint (picture.rows, >=, best);
          if (picture.rows == 0)
            g_assert_cmpint (picture.status, ==, TH_STATUS_CORRUPT);
          best = picture.rows;
        }
      g_assert_cmpuint (best, ==, 90);
    }
}

/* A truncated picture has the whole one's rows but for the last row of blocks that came. */
static void
test_truncated_pixels (void)
{
  g_autoptr (GByteArray) jpeg =
      jpeg_make (&(JpegRecipe){ .width = 80, .height = 160, .stored = JCS_YCbCr, .h = 2, .v = 2 });
  g_auto (Picture) whole = { 0 };
  g_auto (Picture) half = { 0 };

  decode (jpeg->data, jpeg->len, 160, &whole);
  decode (jpeg->data, jpeg->len / 2, 160, &half);
  g_assert_cmpint (whole.status, ==, TH_STATUS_OK);
  g_assert_cmpint (half.status, ==, TH_STATUS_PARTIAL);
  g_assert_cmpuint (half.rows, >, 48);
  g_assert_cmpuint (half.rows, <, 112);
  /* One row of blocks is cut, and one line above it is mixed with it by the chroma's filter. */
  g_assert_cmpmem (half.pixels, (half.rows - 17) * 240, whole.pixels, (half.rows - 17) * 240);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jpeg/orientation", test_orientation);
  g_test_add_func ("/jpeg/edges", test_edges);
  g_test_add_func ("/jpeg/cmyk", test_cmyk);
  g_test_add_func ("/jpeg/early-stop", test_early_stop);
  g_test_add_func ("/jpeg/truncated", test_truncated);
  g_test_add_func ("/jpeg/truncated-pixels", test_truncated_pixels);
  return g_test_run ();
}

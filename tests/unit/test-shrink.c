/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-shrink.h"

#include <math.h>
#include <string.h>

#include "shrink-reference.h"

/* A shrinker and what came out of it. */
typedef struct
{
  ThShrink *shrink;
  guint channels;
  ThSize sizes[TH_SHRINK_MAX_TARGETS];
  guint32 rows[TH_SHRINK_MAX_TARGETS]; /* how many came */
  guint8 *data[TH_SHRINK_MAX_TARGETS];
} Shrunk;

static gsize
shrunk_stride (const Shrunk *shrunk, guint i)
{
  return (gsize) shrunk->sizes[i].width * shrunk->channels;
}

static const guint8 *
shrunk_row (const Shrunk *shrunk, guint i, guint32 y)
{
  return shrunk->data[i] + y * shrunk_stride (shrunk, i);
}

/* In order, and never one too many. */
static void
keep_row (guint i, guint32 y, const guint8 *row, gpointer data)
{
  Shrunk *shrunk = data;

  g_assert_cmpuint (y, ==, shrunk->rows[i]);
  g_assert_cmpuint (y, <, shrunk->sizes[i].height);
  memcpy (shrunk->data[i] + y * shrunk_stride (shrunk, i), row, shrunk_stride (shrunk, i));
  shrunk->rows[i]++;
}

static void
shrunk_free (Shrunk *shrunk)
{
  th_shrink_free (shrunk->shrink);
  for (guint i = 0; i < TH_SHRINK_MAX_TARGETS; i++)
    g_free (shrunk->data[i]);
  g_free (shrunk);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Shrunk, shrunk_free)

static Shrunk *
shrunk_new (const Picture *picture, const ThSize *targets, guint n)
{
  Shrunk *shrunk = g_new0 (Shrunk, 1);

  shrunk->channels = th_raster_channels (&picture->raster);
  for (guint i = 0; i < n; i++)
    {
      shrunk->sizes[i] = targets[i];
      shrunk->data[i] = g_malloc (shrunk_stride (shrunk, i) * targets[i].height);
    }
  shrunk->shrink = th_shrink_new (&picture->raster, targets, n, keep_row, shrunk);
  return shrunk;
}

/* Pushes the first rows of the picture, a few at a time. */
static Shrunk *
shrink_some (const Picture *picture, guint32 rows, const ThSize *targets, guint n)
{
  const gsize stride = th_raster_row_bytes (&picture->raster);
  Shrunk *shrunk = shrunk_new (picture, targets, n);
  ThSink *sink = th_shrink_sink (shrunk->shrink);

  for (guint32 y = 0, some; y < rows; y += some)
    {
      some = MIN (1 + y % 5, rows - y);
      g_assert_true (sink->rows (sink, picture->data + y * stride, stride, some));
    }
  g_assert_cmpuint (th_shrink_rows_seen (shrunk->shrink), ==, rows);
  th_shrink_finish (shrunk->shrink);
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (shrunk->rows[i], ==, targets[i].height);
  return shrunk;
}

static Shrunk *
shrink_all (const Picture *picture, const ThSize *targets, guint n)
{
  return shrink_some (picture, picture->raster.height, targets, n);
}

static void
fill_flat (Picture *picture, double value)
{
  for (guint32 y = 0; y < picture->raster.height; y++)
    for (guint32 x = 0; x < picture->raster.width; x++)
      for (guint c = 0; c < th_raster_channels (&picture->raster); c++)
        picture_set (picture, x, y, c, value);
}

static void
fill_noise (Picture *picture, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (guint32 y = 0; y < picture->raster.height; y++)
    for (guint32 x = 0; x < picture->raster.width; x++)
      for (guint c = 0; c < th_raster_channels (&picture->raster); c++)
        picture_set (picture, x, y, c, g_rand_double (rand));
}

/* Waves far longer than any box, so that averaging in boxes first makes no difference. */
static void
fill_smooth (Picture *picture)
{
  const double w = picture->raster.width, h = picture->raster.height;

  for (guint32 y = 0; y < picture->raster.height; y++)
    for (guint32 x = 0; x < picture->raster.width; x++)
      for (guint c = 0; c < th_raster_channels (&picture->raster); c++)
        picture_set (picture, x, y, c, 0.5 + 0.4 * sin (5.0 * x / w + c) * cos (4.0 * y / h - c));
}

static double
worst_difference (const Shrunk *shrunk, guint i, ThSize size, guint channels, const double *wanted)
{
  double worst = 0.0;

  for (guint32 y = 0; y < size.height; y++)
    for (gsize x = 0; x < (gsize) size.width * channels; x++)
      worst = fmax (worst, fabs (shrunk_row (shrunk, i, y)[x]
                                 - wanted[(gsize) y * size.width * channels + x]));
  return worst;
}

static void
assert_like_reference (const Picture *picture, ThSize size, double tolerance)
{
  g_autoptr (Shrunk) shrunk = shrink_all (picture, &size, 1);
  g_autofree double *wanted = reference_shrink (picture, size);
  const double worst =
      worst_difference (shrunk, 0, size, th_raster_channels (&picture->raster), wanted);

  if (worst > tolerance)
    g_test_message ("%ux%u to %ux%u", picture->raster.width, picture->raster.height, size.width,
                    size.height);
  g_assert_cmpfloat (worst, <=, tolerance);
}

typedef struct
{
  guint32 width, height;
  ThColorModel color;
  ThAlpha alpha;
  guint8 bits;
  ThSize size;
} ShrinkRow;

/* Below four times the target there are no boxes: only rounding may differ. */
static const ShrinkRow sharp_rows[] = {
  { 60, 45, TH_COLOR_RGB, TH_ALPHA_NONE, 8, { 40, 30 } },
  { 99, 77, TH_COLOR_RGB, TH_ALPHA_NONE, 8, { 26, 20 } },
  { 99, 77, TH_COLOR_GREY, TH_ALPHA_NONE, 8, { 33, 25 } },
  { 50, 41, TH_COLOR_CMYK, TH_ALPHA_NONE, 8, { 33, 25 } },
  { 50, 41, TH_COLOR_RGB, TH_ALPHA_NONE, 16, { 33, 25 } },
  { 50, 41, TH_COLOR_GREY, TH_ALPHA_NONE, 16, { 50, 41 } },
  { 7, 300, TH_COLOR_RGB, TH_ALPHA_NONE, 8, { 3, 100 } },
  { 1, 3, TH_COLOR_RGB, TH_ALPHA_NONE, 8, { 1, 1 } },
  { 2, 2, TH_COLOR_RGB, TH_ALPHA_NONE, 8, { 1, 2 } },
};

static void
test_sharp (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (sharp_rows); i++)
    {
      const ShrinkRow *row = &sharp_rows[i];
      g_auto (Picture) picture =
          picture_new (row->width, row->height, row->color, row->alpha, row->bits);

      fill_noise (&picture, (guint32) i);
      assert_like_reference (&picture, row->size, 1.0);
    }
}

static const ShrinkRow smooth_rows[] = {
  { 640, 480, TH_COLOR_RGB, TH_ALPHA_NONE, 8, { 64, 48 } },
  { 641, 479, TH_COLOR_RGB, TH_ALPHA_NONE, 8, { 64, 48 } },
  { 640, 480, TH_COLOR_GREY, TH_ALPHA_NONE, 16, { 64, 48 } },
  { 643, 481, TH_COLOR_CMYK, TH_ALPHA_NONE, 8, { 61, 47 } },
  { 643, 481, TH_COLOR_CMYK, TH_ALPHA_STRAIGHT, 16, { 61, 47 } },
  { 301, 400, TH_COLOR_RGB, TH_ALPHA_STRAIGHT, 8, { 30, 40 } },
  { 301, 400, TH_COLOR_GREY, TH_ALPHA_STRAIGHT, 8, { 30, 40 } },
  { 301, 400, TH_COLOR_RGB, TH_ALPHA_STRAIGHT, 16, { 30, 40 } },
  { 3000, 5, TH_COLOR_RGB, TH_ALPHA_NONE, 8, { 100, 1 } },
};

static void
test_smooth (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (smooth_rows); i++)
    {
      const ShrinkRow *row = &smooth_rows[i];
      g_auto (Picture) picture =
          picture_new (row->width, row->height, row->color, row->alpha, row->bits);

      fill_smooth (&picture);
      assert_like_reference (&picture, row->size, 2.5);
    }
}

static void
test_every_size (void)
{
  for (guint32 side = 1; side <= 24; side++)
    {
      g_auto (Picture) picture = picture_new (24, 17, TH_COLOR_RGB, TH_ALPHA_NONE, 8);

      fill_noise (&picture, side);
      assert_like_reference (&picture, (ThSize){ side, MIN (side, 17) }, side >= 7 ? 1.0 : 24.0);
    }
}

static void
assert_flat (const Picture *picture, ThSize size, guint8 value)
{
  g_autoptr (Shrunk) shrunk = shrink_all (picture, &size, 1);
  const gsize n = (gsize) size.width * th_raster_channels (&picture->raster);

  for (guint32 y = 0; y < size.height; y++)
    for (gsize x = 0; x < n; x++)
      g_assert_cmpuint (shrunk_row (shrunk, 0, y)[x], ==, value);
}

/* 2^16 columns or 2^8 rows and more pass through one box here. */
static const ShrinkRow flat_rows[] = {
  { 2000, 1, TH_COLOR_RGB, TH_ALPHA_NONE, 8, { 128, 1 } },
  { 1, 5000, TH_COLOR_RGB, TH_ALPHA_NONE, 8, { 1, 128 } },
  { 1, 1, TH_COLOR_RGB, TH_ALPHA_STRAIGHT, 8, { 1, 1 } },
  { 200001, 1, TH_COLOR_GREY, TH_ALPHA_NONE, 8, { 1, 1 } },
  { 200001, 1, TH_COLOR_GREY, TH_ALPHA_NONE, 16, { 1, 1 } },
  { 3, 200001, TH_COLOR_GREY, TH_ALPHA_NONE, 16, { 1, 2 } },
  { 70001, 259, TH_COLOR_GREY, TH_ALPHA_NONE, 8, { 1, 1 } },
  { 3001, 1501, TH_COLOR_GREY, TH_ALPHA_PREMULTIPLIED, 8, { 1, 1 } },
};

static void
test_flat (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (flat_rows); i++)
    {
      const ShrinkRow *row = &flat_rows[i];
      g_auto (Picture) picture =
          picture_new (row->width, row->height, row->color, row->alpha, row->bits);

      fill_flat (&picture, 1.0);
      assert_flat (&picture, row->size, 255);
    }
}

static void
test_flat_odd_sizes (void)
{
  for (guint32 width = 1; width <= 67; width += 3)
    for (guint32 target = 1; target <= width; target += 2)
      {
        g_auto (Picture) picture = picture_new (width, 70 - width, TH_COLOR_RGB, TH_ALPHA_NONE, 8);

        picture.raster.exact_width -= width % 8 / 8.0;
        picture.raster.exact_height -= width % 5 / 5.0;
        fill_flat (&picture, (width * 3 + target) / 255.0);
        assert_flat (&picture, (ThSize){ target, MIN (target, 70 - width) },
                     (guint8) (width * 3 + target));
      }
}

/* Row and column weights of a fraction: the shrunk last column must hold by its real share what
 * the short one held. */
static void
test_fractional_edge (void)
{
  static const ThSize sizes[] = { { 32, 16 }, { 20, 12 }, { 7, 3 }, { 4, 2 } };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_auto (Picture) picture = picture_new (33, 17, TH_COLOR_RGB, TH_ALPHA_NONE, 8);

      picture.raster.exact_width = 32.125;
      picture.raster.exact_height = 16.25;
      fill_smooth (&picture);
      for (guint32 y = 0; y < 17; y++)
        picture_set (&picture, 32, y, 0, 1.0);
      assert_like_reference (&picture, sizes[i], 4.0);
    }
}

/* A red last column that counts an eighth may tint by an eighth of what a whole one would. */
static void
test_fractional_tint (void)
{
  const ThSize size = { 4, 4 };
  g_auto (Picture) picture = picture_new (33, 33, TH_COLOR_GREY, TH_ALPHA_NONE, 8);
  g_autoptr (Shrunk) shrunk = NULL;

  picture.raster.exact_width = picture.raster.exact_height = 32.125;
  for (guint32 y = 0; y < 33; y++)
    picture_set (&picture, 32, y, 0, 1.0);
  shrunk = shrink_all (&picture, &size, 1);
  /* An eighth of a column in 8.03, with the kernel's weight of at most 1.3 there. */
  g_assert_cmpuint (shrunk_row (shrunk, 0, 1)[3], >=, 1);
  g_assert_cmpuint (shrunk_row (shrunk, 0, 1)[3], <=, 6);
  g_assert_cmpuint (shrunk_row (shrunk, 0, 1)[0], ==, 0);
}

/* White within transparent black: no grey seam between them. */
static void
test_no_halo (void)
{
  const ThSize size = { 13, 13 };
  g_auto (Picture) picture = picture_new (100, 100, TH_COLOR_RGB, TH_ALPHA_STRAIGHT, 8);
  g_autoptr (Shrunk) shrunk = NULL;
  guint seam = 0;

  for (guint32 y = 33; y < 71; y++)
    for (guint32 x = 33; x < 71; x++)
      for (guint c = 0; c < 4; c++)
        picture_set (&picture, x, y, c, 1.0);
  shrunk = shrink_all (&picture, &size, 1);
  for (guint32 i = 0; i < 13 * 13; i++)
    {
      const guint8 *pixel = shrunk_row (shrunk, 0, i / 13) + i % 13 * 4;

      seam += pixel[3] > 0 && pixel[3] < 255;
      g_assert_cmpuint (pixel[0], >=, pixel[3] >= 8 ? 250 : 0);
    }
  g_assert_cmpuint (seam, >, 8);
}

static void
test_copy (void)
{
  const ThSize size = { 37, 23 };
  g_auto (Picture) picture = picture_new (37, 23, TH_COLOR_RGB, TH_ALPHA_NONE, 8);
  g_autoptr (Shrunk) shrunk = NULL;

  fill_noise (&picture, 5);
  shrunk = shrink_all (&picture, &size, 1);
  for (guint32 y = 0; y < 23; y++)
    g_assert_cmpmem (shrunk_row (shrunk, 0, y), 37 * 3, picture.data + y * 37 * 3, 37 * 3);
}

/* Straight alpha comes back as it was, but for rounding where hardly anything shows. */
static void
test_copy_alpha (void)
{
  const ThSize size = { 256, 64 };
  g_auto (Picture) picture = picture_new (256, 64, TH_COLOR_RGB, TH_ALPHA_STRAIGHT, 8);
  g_autoptr (Shrunk) shrunk = NULL;

  fill_noise (&picture, 6);
  shrunk = shrink_all (&picture, &size, 1);
  for (guint32 i = 0; i < 256 * 64; i++)
    {
      const guint8 *got = shrunk_row (shrunk, 0, i / 256) + i % 256 * 4;
      const guint8 *put = picture.data + i * 4;
      const int slack = put[3] >= 8 ? 1 : 255;

      g_assert_cmpuint (got[3], ==, put[3]);
      for (guint c = 0; c < 3; c++)
        g_assert_cmpint (abs (got[c] - put[c]), <=, put[3] >= 128 ? 1 : slack);
    }
}

static void
test_many_targets (void)
{
  static const ThSize targets[] = { { 150, 75 }, { 60, 30 }, { 60, 30 },
                                    { 20, 10 },  { 20, 10 }, { 2, 1 } };
  g_auto (Picture) picture = picture_new (1201, 600, TH_COLOR_RGB, TH_ALPHA_STRAIGHT, 8);
  g_autoptr (Shrunk) all = NULL;

  fill_smooth (&picture);
  all = shrink_all (&picture, targets, G_N_ELEMENTS (targets));
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      g_autoptr (Shrunk) one = shrink_all (&picture, &targets[i], 1);

      for (guint32 y = 0; y < targets[i].height; y++)
        for (guint32 x = 0; x < targets[i].width * 4; x++)
          g_assert_cmpint (abs (shrunk_row (all, i, y)[x] - shrunk_row (one, 0, y)[x]), <=, 2);
    }
}

static void
test_missing_rows (void)
{
  static const ThSize size = { 10, 10 };
  static const struct
  {
    ThColorModel color;
    ThAlpha alpha;
    guint8 bits;
    guint8 wanted[5];
  } rows[] = {
    { TH_COLOR_RGB, TH_ALPHA_NONE, 8, { 128, 128, 128 } },
    { TH_COLOR_GREY, TH_ALPHA_NONE, 16, { 128 } },
    { TH_COLOR_CMYK, TH_ALPHA_NONE, 8, { 0, 0, 0, 127 } },
    { TH_COLOR_CMYK, TH_ALPHA_NONE, 16, { 0, 0, 0, 127 } },
    { TH_COLOR_CMYK, TH_ALPHA_STRAIGHT, 8, { 0 } },
    { TH_COLOR_RGB, TH_ALPHA_STRAIGHT, 8, { 0 } },
    { TH_COLOR_RGB, TH_ALPHA_PREMULTIPLIED, 16, { 0 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Picture) picture = picture_new (100, 100, rows[i].color, rows[i].alpha, rows[i].bits);
      g_autoptr (Shrunk) shrunk = NULL;
      const guint channels = th_raster_channels (&picture.raster);

      fill_flat (&picture, 1.0);
      shrunk = shrink_some (&picture, 41, &size, 1);
      g_assert_cmpuint (shrunk_row (shrunk, 0, 1)[0], >=, 250);
      for (guint c = 0; c < channels; c++)
        g_assert_cmpuint (shrunk_row (shrunk, 0, 9)[5 * channels + c], ==, rows[i].wanted[c]);
    }
}

static void
test_too_many_rows (void)
{
  const ThSize size = { 2, 2 };
  const guint8 rows[4 * 6] = { 0 };
  g_auto (Picture) picture = picture_new (4, 4, TH_COLOR_GREY, TH_ALPHA_NONE, 8);
  g_autoptr (Shrunk) shrunk = shrunk_new (&picture, &size, 1);
  ThSink *sink = th_shrink_sink (shrunk->shrink);

  g_assert_true (sink->rows (sink, rows, 4, 3));
  g_assert_false (sink->rows (sink, rows, 4, 3));
  g_assert_cmpuint (th_shrink_rows_seen (shrunk->shrink), ==, 4);
  g_assert_false (sink->rows (sink, rows, 4, 1));
}

/* Memory goes with the width, not with the height, and hardly with the targets. */
static void
test_bytes (void)
{
  static const ThSize targets[] = { { 1024, 1024 }, { 512, 512 }, { 256, 256 }, { 128, 128 } };
  const ThRaster small = { 4000, 4000, 4000, 4000, TH_COLOR_RGB, TH_ALPHA_NONE, 8 };
  const ThRaster tall = { 4000, 70000, 4000, 70000, TH_COLOR_RGB, TH_ALPHA_NONE, 8 };

  g_assert_cmpuint (th_shrink_bytes (&small, targets, 4), <, 2 << 20);
  g_assert_cmpuint (th_shrink_bytes (&small, targets, 4), <,
                    2 * th_shrink_bytes (&small, targets, 1));
  g_assert_cmpuint (th_shrink_bytes (&tall, targets, 4), <,
                    th_shrink_bytes (&small, targets, 4) + 4096);
}

static void
test_huge (void)
{
  static const ThSize row = { 1024, 1 }, column = { 1, 1024 };
  const ThRaster wide = { 300000000, 1, 300000000, 1, TH_COLOR_CMYK, TH_ALPHA_STRAIGHT, 16 };
  const ThRaster tall = { 1, 300000000, 1, 300000000, TH_COLOR_CMYK, TH_ALPHA_STRAIGHT, 16 };
  const ThRaster all = { G_MAXUINT32,   G_MAXUINT32,       G_MAXUINT32, G_MAXUINT32,
                         TH_COLOR_CMYK, TH_ALPHA_STRAIGHT, 16 };
  const ThSize same = { G_MAXUINT32, G_MAXUINT32 };

  g_assert_cmpuint (th_shrink_bytes (&wide, &row, 1), >, G_GUINT64_CONSTANT (3000000000));
  g_assert_cmpuint (th_shrink_bytes (&tall, &column, 1), <, 1024 * 1024);
  g_assert_cmpuint (th_shrink_bytes (&all, &same, 1), >, G_GUINT64_CONSTANT (1) << 39);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/shrink/sharp", test_sharp);
  g_test_add_func ("/shrink/smooth", test_smooth);
  g_test_add_func ("/shrink/every-size", test_every_size);
  g_test_add_func ("/shrink/flat", test_flat);
  g_test_add_func ("/shrink/flat-odd-sizes", test_flat_odd_sizes);
  g_test_add_func ("/shrink/fractional-edge", test_fractional_edge);
  g_test_add_func ("/shrink/fractional-tint", test_fractional_tint);
  g_test_add_func ("/shrink/no-halo", test_no_halo);
  g_test_add_func ("/shrink/copy", test_copy);
  g_test_add_func ("/shrink/copy-alpha", test_copy_alpha);
  g_test_add_func ("/shrink/many-targets", test_many_targets);
  g_test_add_func ("/shrink/missing-rows", test_missing_rows);
  g_test_add_func ("/shrink/too-many-rows", test_too_many_rows);
  g_test_add_func ("/shrink/bytes", test_bytes);
  g_test_add_func ("/shrink/huge", test_huge);
  return g_test_run ();
}

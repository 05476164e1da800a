/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What 16 bits are there for: curves that 8 would band, light beyond a plain screen's white, and
 * edges of transparent parts, by pictures whose colours are computed here. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/th-render.h"
#include "png-maker.h"

#define WIDTH 256u
/* Of 255: the shrinker keeps 14 bits, a step of which is a fifth of a value where it is worst. */
#define NEAR 0.8

static double
srgb_code (double light)
{
  light = CLAMP (light, 0, 1);
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow (light, 1 / 2.4) - 0.055);
}

/* Dense where it is dark. */
static guint16
ramp (guint x)
{
  return (guint16) (x * x + x / 255 * 510);
}

/* Grey of the ramp, or a tinted one: each channel another share. */
static guint16
sample_at (guint8 color, guint x, guint channel)
{
  if (color >= 4 && channel == (color == 4 ? 1 : 3))
    return (guint16) (65535 - ramp (x) / 2);
  return (guint16) (ramp (x) / (channel + 1));
}

static guint
channels_of (guint8 color)
{
  return color == 0 ? 1 : color == 2 ? 3 : color == 4 ? 2 : 4;
}

static GByteArray *
ramp_rows (guint8 color, guint height)
{
  GByteArray *rows = g_byte_array_new ();

  for (guint i = 0; i < WIDTH * height; i++)
    for (guint c = 0; c < channels_of (color); c++)
      {
        const guint16 sample = GUINT16_TO_BE (sample_at (color, i % WIDTH, c));

        g_byte_array_append (rows, (const guint8 *) &sample, 2);
      }
  return rows;
}

typedef struct
{
  const char *name;
  const char *type;
  guint8 payload[4];
  double (*light) (double code); /* 1 is white; what is brighter is not looked at */
  double limit;                  /* light up to which that is told */
} CurveRow;

static double
linear (double code)
{
  return code;
}

static double
gamma_18 (double code)
{
  return pow (code, 1.8);
}

/* ST 2084; white is 203 cd/m². */
static double
pq (double code)
{
  const double p = pow (code, 32 / 2523.0);

  return 10000 / 203.0 * pow (fmax (p - 0.8359375, 0) / (18.8515625 - 18.6875 * p), 16384 / 2610.0);
}

/* BT.2100 on a display of 1000 cd/m². */
static double
hlg (double code)
{
  const double scene =
      code <= 0.5 ? code * code / 3 : (exp ((code - 0.55991073) / 0.17883277) + 0.28466892) / 12;

  return 1000 / 203.0 * pow (scene, 1.2);
}

static const CurveRow curve_rows[] = {
  { "linear", "gAMA", { 0, 1, 0x86, 0xa0 }, linear, 1 },
  { "gamma-1.8", "gAMA", { 0, 0, 0xd9, 0x03 }, gamma_18, 1 },
  { "cicp-linear", "cICP", { 1, 8, 0, 1 }, linear, 1 },
  /* Above 90 cd/m² it is bent. */
  { "pq", "cICP", { 1, 16, 0, 1 }, pq, 90.0 / 203 },
  { "hlg", "cICP", { 1, 18, 0, 1 }, hlg, 90.0 / 203 },
};

static GByteArray *
ramp_png (guint8 color, const CurveRow *row, guint height)
{
  g_autoptr (GByteArray) rows = ramp_rows (color, height);
  GByteArray *png = png_begin (WIDTH, height, color, 16);

  png_add (png, row->type, row->payload, sizeof row->payload);
  png_finish (png, rows->data, rows->len / height, height);
  return png;
}

/* Of the first row at box; the caller frees. */
static guint8 *
render (const GByteArray *png, guint32 box, guint *channels, ThSize *size)
{
  g_autoptr (ThInput) input = th_input_new_bytes (png->data, png->len);
  g_autoptr (ThRender) job = NULL;
  g_autoptr (GError) error = NULL;
  ThLimits limits;
  ThImage image;

  th_limits_init (&limits);
  th_render_open (input, &limits, &box, 1, NULL, &job, &error);
  g_assert_no_error (error);
  *channels = th_render_plan (job)->channels;
  *size = th_fit (th_render_plan (job)->full, box);
  image = (ThImage){ *size, *channels, (gsize) size->width * *channels, NULL };
  image.data = g_malloc (image.stride * size->height);
  g_assert_cmpint (th_render_run (job, &image, &error), ==, TH_STATUS_OK);
  return image.data;
}

static void
check_sample (const CurveRow *row, double code, guint8 ours, guint8 *last)
{
  const double light = row->light (code);

  g_assert_cmpuint (ours, >=, *last);
  *last = ours;
  if (light <= row->limit)
    g_assert_cmpfloat (fabs (ours - srgb_code (light)), <=, NEAR);
}

static void
check_ramp (const CurveRow *row, guint8 color)
{
  g_autoptr (GByteArray) png = ramp_png (color, row, 3);
  g_autofree guint8 *pixels = NULL;
  guint8 last[3] = { 0 };
  guint channels;
  ThSize size;

  pixels = render (png, WIDTH, &channels, &size);
  g_assert_cmpuint (channels, ==, color >= 4 ? 4 : 3);
  for (guint x = 0; x < WIDTH; x++)
    {
      const guint8 *pixel = pixels + x * channels;

      for (guint c = 0; c < 3; c++)
        check_sample (row, sample_at (color, x, color % 4 == 0 ? 0 : c) / 65535.0, pixel[c],
                      &last[c]);
      if (channels == 4)
        g_assert_cmpfloat (fabs (pixel[3] - sample_at (color, x, color == 4 ? 1 : 3) / 257.0), <=,
                           1);
    }
  /* The ramp ends at the top. */
  g_assert_cmpuint (pixels[(WIDTH - 1) * channels], ==, 255);
}

static void
test_curve (gconstpointer data)
{
  static const guint8 colors[] = { 0, 2, 4, 6 };

  for (gsize i = 0; i < G_N_ELEMENTS (colors); i++)
    check_ramp (data, colors[i]);
}

/* A linear ramp of 16 bits has at least as many greys as 8 bits in sRGB: 8 linear ones would leave
 * a third of the dark ones out. */
static void
test_no_banding (void)
{
  g_autoptr (GByteArray) png = ramp_png (2, &curve_rows[0], 3);
  g_autofree guint8 *pixels = NULL;
  gboolean seen[256] = { FALSE };
  guint channels, dark = 0;
  ThSize size;

  pixels = render (png, WIDTH, &channels, &size);
  for (guint x = 0; x < WIDTH; x++)
    seen[pixels[x * channels]] = TRUE;
  for (guint v = 0; v < 64; v++)
    dark += seen[v] ? 1 : 0;
  g_assert_cmpuint (dark, >=, 32);
}

/* White of paper, 203 cd/m², stays bright but leaves room for what is brighter. */
static void
test_white (void)
{
  static const struct
  {
    const CurveRow *row;
    double code;
  } whites[] = { { &curve_rows[3], 0.5807 }, { &curve_rows[4], 0.75 } };

  for (gsize i = 0; i < G_N_ELEMENTS (whites); i++)
    {
      g_autoptr (GByteArray) png = ramp_png (2, whites[i].row, 3);
      g_autofree guint8 *pixels = NULL;
      guint channels, x = 0;
      ThSize size;

      pixels = render (png, WIDTH, &channels, &size);
      while (ramp (x) < whites[i].code * 65535)
        x++;
      g_test_message ("%s: white is %u", whites[i].row->name, pixels[x * channels]);
      g_assert_cmpuint (pixels[x * channels], >, 195);
      g_assert_cmpuint (pixels[x * channels], <, 245);
    }
}

/* Left half a colour, right half clear with another one under it. */
static GByteArray *
half_clear (guint8 depth, const CurveRow *row)
{
  static const guint8 red[4] = { 200, 30, 30, 255 }, green[4] = { 0, 255, 0, 0 };
  g_autoptr (GByteArray) rows = g_byte_array_new ();
  GByteArray *png = png_begin (WIDTH, WIDTH, 6, depth);

  if (row != NULL)
    png_add (png, row->type, row->payload, sizeof row->payload);
  for (guint i = 0; i < WIDTH * WIDTH; i++)
    for (guint c = 0; c < 4; c++)
      for (guint k = 0; k < depth / 8u; k++)
        g_byte_array_append (rows, (i % WIDTH < WIDTH / 2 ? red : green) + c, 1);
  png_finish (png, rows->data, rows->len / WIDTH, WIDTH);
  return png;
}

static void
check_edge (guint8 depth, const CurveRow *row)
{
  static const guint32 boxes[] = { 255, 131, 85, 21, 7 };
  const double light[3] = { 200 / 255.0, 30 / 255.0, 30 / 255.0 };
  g_autoptr (GByteArray) png = half_clear (depth, row);

  for (gsize i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      guint channels;
      ThSize size;
      g_autofree guint8 *pixels = render (png, boxes[i], &channels, &size);

      g_assert_cmpuint (channels, ==, 4);
      for (guint p = 0; p < size.width * size.height; p++)
        for (guint c = 0; c < 3 && pixels[4 * p + 3] >= 16; c++)
          {
            const double wanted = row != NULL ? srgb_code (row->light (light[c])) : 255 * light[c];

            g_assert_cmpfloat (fabs (pixels[4 * p + c] - wanted), <=, 4);
          }
    }
}

static void
test_edges (void)
{
  check_edge (8, NULL);
  check_edge (16, NULL);
  check_edge (8, &curve_rows[1]);
  check_edge (16, &curve_rows[0]);
  check_edge (16, &curve_rows[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (curve_rows); i++)
    {
      g_autofree char *path = g_strconcat ("/depth/curve/", curve_rows[i].name, NULL);

      g_test_add_data_func (path, &curve_rows[i], test_curve);
    }
  g_test_add_func ("/depth/no-banding", test_no_banding);
  g_test_add_func ("/depth/white", test_white);
  g_test_add_func ("/depth/edges", test_edges);
  return g_test_run ();
}

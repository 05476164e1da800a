/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "shrink-reference.h"

#include <math.h>
#include <string.h>

static guint8 *
sample_at (const Picture *picture, guint32 x, guint32 y, guint c)
{
  const ThRaster *raster = &picture->raster;
  const gsize index = (gsize) x * th_raster_channels (raster) + c;

  return picture->data + y * th_raster_row_bytes (raster) + index * (raster->bits / 8u);
}

Picture
picture_new (guint32 width, guint32 height, ThColorModel color, ThAlpha alpha, guint8 bits)
{
  Picture picture = { { width, height, width, height, color, alpha, bits }, NULL };

  picture.data = g_malloc0 (th_raster_row_bytes (&picture.raster) * height);
  return picture;
}

void
picture_clear (Picture *picture)
{
  g_clear_pointer (&picture->data, g_free);
}

double
picture_get (const Picture *picture, guint32 x, guint32 y, guint c)
{
  const guint8 *at = sample_at (picture, x, y, c);
  guint16 wide;

  if (picture->raster.bits == 8)
    return *at / 255.0;
  memcpy (&wide, at, sizeof wide);
  return wide / 65535.0;
}

void
picture_set (Picture *picture, guint32 x, guint32 y, guint c, double value)
{
  guint8 *at = sample_at (picture, x, y, c);
  guint16 wide = (guint16) lrint (value * 65535.0);

  if (picture->raster.bits == 8)
    *at = (guint8) lrint (value * 255.0);
  else
    memcpy (at, &wide, sizeof wide);
}

static double
sinc (double x)
{
  return x == 0.0 ? 1.0 : sin (G_PI * x) / (G_PI * x);
}

/* Weight of pixel i of n for an output centred at centre, times what the pixel counts. */
static double
weight (guint32 i, guint32 n, double exact, double centre, double stretch)
{
  const double share = i == n - 1 ? exact - (n - 1) : 1.0;
  const double x = (i + share / 2.0 - centre) / stretch;

  return fabs (x) < 3.0 ? share * sinc (x) * sinc (x / 3.0) : 0.0;
}

/* n_out × n weights, each row of sum 1. */
static double *
matrix (guint32 n, double exact, guint32 n_out)
{
  const double scale = exact / n_out;
  double *weights = g_new (double, (gsize) n *n_out);

  for (guint32 o = 0; o < n_out; o++)
    {
      double *row = weights + (gsize) o * n;
      double sum = 0.0;

      for (guint32 i = 0; i < n; i++)
        sum += row[i] = weight (i, n, exact, (o + 0.5) * scale, MAX (scale, 1.0));
      for (guint32 i = 0; i < n; i++)
        row[i] /= sum;
    }
  return weights;
}

/* A sample with its alpha multiplied in. */
static double
premultiplied (const Picture *picture, guint32 x, guint32 y, guint c)
{
  const guint colors = picture->raster.color;
  const double value = picture_get (picture, x, y, c);

  if (picture->raster.alpha != TH_ALPHA_STRAIGHT || c == colors)
    return value;
  return value * picture_get (picture, x, y, colors);
}

/* One channel at full height, shrunk along its rows. */
static double *
shrink_rows (const Picture *picture, guint c, guint32 width)
{
  const ThRaster *raster = &picture->raster;
  g_autofree double *weights = matrix (raster->width, raster->exact_width, width);
  double *out = g_new0 (double, (gsize) width * raster->height);

  for (guint32 y = 0; y < raster->height; y++)
    for (guint32 i = 0; i < raster->width; i++)
      {
        const double value = premultiplied (picture, i, y, c);

        for (guint32 x = 0; x < width; x++)
          out[(gsize) y * width + x] += weights[(gsize) x * raster->width + i] * value;
      }
  return out;
}

static void
shrink_channel (const Picture *picture, guint c, ThSize size, double *out)
{
  const ThRaster *raster = &picture->raster;
  const guint channels = th_raster_channels (raster);
  g_autofree double *weights = matrix (raster->height, raster->exact_height, size.height);
  g_autofree double *rows = shrink_rows (picture, c, size.width);

  for (guint32 y = 0; y < size.height; y++)
    for (guint32 x = 0; x < size.width; x++)
      {
        double sum = 0.0;

        for (guint32 i = 0; i < raster->height; i++)
          sum += weights[(gsize) y * raster->height + i] * rows[(gsize) i * size.width + x];
        out[((gsize) y * size.width + x) * channels + c] = CLAMP (sum, 0.0, 1.0);
      }
}

static void
straighten (double *pixel, guint colors)
{
  const double a = pixel[colors];

  for (guint c = 0; c < colors; c++)
    pixel[c] = a > 0.0 ? MIN (pixel[c], a) / a : 0.0;
}

double *
reference_shrink (const Picture *picture, ThSize size)
{
  const guint channels = th_raster_channels (&picture->raster);
  const gsize n = (gsize) size.width * size.height * channels;
  double *out = g_new (double, n);

  for (guint c = 0; c < channels; c++)
    shrink_channel (picture, c, size, out);
  for (gsize i = 0; picture->raster.alpha != TH_ALPHA_NONE && i < n; i += channels)
    straighten (out + i, picture->raster.color);
  for (gsize i = 0; i < n; i++)
    out[i] *= 255.0;
  return out;
}

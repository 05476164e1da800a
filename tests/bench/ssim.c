/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structural similarity of PNG pairs: Wang, Bovik, Sheikh, Simoncelli 2004, on luma.
 *
 *   ssim A.png B.png [A.png B.png]…
 *
 * Luma is 0.299 R + 0.587 G + 0.114 B of the stored (gamma-coded) values, over mid grey where there
 * is transparency. Windows are 11×11 Gaussian with sigma 1.5, one centred on each pixel; beyond the
 * edge they are cut off and their weights add up to 1 again, so that pictures of any size can be
 * compared. K1 = 0.01, K2 = 0.03, L = 255. Prints a line for each pair: SSIM and PSNR in dB, or
 * "size" with both sizes, or "unreadable". */
#include "config.h"

#include <glib.h>
#include <math.h>
#include <png.h>
#include <stdio.h>

#define RADIUS 5
#define SIGMA  1.5
#define C1     (0.01 * 255 * 0.01 * 255)
#define C2     (0.03 * 255 * 0.03 * 255)

typedef struct
{
  guint width;
  guint height;
  double *luma; /* rows without padding */
} Plane;

static void
plane_clear (Plane *plane)
{
  g_clear_pointer (&plane->luma, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plane, plane_clear)

static double
luma_over_grey (const guint8 *rgba)
{
  double alpha = rgba[3] / 255.0;

  return (0.299 * rgba[0] + 0.587 * rgba[1] + 0.114 * rgba[2]) * alpha + 128.0 * (1.0 - alpha);
}

static gboolean
plane_read (Plane *plane, const char *path)
{
  png_image image = { .version = PNG_IMAGE_VERSION };
  g_autofree guint8 *pixels = NULL;
  gsize n;

  if (!png_image_begin_read_from_file (&image, path))
    return FALSE;
  image.format = PNG_FORMAT_RGBA;
  n = (gsize) image.width * image.height;
  pixels = g_malloc (PNG_IMAGE_SIZE (image));
  if (!png_image_finish_read (&image, NULL, pixels, 0, NULL))
    return FALSE;
  plane->width = image.width;
  plane->height = image.height;
  plane->luma = g_new (double, n);
  for (gsize i = 0; i < n; i++)
    plane->luma[i] = luma_over_grey (pixels + 4 * i);
  return TRUE;
}

/* One direction of the window: n values step apart, into out. */
static void
smooth_line (const double *in, double *out, guint n, gsize step, const double *window)
{
  for (int i = 0; i < (int) n; i++)
    {
      int last = MIN (RADIUS, (int) n - 1 - i);
      double sum = 0, weights = 0;

      for (int k = MAX (-RADIUS, -i); k <= last; k++)
        {
          sum += window[k + RADIUS] * in[(gsize) (i + k) * step];
          weights += window[k + RADIUS];
        }
      out[(gsize) i * step] = sum / weights;
    }
}

/* a times b (or a alone) averaged by the window. Caller frees. */
static double *
smooth_product (const Plane *plane, const double *a, const double *b)
{
  gsize n = (gsize) plane->width * plane->height;
  g_autofree double *between = g_new (double, n);
  double *product = g_new (double, n);
  double window[2 * RADIUS + 1];

  for (int k = -RADIUS; k <= RADIUS; k++)
    window[k + RADIUS] = exp (-k * k / (2 * SIGMA * SIGMA));
  for (gsize i = 0; i < n; i++)
    product[i] = a[i] * (b != NULL ? b[i] : 1.0);
  for (guint y = 0; y < plane->height; y++)
    smooth_line (product + (gsize) y * plane->width, between + (gsize) y * plane->width,
                 plane->width, 1, window);
  for (guint x = 0; x < plane->width; x++)
    smooth_line (between + x, product + x, plane->height, plane->width, window);
  return product;
}

static double
ssim (const Plane *a, const Plane *b)
{
  gsize n = (gsize) a->width * a->height;
  g_autofree double *mean_a = smooth_product (a, a->luma, NULL);
  g_autofree double *mean_b = smooth_product (b, b->luma, NULL);
  g_autofree double *square_a = smooth_product (a, a->luma, a->luma);
  g_autofree double *square_b = smooth_product (b, b->luma, b->luma);
  g_autofree double *mixed = smooth_product (a, a->luma, b->luma);
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    {
      double means = mean_a[i] * mean_b[i];
      double squares = mean_a[i] * mean_a[i] + mean_b[i] * mean_b[i];
      double covariance = mixed[i] - means;
      double variances = square_a[i] + square_b[i] - squares;

      sum += (2 * means + C1) * (2 * covariance + C2) / ((squares + C1) * (variances + C2));
    }
  return sum / (double) n;
}

static double
psnr (const Plane *a, const Plane *b)
{
  gsize n = (gsize) a->width * a->height;
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (a->luma[i] - b->luma[i]) * (a->luma[i] - b->luma[i]);
  return sum > 0 ? 10 * log10 (255.0 * 255.0 * (double) n / sum) : 99.0;
}

static void
compare (const char *path_a, const char *path_b)
{
  g_auto (Plane) a = { 0 };
  g_auto (Plane) b = { 0 };

  if (!plane_read (&a, path_a) || !plane_read (&b, path_b))
    printf ("unreadable\n");
  else if (a.width != b.width || a.height != b.height)
    printf ("size %ux%u %ux%u\n", a.width, a.height, b.width, b.height);
  else
    printf ("%.5f %.2f\n", ssim (&a, &b), psnr (&a, &b));
}

int
main (int argc, char **argv)
{
  if (argc < 3 || argc % 2 == 0)
    {
      fprintf (stderr, "usage: ssim A.png B.png [A.png B.png]…\n");
      return 2;
    }
  for (int i = 1; i < argc; i += 2)
    compare (argv[i], argv[i + 1]);
  return 0;
}

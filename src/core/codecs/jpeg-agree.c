/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-agree.h"

#include <string.h>

#define SIDE   TH_JPEG_AGREE_SIDE
#define PIXELS (SIDE * SIDE)
/* Structural similarity (Wang, Bovik, Sheikh, Simoncelli 2004). */
#define C1 (0.01 * 255 * 0.01 * 255)
#define C2 (0.03 * 255 * 0.03 * 255)
/* Mean similarity that is asked for, and that of the worst square. */
#define SIMILARITY_MIN        0.985
#define SQUARE_SIMILARITY_MIN 0.7
/* Mean below which no more squares are waited for. */
#define HOPELESS_SIMILARITY 0.95
/* Levels by which the mean of a channel of one square may differ. */
#define LEVELS_MAX 8
/* Standard deviation of luma from which a square tells something, squared. */
#define TELLING_VARIANCE 36.0
/* Share of the rows that are looked at, at least and at most. */
#define LEAST_SHARE 8
#define MOST_SHARE  4

typedef struct
{
  double mean[2];
  double variance[2];
  double covariance;
} Statistics;

gboolean
th_jpeg_agree_init (ThJpegAgree *agree, const guint8 *expected, ThSize size, guint channels)
{
  *agree = (ThJpegAgree){ .expected = expected, .size = size, .channels = channels };
  agree->band = g_try_malloc ((gsize) size.width * channels * SIDE);
  if (size.width < SIDE)
    agree->verdict = TH_JPEG_AGREE_NO;
  return agree->band != NULL;
}

void
th_jpeg_agree_clear (ThJpegAgree *agree)
{
  g_clear_pointer (&agree->band, g_free);
}

static double
luma (const guint8 *pixel, guint channels)
{
  return channels == 1 ? pixel[0] : 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
}

/* Both squares begin at their first pixel and have rows of stride bytes. */
static Statistics
measure (const guint8 *a, const guint8 *b, gsize stride, guint channels)
{
  double sum[2] = { 0 }, squared[2] = { 0 }, product = 0;
  Statistics found;

  for (guint y = 0; y < SIDE; y++)
    for (guint x = 0; x < SIDE; x++)
      {
        double p = luma (a + y * stride + x * channels, channels);
        double q = luma (b + y * stride + x * channels, channels);

        sum[0] += p;
        sum[1] += q;
        squared[0] += p * p;
        squared[1] += q * q;
        product += p * q;
      }
  for (guint i = 0; i < 2; i++)
    {
      found.mean[i] = sum[i] / PIXELS;
      found.variance[i] = squared[i] / PIXELS - found.mean[i] * found.mean[i];
    }
  found.covariance = product / PIXELS - found.mean[0] * found.mean[1];
  return found;
}

static double
similarity (const Statistics *s)
{
  return (2 * s->mean[0] * s->mean[1] + C1) * (2 * s->covariance + C2)
         / ((s->mean[0] * s->mean[0] + s->mean[1] * s->mean[1] + C1)
            * (s->variance[0] + s->variance[1] + C2));
}

static gboolean
has_other_colour (const guint8 *a, const guint8 *b, gsize stride, guint channels)
{
  for (guint c = 0; c < channels; c++)
    {
      int difference = 0;

      for (guint y = 0; y < SIDE; y++)
        for (guint x = 0; x < SIDE; x++)
          difference += a[y * stride + x * channels + c] - (int) b[y * stride + x * channels + c];
      if (ABS (difference) > (int) (LEVELS_MAX * PIXELS))
        return TRUE;
    }
  return FALSE;
}

static void
judge_square (ThJpegAgree *agree, guint32 x)
{
  gsize stride = (gsize) agree->size.width * agree->channels;
  const guint8 *a = agree->expected + (agree->rows - SIDE) * stride + (gsize) x * agree->channels;
  const guint8 *b = agree->band + (gsize) x * agree->channels;
  Statistics found = measure (a, b, stride, agree->channels);
  double value = similarity (&found);

  agree->squares++;
  agree->similarity += value;
  agree->telling += MIN (found.variance[0], found.variance[1]) >= TELLING_VARIANCE;
  if (value < SQUARE_SIMILARITY_MIN || has_other_colour (a, b, stride, agree->channels))
    agree->verdict = TH_JPEG_AGREE_NO;
}

/* After a band of squares. */
static void
conclude (ThJpegAgree *agree)
{
  gboolean similar = agree->similarity >= SIMILARITY_MIN * agree->squares;
  guint wanted = agree->size.width / SIDE;

  if (agree->similarity < HOPELESS_SIMILARITY * agree->squares)
    agree->verdict = TH_JPEG_AGREE_NO;
  if (agree->verdict == TH_JPEG_AGREE_NO || agree->rows < agree->size.height / LEAST_SHARE)
    return;
  if (similar && agree->telling >= wanted)
    agree->verdict = TH_JPEG_AGREE_YES;
  else if (agree->rows >= agree->size.height / MOST_SHARE)
    agree->verdict = TH_JPEG_AGREE_NO;
}

void
th_jpeg_agree_row (ThJpegAgree *agree, const guint8 *row)
{
  gsize stride = (gsize) agree->size.width * agree->channels;

  if (agree->verdict != TH_JPEG_AGREE_UNSURE)
    return;
  memcpy (agree->band + agree->rows % SIDE * stride, row, stride);
  agree->rows++;
  if (agree->rows % SIDE != 0)
    return;
  for (guint32 x = 0; x + SIDE <= agree->size.width; x += SIDE)
    judge_square (agree, x);
  if (agree->size.width % SIDE != 0)
    judge_square (agree, agree->size.width - SIDE);
  conclude (agree);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-kernels-avx2.h"

#include <immintrin.h>
#include <string.h>

#define HALF (TH_WEIGHT_ONE / 2)
/* Samples of one step down the rows: two vectors. */
#define COLUMNS 32u
/* Taps of one step along a row. */
#define TAPS 4u

static inline __m256i
load (const gint16 *at)
{
  return _mm256_loadu_si256 ((const __m256i *) at);
}

static inline __m128i
load_half (const gint16 *at)
{
  return _mm_loadu_si128 ((const __m128i *) at);
}

/* The compiler does well enough on this one. */
static void
add_long (const gint16 *restrict row, gsize n, guint32 *restrict sums)
{
  for (gsize i = 0; i < n; i++)
    sums[i] += (guint16) row[i];
}

/* Four samples wide whatever the channels; the next box overwrites the surplus. */
static inline void
store_mean (__m128i sum, float by, gint16 *out)
{
  const __m128 mean = _mm_mul_ps (_mm_cvtepi32_ps (sum), _mm_set1_ps (by));
  const __m128i rounded = _mm_cvttps_epi32 (_mm_add_ps (mean, _mm_set1_ps (0.5f)));

  _mm_storel_epi64 ((__m128i *) out, _mm_packs_epi32 (rounded, rounded));
}

static void
mean_u16 (const guint16 *sums, gsize boxes, guint32 factor, guint channels, float by, gint16 *out)
{
  for (gsize i = 0; i < boxes; i++, out += channels)
    {
      __m128i sum = _mm_setzero_si128 ();

      for (guint32 k = 0; k < factor; k++, sums += channels)
        sum = _mm_add_epi32 (sum, _mm_cvtepu16_epi32 (_mm_loadl_epi64 ((const __m128i *) sums)));
      store_mean (sum, by, out);
    }
}

static void
mean_u32 (const guint32 *sums, gsize boxes, guint32 factor, guint channels, float by, gint16 *out)
{
  for (gsize i = 0; i < boxes; i++, out += channels)
    {
      __m128i sum = _mm_setzero_si128 ();

      for (guint32 k = 0; k < factor; k++, sums += channels)
        sum = _mm_add_epi32 (sum, _mm_loadu_si128 ((const __m128i *) sums));
      store_mean (sum, by, out);
    }
}

/* Four pixels at a time. */
static void
premultiply_u8 (const guint8 *row, gsize n, gint16 *out)
{
  const __m256i alphas = _mm256_broadcastsi128_si256 (
      _mm_setr_epi8 (6, 7, 6, 7, 6, 7, 6, 7, 14, 15, 14, 15, 14, 15, 14, 15));
  gsize i = 0;

  for (; i + 4 <= n; i += 4)
    {
      const __m256i pixels =
          _mm256_cvtepu8_epi16 (_mm_loadu_si128 ((const __m128i *) (row + i * 4)));
      const __m256i product = _mm256_mullo_epi16 (pixels, _mm256_shuffle_epi8 (pixels, alphas));
      const __m256i colors = _mm256_mulhi_epu16 (product, _mm256_set1_epi16 (TH_PREMULTIPLY));
      const __m256i wide = _mm256_slli_epi16 (pixels, TH_SAMPLE_SHIFT);

      _mm256_storeu_si256 ((__m256i *) (out + i * 4), _mm256_blend_epi16 (colors, wide, 0x88));
    }
  th_plain_premultiply_u8 (row + i * 4, n - i, out + i * 4);
}

/* Two weights side by side, for a multiply-and-add over pairs of samples. */
static inline __m256i
weight_pair (const gint16 *weights)
{
  gint32 pair;

  memcpy (&pair, weights, sizeof pair);
  return _mm256_set1_epi32 (pair);
}

static inline __m256i
to_samples (__m256i low, __m256i high)
{
  return _mm256_packs_epi32 (_mm256_srai_epi32 (low, TH_WEIGHT_SHIFT),
                             _mm256_srai_epi32 (high, TH_WEIGHT_SHIFT));
}

/* Unpacking and packing both keep to halves of a vector, so the order comes out right. */
static void
vertical (const gint16 *const *rows, const gint16 *weights, guint32 n_rows, gsize n, gint16 *out)
{
  for (gsize at = 0; at < n; at += COLUMNS)
    {
      __m256i sums[4];

      for (guint i = 0; i < 4; i++)
        sums[i] = _mm256_set1_epi32 (HALF);
      for (guint32 k = 0; k < n_rows; k += 2)
        {
          const __m256i pair = weight_pair (weights + k);

          for (guint i = 0; i < 2; i++)
            {
              const __m256i a = load (rows[k] + at + 16 * i);
              const __m256i b = load (rows[k + 1] + at + 16 * i);
              const __m256i low = _mm256_madd_epi16 (_mm256_unpacklo_epi16 (a, b), pair);
              const __m256i high = _mm256_madd_epi16 (_mm256_unpackhi_epi16 (a, b), pair);

              sums[2 * i] = _mm256_add_epi32 (sums[2 * i], low);
              sums[2 * i + 1] = _mm256_add_epi32 (sums[2 * i + 1], high);
            }
        }
      _mm256_storeu_si256 ((__m256i *) (out + at), to_samples (sums[0], sums[1]));
      _mm256_storeu_si256 ((__m256i *) (out + at + 16), to_samples (sums[2], sums[3]));
    }
}

/* Four weights, of which each half of the vector holds one pair, four times. */
static inline __m256i
weight_pairs (const gint16 *weights)
{
  const __m256i spread = _mm256_setr_epi8 (0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6,
                                           7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7);
  gint64 four;

  memcpy (&four, weights, sizeof four);
  return _mm256_shuffle_epi8 (_mm256_set1_epi64x (four), spread);
}

/* Sums of up to four channels, to samples in the lowest four places. */
static inline __m128i
pixel_of (__m256i sums)
{
  const __m128i sum =
      _mm_add_epi32 (_mm256_castsi256_si128 (sums), _mm256_extracti128_si256 (sums, 1));
  const __m128i rounded = _mm_add_epi32 (sum, _mm_set1_epi32 (HALF));

  return _mm_packs_epi32 (_mm_srai_epi32 (rounded, TH_WEIGHT_SHIFT), _mm_setzero_si128 ());
}

/* Each pixel is stored four wide; the next one overwrites the surplus. */
static void
horizontal_3 (const gint16 *row, const ThFilter *filter, gint16 *out)
{
  const __m256i pair_up = _mm256_broadcastsi128_si256 (
      _mm_setr_epi8 (0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, -1, -1, -1, -1));

  for (guint32 x = 0; x < filter->n_out; x++)
    {
      const gint16 *weights = filter->weights + (gsize) x * filter->stride;
      const gint16 *in = row + (gsize) filter->first[x] * 3;
      __m256i sums = _mm256_setzero_si256 ();

      for (guint32 k = 0; k < filter->taps[x]; k += TAPS, in += TAPS * 3)
        {
          const __m256i two = _mm256_castsi128_si256 (load_half (in));
          const __m256i four = _mm256_inserti128_si256 (two, load_half (in + 6), 1);
          const __m256i pairs = _mm256_shuffle_epi8 (four, pair_up);

          sums = _mm256_add_epi32 (sums, _mm256_madd_epi16 (pairs, weight_pairs (weights + k)));
        }
      _mm_storel_epi64 ((__m128i *) (out + (gsize) x * 3), pixel_of (sums));
    }
}

static void
horizontal_4 (const gint16 *row, const ThFilter *filter, gint16 *out)
{
  const __m256i pair_up = _mm256_broadcastsi128_si256 (
      _mm_setr_epi8 (0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));

  for (guint32 x = 0; x < filter->n_out; x++)
    {
      const gint16 *weights = filter->weights + (gsize) x * filter->stride;
      const gint16 *in = row + (gsize) filter->first[x] * 4;
      __m256i sums = _mm256_setzero_si256 ();

      for (guint32 k = 0; k < filter->taps[x]; k += TAPS, in += TAPS * 4)
        {
          const __m256i pairs = _mm256_shuffle_epi8 (load (in), pair_up);

          sums = _mm256_add_epi32 (sums, _mm256_madd_epi16 (pairs, weight_pairs (weights + k)));
        }
      _mm_storel_epi64 ((__m128i *) (out + (gsize) x * 4), pixel_of (sums));
    }
}

static void
horizontal_1 (const gint16 *row, const ThFilter *filter, gint16 *out)
{
  for (guint32 x = 0; x < filter->n_out; x++)
    {
      const gint16 *weights = filter->weights + (gsize) x * filter->stride;
      const gint16 *in = row + filter->first[x];
      __m128i sums = _mm_setzero_si128 ();
      gint32 sum;

      for (guint32 k = 0; k < filter->taps[x]; k += 2 * TAPS)
        sums = _mm_add_epi32 (sums, _mm_madd_epi16 (load_half (in + k), load_half (weights + k)));
      sums = _mm_add_epi32 (sums, _mm_srli_si128 (sums, 8));
      sums = _mm_add_epi32 (sums, _mm_srli_si128 (sums, 4));
      sum = (_mm_cvtsi128_si32 (sums) + HALF) >> TH_WEIGHT_SHIFT;
      out[x] = (gint16) CLAMP (sum, G_MININT16, G_MAXINT16);
    }
}

static void
horizontal (const gint16 *row, const ThFilter *filter, guint channels, gint16 *out)
{
  if (channels == 3)
    horizontal_3 (row, filter, out);
  else if (channels == 4)
    horizontal_4 (row, filter, out);
  else if (channels == 1)
    horizontal_1 (row, filter, out);
  else
    th_plain_horizontal (row, filter, channels, out);
}

const ThKernels th_kernels_avx2 = {
  .name = "avx2",
  .add_u8 = th_plain_add_u8,
  .add_short = th_plain_add_short,
  .add_long = add_long,
  .widen_u8 = th_plain_widen_u8,
  .mean_u16 = mean_u16,
  .mean_u32 = mean_u32,
  .premultiply_u8 = premultiply_u8,
  .vertical = vertical,
  .horizontal = horizontal,
  .narrow_u8 = th_plain_narrow_u8,
};

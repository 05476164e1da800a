/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-kernels.h"

#include <string.h>

/* Columns whose sums stay in registers or in the first cache while the rows pass. */
#define COLUMNS 64u
#define HALF    (TH_WEIGHT_ONE / 2)

static inline gint16
to_sample (gint32 sum)
{
  return (gint16) CLAMP ((sum + HALF) >> TH_WEIGHT_SHIFT, G_MININT16, G_MAXINT16);
}

void
th_plain_add_u8 (const guint8 *restrict row, gsize n, guint16 *restrict sums)
{
  for (gsize i = 0; i < n; i++)
    sums[i] = (guint16) (sums[i] + row[i]);
}

void
th_plain_add_short (const gint16 *restrict row, gsize n, guint16 *restrict sums)
{
  for (gsize i = 0; i < n; i++)
    sums[i] = (guint16) (sums[i] + row[i]);
}

static void
add_long (const gint16 *restrict row, gsize n, guint32 *restrict sums)
{
  for (gsize i = 0; i < n; i++)
    sums[i] += (guint16) row[i];
}

/* Four samples at a time whatever the channels: the surplus ones are overwritten by the next box.
 */
typedef guint16 Words __attribute__ ((vector_size (8)));
typedef gint32 Sums __attribute__ ((vector_size (16)));
typedef float Floats __attribute__ ((vector_size (16)));
typedef gint16 Samples __attribute__ ((vector_size (8)));

static inline void
store_mean (Sums sums, float by, gint16 *out)
{
  const Floats means = __builtin_convertvector(sums, Floats) * by + 0.5f;
  const Samples samples = __builtin_convertvector(__builtin_convertvector(means, Sums), Samples);

  memcpy (out, &samples, sizeof samples);
}

static inline Sums
load_u16 (const guint16 *at)
{
  Words words;

  memcpy (&words, at, sizeof words);
  return __builtin_convertvector(words, Sums);
}

static inline Sums
load_u32 (const guint32 *at)
{
  Sums sums;

  memcpy (&sums, at, sizeof sums);
  return sums;
}

static void
mean_u16 (const guint16 *sums, gsize boxes, guint32 factor, guint channels, float by, gint16 *out)
{
  for (gsize i = 0; i < boxes; i++, out += channels)
    {
      Sums sum = { 0 };

      for (guint32 k = 0; k < factor; k++, sums += channels)
        sum += load_u16 (sums);
      store_mean (sum, by, out);
    }
}

static void
mean_u32 (const guint32 *sums, gsize boxes, guint32 factor, guint channels, float by, gint16 *out)
{
  for (gsize i = 0; i < boxes; i++, out += channels)
    {
      Sums sum = { 0 };

      for (guint32 k = 0; k < factor; k++, sums += channels)
        sum += load_u32 (sums);
      store_mean (sum, by, out);
    }
}

void
th_plain_premultiply_u8 (const guint8 *row, gsize n, gint16 *out)
{
  for (gsize i = 0; i < n; i++, row += 4, out += 4)
    {
      for (guint c = 0; c < 3; c++)
        out[c] = th_premultiplied (row[c], row[3]);
      out[3] = (gint16) (row[3] << TH_SAMPLE_SHIFT);
    }
}

void
th_plain_widen_u8 (const guint8 *restrict row, gsize n, gint16 *restrict out)
{
  for (gsize i = 0; i < n; i++)
    out[i] = (gint16) (row[i] << TH_SAMPLE_SHIFT);
}

/* Two rows at a time, so that the sums are loaded and stored half as often. With SSE2 gcc's code
 * takes 0.11 ns a sample and tap where one row at a time took 0.29, and clang's 0.075 for 0.095. */
G_ALWAYS_INLINE static inline void
vertical_block (const gint16 *const *rows, const gint16 *weights, guint32 n_rows, gsize at, gsize n,
                gint16 *restrict out)
{
  gint32 sums[COLUMNS] = { 0 };

  for (guint32 k = 0; k < n_rows; k += 2)
    {
      const gint16 *restrict a = rows[k] + at;
      const gint16 *restrict b = rows[k + 1] + at;
      const gint16 weight_a = weights[k];
      const gint16 weight_b = weights[k + 1];

      for (gsize i = 0; i < n; i++)
        sums[i] += weight_a * a[i] + weight_b * b[i];
    }
  for (gsize i = 0; i < n; i++)
    out[at + i] = to_sample (sums[i]);
}

static void
vertical (const gint16 *const *rows, const gint16 *weights, guint32 n_rows, gsize n, gint16 *out)
{
  gsize whole = n - n % COLUMNS;

  for (gsize at = 0; at < whole; at += COLUMNS)
    vertical_block (rows, weights, n_rows, at, COLUMNS, out);
  vertical_block (rows, weights, n_rows, whole, n - whole, out);
}

G_ALWAYS_INLINE static inline void
horizontal_n (const gint16 *row, const ThFilter *filter, guint channels, gint16 *restrict out)
{
  for (guint32 x = 0; x < filter->n_out; x++)
    {
      const gint16 *weights = filter->weights + (gsize) x * filter->stride;
      const gint16 *in = row + (gsize) filter->first[x] * channels;
      gint32 sums[5] = { 0 };

      for (guint32 k = 0; k < filter->taps[x]; k++)
        for (guint c = 0; c < channels; c++)
          sums[c] += weights[k] * in[k * channels + c];
      for (guint c = 0; c < channels; c++)
        out[(gsize) x * channels + c] = to_sample (sums[c]);
    }
}

/* Calls with a constant let the compiler unroll the channels. */
void
th_plain_horizontal (const gint16 *row, const ThFilter *filter, guint channels, gint16 *out)
{
  switch (channels)
    {
    case 1:
      horizontal_n (row, filter, 1, out);
      return;
    case 2:
      horizontal_n (row, filter, 2, out);
      return;
    case 3:
      horizontal_n (row, filter, 3, out);
      return;
    case 4:
      horizontal_n (row, filter, 4, out);
      return;
    default:
      horizontal_n (row, filter, 5, out);
    }
}

void
th_plain_narrow_u8 (const gint16 *restrict row, gsize n, guint8 *restrict out)
{
  for (gsize i = 0; i < n; i++)
    out[i] = (guint8) ((CLAMP (row[i], 0, TH_SAMPLE_ONE) + (1 << (TH_SAMPLE_SHIFT - 1)))
                       >> TH_SAMPLE_SHIFT);
}

const ThKernels th_kernels_plain = {
  .name = "plain",
  .add_u8 = th_plain_add_u8,
  .add_short = th_plain_add_short,
  .add_long = add_long,
  .widen_u8 = th_plain_widen_u8,
  .mean_u16 = mean_u16,
  .mean_u32 = mean_u32,
  .premultiply_u8 = th_plain_premultiply_u8,
  .vertical = vertical,
  .horizontal = th_plain_horizontal,
  .narrow_u8 = th_plain_narrow_u8,
};

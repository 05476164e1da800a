/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-kernels.h"

/* Columns whose sums stay in registers or in the first cache while the rows pass. */
#define COLUMNS 64u
#define HALF    (TH_WEIGHT_ONE / 2)

static inline gint16
to_sample (gint32 sum)
{
  return (gint16) CLAMP ((sum + HALF) >> TH_WEIGHT_SHIFT, G_MININT16, G_MAXINT16);
}

static void
add_u8 (const guint8 *restrict row, gsize n, guint16 *restrict sums)
{
  for (gsize i = 0; i < n; i++)
    sums[i] = (guint16) (sums[i] + row[i]);
}

static void
add_s16 (const gint16 *restrict row, gsize n, guint32 *restrict sums)
{
  for (gsize i = 0; i < n; i++)
    sums[i] += (guint32) row[i];
}

static void
widen_u8 (const guint8 *restrict row, gsize n, gint16 *restrict out)
{
  for (gsize i = 0; i < n; i++)
    out[i] = (gint16) (row[i] << TH_SAMPLE_SHIFT);
}

static inline void
vertical_block (const gint16 *const *rows, const gint16 *weights, guint32 n_rows, gsize at, gsize n,
                gint16 *restrict out)
{
  gint32 sums[COLUMNS] = { 0 };

  for (guint32 k = 0; k < n_rows; k++)
    for (gsize i = 0; i < n; i++)
      sums[i] += weights[k] * rows[k][at + i];
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

static inline void
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
static void
horizontal (const gint16 *row, const ThFilter *filter, guint channels, gint16 *out)
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

static void
narrow_u8 (const gint16 *restrict row, gsize n, guint8 *restrict out)
{
  for (gsize i = 0; i < n; i++)
    out[i] = (guint8) ((CLAMP (row[i], 0, TH_SAMPLE_ONE) + (1 << (TH_SAMPLE_SHIFT - 1)))
                       >> TH_SAMPLE_SHIFT);
}

const ThKernels th_kernels_plain = {
  .name = "plain",
  .add_u8 = add_u8,
  .add_s16 = add_s16,
  .widen_u8 = widen_u8,
  .vertical = vertical,
  .horizontal = horizontal,
  .narrow_u8 = narrow_u8,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-box.h"

#include <string.h>

/* Pixels whose column sums fit 32 bits when added up: 65536 × 256 rows × 255 and
 * 2048 × 128 rows × TH_SAMPLE_ONE. */
#define REACH_BYTES   65536u
#define REACH_SAMPLES 2048u

static gsize
column_bytes (const ThBox *box)
{
  return box->bytes ? sizeof (guint16) : sizeof (guint32);
}

static gsize
n_columns (const ThBox *box)
{
  return (gsize) box->x.pixels * box->channels;
}

void
th_box_init (ThBox *box, ThArena *arena, const ThKernels *kernels, ThAxis x, ThAxis y,
             guint32 factor_x, guint32 factor_y, guint channels, gboolean bytes)
{
  guint32 out = th_axis_boxed (x, factor_x).pixels;

  *box = (ThBox){ .kernels = kernels,
                  .x = x,
                  .y = y,
                  .factor_x = factor_x,
                  .factor_y = factor_y,
                  .channels = channels,
                  .bytes = bytes };
  box->columns = th_arena_take (arena, (guint64) x.pixels * channels, column_bytes (box));
  box->sums = th_arena_take (arena, (guint64) out * channels, sizeof *box->sums);
  if (arena->base == NULL)
    return;
  memset (box->columns, 0, n_columns (box) * column_bytes (box));
  memset (box->sums, 0, (gsize) out * channels * sizeof *box->sums);
}

static inline guint32
column (const void *columns, gboolean bytes, gsize i)
{
  return bytes ? ((const guint16 *) columns)[i] : ((const guint32 *) columns)[i];
}

/* Adds n pixels from the first on to the sums of one box. */
static inline void
add_pixels (const void *columns, gboolean bytes, guint channels, gsize first, gsize n,
            double weight, double *sums)
{
  const gsize reach = bytes ? REACH_BYTES : REACH_SAMPLES;

  for (gsize done = 0; done < n; done += MIN (n - done, reach))
    for (guint c = 0; c < channels; c++)
      {
        const gsize end = first + done + MIN (n - done, reach);
        guint32 sum = 0;

        for (gsize i = first + done; i < end; i++)
          sum += column (columns, bytes, i * channels + c);
        sums[c] += weight * sum;
      }
}

static inline void
add_boxes (ThBox *box, gboolean bytes, guint channels, double weight)
{
  const gsize whole = box->x.pixels - 1;
  const gsize last = whole / box->factor_x * box->factor_x;
  double *sums = box->sums;

  for (gsize at = 0; at < last; at += box->factor_x, sums += channels)
    add_pixels (box->columns, bytes, channels, at, box->factor_x, weight, sums);
  add_pixels (box->columns, bytes, channels, last, whole - last, weight, sums);
  add_pixels (box->columns, bytes, channels, whole, 1, weight * th_axis_last_share (box->x), sums);
}

/* From the columns to the boxes; calls with constants let the compiler unroll. */
static void
flush (ThBox *box, double weight)
{
  if (box->bytes && box->channels == 3)
    add_boxes (box, TRUE, 3, weight);
  else if (box->bytes && box->channels == 1)
    add_boxes (box, TRUE, 1, weight);
  else if (box->bytes)
    add_boxes (box, TRUE, box->channels, weight);
  else if (box->channels == 3)
    add_boxes (box, FALSE, 3, weight);
  else if (box->channels == 4)
    add_boxes (box, FALSE, 4, weight);
  else
    add_boxes (box, FALSE, box->channels, weight);
  box->weight += weight * box->held;
  box->held = 0;
  memset (box->columns, 0, n_columns (box) * column_bytes (box));
}

/* Mean of each box; rounding keeps a flat colour what it is. */
static void
emit (ThBox *box, gint16 *out)
{
  const double unit = box->bytes ? 1 << TH_SAMPLE_SHIFT : 1.0;
  const double rest = th_axis_last_share (box->x) + (box->x.pixels - 1) % box->factor_x;
  const gsize n = (gsize) th_axis_boxed (box->x, box->factor_x).pixels * box->channels;
  double by = unit / (box->weight * box->factor_x);

  for (gsize i = 0; i < n; i++)
    {
      if (i == n - box->channels)
        by = unit / (box->weight * rest);
      out[i] = (gint16) (box->sums[i] * by + 0.5);
    }
  memset (box->sums, 0, n * sizeof *box->sums);
  box->weight = 0.0;
}

static void
add_row (ThBox *box, const void *row)
{
  if (box->bytes)
    box->kernels->add_u8 (row, n_columns (box), box->columns);
  else
    box->kernels->add_s16 (row, n_columns (box), box->columns);
  box->held++;
}

gboolean
th_box_push (ThBox *box, const void *row, gint16 *out)
{
  const guint32 most = box->bytes ? TH_ADD_U8_ROWS : TH_ADD_S16_ROWS;
  const gboolean last = ++box->taken == box->y.pixels;
  const gboolean complete = last || box->taken % box->factor_y == 0;

  if (last && box->held > 0)
    flush (box, 1.0);
  add_row (box, row);
  if (complete || box->held == most)
    flush (box, last ? th_axis_last_share (box->y) : 1.0);
  if (complete)
    emit (box, out);
  return complete;
}

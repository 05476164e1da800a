/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-box.h"

#include <string.h>

/* Columns whose sums fit 32 bits when added up: 65536 × 256 rows × 255, the same × 4 rows ×
 * TH_SAMPLE_ONE, and 2048 × 128 rows × TH_SAMPLE_ONE. */
#define REACH_NARROW 65536u
#define REACH_WIDE   2048u

static gsize
column_bytes (const ThBox *box)
{
  return box->narrow ? sizeof (guint16) : sizeof (guint32);
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
                  .bytes = bytes,
                  .narrow = bytes || factor_y <= TH_ADD_SHORT_ROWS };
  box->columns = th_arena_take (arena, (guint64) x.pixels * channels, column_bytes (box));
  box->sums = th_arena_take (arena, (guint64) out * channels, sizeof *box->sums);
  if (arena->base == NULL)
    return;
  memset (box->columns, 0, n_columns (box) * column_bytes (box));
  memset (box->sums, 0, (gsize) out * channels * sizeof *box->sums);
}

/* Working samples for a sum of 1. */
static double
unit_of (const ThBox *box)
{
  return box->bytes ? 1 << TH_SAMPLE_SHIFT : 1.0;
}

static void
forget_columns (ThBox *box)
{
  box->held = 0;
  memset (box->columns, 0, n_columns (box) * column_bytes (box));
}

static inline guint32
column (const void *columns, gboolean narrow, gsize i)
{
  return narrow ? ((const guint16 *) columns)[i] : ((const guint32 *) columns)[i];
}

/* Adds n pixels from the first on to the sums of one box. */
static inline void
add_pixels (const void *columns, gboolean narrow, guint channels, gsize first, gsize n,
            double weight, double *sums)
{
  const gsize reach = narrow ? REACH_NARROW : REACH_WIDE;

  for (gsize done = 0; done < n; done += MIN (n - done, reach))
    for (guint c = 0; c < channels; c++)
      {
        const gsize end = first + done + MIN (n - done, reach);
        guint32 sum = 0;

        for (gsize i = first + done; i < end; i++)
          sum += column (columns, narrow, i * channels + c);
        sums[c] += weight * sum;
      }
}

/* From the columns to the sums. */
static void
flush (ThBox *box, double weight)
{
  const guint channels = box->channels;
  const gsize whole = box->x.pixels - 1;
  const gsize last = whole / box->factor_x * box->factor_x;
  double *sums = box->sums;

  for (gsize at = 0; at < last; at += box->factor_x, sums += channels)
    add_pixels (box->columns, box->narrow, channels, at, box->factor_x, weight, sums);
  add_pixels (box->columns, box->narrow, channels, last, whole - last, weight, sums);
  add_pixels (box->columns, box->narrow, channels, whole, 1, weight * th_axis_last_share (box->x),
              sums);
  box->weight += weight * box->held;
  forget_columns (box);
}

/* Pixels of the last box, by what they count. */
static double
last_width (const ThBox *box)
{
  return th_axis_last_share (box->x) + (box->x.pixels - 1) % box->factor_x;
}

/* Means from the sums; rounding keeps a flat colour what it is. */
static void
emit (ThBox *box, gint16 *out)
{
  const gsize n = (gsize) th_axis_boxed (box->x, box->factor_x).pixels * box->channels;
  double by = unit_of (box) / (box->weight * box->factor_x);

  for (gsize i = 0; i < n; i++)
    {
      if (i == n - box->channels)
        by = unit_of (box) / (box->weight * last_width (box));
      out[i] = (gint16) (box->sums[i] * by + 0.5);
    }
  memset (box->sums, 0, n * sizeof *box->sums);
  box->weight = 0.0;
}

/* Means straight from the columns, for whole boxes by vectors; the last one may be short. */
static void
emit_directly (ThBox *box, gint16 *out)
{
  const guint channels = box->channels;
  const gsize whole = box->x.pixels - 1;
  const gsize boxes = whole / box->factor_x;
  const gsize last = boxes * box->factor_x;
  const double rows = unit_of (box) / box->held;
  const float by = (float) (rows / box->factor_x);
  double sums[5] = { 0.0 };

  if (box->narrow)
    box->kernels->mean_u16 (box->columns, boxes, box->factor_x, channels, by, out);
  else
    box->kernels->mean_u32 (box->columns, boxes, box->factor_x, channels, by, out);
  add_pixels (box->columns, box->narrow, channels, last, whole - last, 1.0, sums);
  add_pixels (box->columns, box->narrow, channels, whole, 1, th_axis_last_share (box->x), sums);
  for (guint c = 0; c < channels; c++)
    out[boxes * channels + c] = (gint16) (sums[c] * rows / last_width (box) + 0.5);
  forget_columns (box);
}

static void
add_row (ThBox *box, const void *row)
{
  if (box->bytes)
    box->kernels->add_u8 (row, n_columns (box), box->columns);
  else if (box->narrow)
    box->kernels->add_short (row, n_columns (box), box->columns);
  else
    box->kernels->add_long (row, n_columns (box), box->columns);
  box->held++;
}

/* Whether a complete row of boxes lies in the columns wholly and alone, and is within the reach of
 * the vectors. */
static gboolean
is_simple (const ThBox *box)
{
  const guint32 reach = (box->narrow ? REACH_NARROW : REACH_WIDE) / 2;

  return box->weight == 0.0 && box->channels <= 4 && box->factor_x <= reach;
}

gboolean
th_box_push (ThBox *box, const void *row, gint16 *out)
{
  const guint32 most = box->bytes ? TH_ADD_U8_ROWS : TH_ADD_LONG_ROWS;
  const gboolean last = ++box->taken == box->y.pixels;
  const gboolean complete = last || box->taken % box->factor_y == 0;
  const double share = last ? th_axis_last_share (box->y) : 1.0;

  if (share < 1.0 && box->held > 0)
    flush (box, 1.0);
  add_row (box, row);
  if (complete && is_simple (box))
    {
      emit_directly (box, out);
      return TRUE;
    }
  if (complete || box->held == most)
    flush (box, share);
  if (complete)
    emit (box, out);
  return complete;
}

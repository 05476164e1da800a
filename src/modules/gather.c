/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/gather.h"

#include <string.h>

#include "core/th-rows.h"

/* For side 1 the pixels as they came, and how many of each row; else sums, and how many pixels in
 * each box. */
struct _ThGather
{
  ThRaster raster;
  ThSize full;
  guint side;
  gboolean weighted; /* colours count as much as their alpha */
  guint channels;
  gsize row_bytes;
  guint8 *pixels;
  guint32 *sums;
  guint32 *counts;
  guint8 *row;
};

guint
th_gather_side (ThSize full, ThSize target)
{
  const guint64 across = (guint64) full.width * 2 / (3 * (guint64) MAX (target.width, 1));
  const guint64 down = (guint64) full.height * 2 / (3 * (guint64) MAX (target.height, 1));

  return (guint) CLAMP (MIN (across, down), 1, TH_GATHER_SIDE_MAX);
}

static guint32
part (guint32 full, guint side)
{
  return (full - 1) / side + 1;
}

ThRaster
th_gather_raster (ThSize full, guint side, ThColorModel color, ThAlpha alpha, guint bits)
{
  return (ThRaster){
    .width = part (full.width, side),
    .height = part (full.height, side),
    .exact_width = (double) full.width / side,
    .exact_height = (double) full.height / side,
    .color = color,
    .alpha = alpha == TH_ALPHA_STRAIGHT && side > 1 ? TH_ALPHA_PREMULTIPLIED : alpha,
    .bits = (guint8) bits,
  };
}

guint64
th_gather_bytes (const ThRaster *raster, guint side)
{
  const guint64 boxes = (guint64) raster->width * raster->height;
  const guint64 row = th_raster_row_bytes (raster);

  if (side == 1)
    return row * raster->height + row + 4 * (guint64) raster->height + sizeof (ThGather);
  return boxes * 4 * (th_raster_channels (raster) + 1) + row + sizeof (ThGather);
}

ThGather *
th_gather_new (const ThRaster *raster, guint side, ThAlpha alpha)
{
  g_autoptr (ThGather) gather = g_new0 (ThGather, 1);
  const gsize boxes = (gsize) raster->width * raster->height;

  gather->raster = *raster;
  gather->side = side;
  gather->weighted = alpha == TH_ALPHA_STRAIGHT && side > 1;
  gather->channels = th_raster_channels (raster);
  gather->row_bytes = th_raster_row_bytes (raster);
  /* Exact to the pixel: the raster's fraction is of this very side. */
  gather->full = (ThSize){ (guint32) (raster->exact_width * side + 0.5),
                           (guint32) (raster->exact_height * side + 0.5) };
  gather->row = g_try_malloc (gather->row_bytes);
  gather->counts = g_try_new0 (guint32, side == 1 ? raster->height : boxes);
  if (side == 1)
    gather->pixels = g_try_malloc_n (raster->height, gather->row_bytes);
  else
    gather->sums = g_try_malloc0_n (boxes, (gsize) gather->channels * sizeof (guint32));
  if (gather->row == NULL || gather->counts == NULL
      || (gather->pixels == NULL && gather->sums == NULL))
    return NULL;
  return g_steal_pointer (&gather);
}

void
th_gather_free (ThGather *gather)
{
  g_free (gather->pixels);
  g_free (gather->sums);
  g_free (gather->counts);
  g_free (gather->row);
  g_free (gather);
}

static void
add_8 (const ThGather *gather, guint32 *sum, const guint8 *pixel)
{
  const guint last = gather->channels - 1;

  if (!gather->weighted)
    for (guint c = 0; c <= last; c++)
      sum[c] += pixel[c];
  else
    {
      for (guint c = 0; c < last; c++)
        sum[c] += (pixel[c] * pixel[last] + 127u) / 255u;
      sum[last] += pixel[last];
    }
}

static void
add_16 (const ThGather *gather, guint32 *sum, const guint16 *pixel)
{
  const guint last = gather->channels - 1;

  if (!gather->weighted)
    for (guint c = 0; c <= last; c++)
      sum[c] += pixel[c];
  else
    {
      for (guint c = 0; c < last; c++)
        sum[c] += (pixel[c] * (guint32) pixel[last] + 32767u) / 65535u;
      sum[last] += pixel[last];
    }
}

static void
add_run (ThGather *gather, gsize x, gsize y, gsize n, const guint8 *pixels)
{
  const gsize first = (y / gather->side) * gather->raster.width;
  const gsize pixel_bytes = gather->channels * (gather->raster.bits / 8u);

  while (n > 0)
    {
      const gsize box = first + x / gather->side;
      const gsize run = MIN (gather->side - x % gather->side, n);
      guint32 *sum = gather->sums + box * gather->channels;

      for (gsize i = 0; i < run; i++, pixels += pixel_bytes)
        if (gather->raster.bits == 8)
          add_8 (gather, sum, pixels);
        else
          add_16 (gather, sum, (const guint16 *) (const void *) pixels);
      gather->counts[box] += (guint32) run;
      x += run;
      n -= run;
    }
}

/* As missing until it comes. */
static void
keep_run (ThGather *gather, gsize x, gsize y, gsize n, const guint8 *pixels)
{
  const gsize pixel_bytes = gather->channels * (gather->raster.bits / 8u);
  guint8 *row = gather->pixels + y * gather->row_bytes;

  if (gather->counts[y] == 0)
    th_rows_missing (&gather->raster, row);
  memcpy (row + x * pixel_bytes, pixels, n * pixel_bytes);
  gather->counts[y] += (guint32) n;
}

void
th_gather_take (ThGather *gather, gsize x, gsize y, gsize n, const void *pixels)
{
  if (y >= gather->full.height || x >= gather->full.width)
    return;
  n = MIN (n, gather->full.width - x);
  if (gather->side == 1)
    keep_run (gather, x, y, n, pixels);
  else
    add_run (gather, x, y, n, pixels);
}

static void
put_sample (const ThGather *gather, gsize index, guint32 value)
{
  if (gather->raster.bits == 8)
    gather->row[index] = (guint8) value;
  else
    ((guint16 *) (void *) gather->row)[index] = (guint16) value;
}

/* TRUE where no box of the row is empty; any: where one is not. */
static gboolean
average_row (const ThGather *gather, gsize y, gboolean *any)
{
  const guint32 width = gather->raster.width;
  gboolean all = TRUE;

  th_rows_missing (&gather->raster, gather->row);
  for (gsize x = 0; x < width; x++)
    {
      const guint32 count = gather->counts[y * width + x];
      const guint32 *sum = gather->sums + (y * width + x) * gather->channels;

      all = all && count > 0;
      *any = *any || count > 0;
      for (guint c = 0; c < gather->channels && count > 0; c++)
        put_sample (gather, x * gather->channels + c,
                    (guint32) (((guint64) sum[c] + count / 2) / count));
    }
  return all;
}

/* The row in *row; TRUE where all of it came, any: where some did. */
static gboolean
finish_row (const ThGather *gather, gsize y, const guint8 **row, gboolean *any)
{
  *any = FALSE;
  if (gather->side > 1)
    {
      *row = gather->row;
      return average_row (gather, y, any);
    }
  *any = gather->counts[y] > 0;
  *row = gather->pixels + y * gather->row_bytes;
  if (!*any)
    th_rows_missing (&gather->raster, gather->pixels + y * gather->row_bytes);
  return gather->counts[y] >= gather->full.width;
}

/* Rows up to the last of which something came. */
static guint32
rows_to_push (const ThGather *gather)
{
  const gsize step = gather->side == 1 ? 1 : gather->raster.width;
  gsize i = step * gather->raster.height;

  while (i > 0 && gather->counts[i - 1] == 0)
    i--;
  return (guint32) ((i + step - 1) / step);
}

ThStatus
th_gather_push (ThGather *gather, ThSink *sink)
{
  const guint32 rows = rows_to_push (gather);
  gboolean all = rows == gather->raster.height;

  if (rows == 0)
    return TH_STATUS_CORRUPT;
  for (guint32 y = 0; y < rows; y++)
    {
      const guint8 *row;
      gboolean any;

      all = finish_row (gather, y, &row, &any) && all;
      if (!sink->rows (sink, row, gather->row_bytes, 1))
        return TH_STATUS_STOPPED;
    }
  return all ? TH_STATUS_OK : TH_STATUS_PARTIAL;
}

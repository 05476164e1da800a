/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/png-adam7.h"

#include <string.h>

#define N_KEPT 6

/* First pixel, steps, and the block that a pixel stands for until finer passes come. */
typedef struct
{
  guint8 x, y;
  guint8 step_x, step_y;
  guint8 block_x, block_y;
} Pass;

static const Pass passes[N_KEPT] = {
  { 0, 0, 8, 8, 8, 8 }, { 4, 0, 8, 8, 4, 8 }, { 0, 4, 4, 8, 4, 4 },
  { 2, 0, 4, 4, 2, 4 }, { 0, 2, 2, 4, 2, 2 }, { 1, 0, 2, 2, 1, 2 },
};

struct _ThPngAdam7
{
  const ThPngHead *head;
  const ThPngExpand *expand;
  guint8 *pixels[N_KEPT]; /* rows of a pass, as stored; NULL where it has none */
  guint32 rows[N_KEPT];   /* that came */
  guint8 *expanded;       /* one row of a pass */
};

static ThSize
pass_size (const Pass *pass, ThSize full)
{
  return (ThSize){
    full.width > pass->x ? (full.width - pass->x - 1) / pass->step_x + 1 : 0,
    full.height > pass->y ? (full.height - pass->y - 1) / pass->step_y + 1 : 0,
  };
}

static guint64
pass_bytes (const ThPngHead *head, guint i)
{
  ThSize size = pass_size (&passes[i], head->size);

  return (guint64) th_png_head_row_bytes (head, size.width) * size.height;
}

guint64
th_png_adam7_bytes (const ThPngHead *head)
{
  guint64 bytes = sizeof (ThPngAdam7) + (guint64) head->size.width * 8;

  for (guint i = 0; i < N_KEPT; i++)
    bytes += pass_bytes (head, i);
  return bytes;
}

ThPngAdam7 *
th_png_adam7_new (const ThPngHead *head, const ThPngExpand *expand)
{
  g_autoptr (ThPngAdam7) adam7 = g_new0 (ThPngAdam7, 1);

  adam7->head = head;
  adam7->expand = expand;
  /* The widest pass that is kept takes every second pixel. */
  adam7->expanded = g_try_malloc_n (head->size.width / 2 + 1, expand->pixel_bytes);
  if (adam7->expanded == NULL)
    return NULL;
  for (guint i = 0; i < N_KEPT; i++)
    {
      guint64 bytes = pass_bytes (head, i);

      adam7->pixels[i] = bytes > 0 ? g_try_malloc (bytes) : NULL;
      if (bytes > 0 && adam7->pixels[i] == NULL)
        return NULL;
    }
  return g_steal_pointer (&adam7);
}

void
th_png_adam7_free (ThPngAdam7 *adam7)
{
  for (guint i = 0; i < N_KEPT; i++)
    g_free (adam7->pixels[i]);
  g_free (adam7->expanded);
  g_free (adam7);
}

static gboolean
load_pass (ThPngAdam7 *adam7, guint i, ThPngRows *rows)
{
  ThSize size = pass_size (&passes[i], adam7->head->size);
  gsize stride = th_png_head_row_bytes (adam7->head, size.width);

  if (adam7->pixels[i] == NULL)
    return TRUE;
  for (; adam7->rows[i] < size.height; adam7->rows[i]++)
    {
      const guint8 *row = th_png_rows_next (rows);

      if (row == NULL)
        return FALSE;
      memcpy (adam7->pixels[i] + adam7->rows[i] * stride, row, stride);
    }
  return TRUE;
}

gboolean
th_png_adam7_load (ThPngAdam7 *adam7, ThPngRows *rows)
{
  for (guint i = 0; i < N_KEPT; i++)
    if (!load_pass (adam7, i, rows))
      return FALSE;
  return TRUE;
}

/* Spreads the pixels of one row of a pass over the blocks that they stand for. */
static void
spread (const ThPngAdam7 *adam7, const Pass *pass, guint32 n, guint8 *out)
{
  guint pixel_bytes = adam7->expand->pixel_bytes;
  guint32 width = adam7->head->size.width;

  for (guint32 i = 0; i < n; i++)
    {
      const guint8 *pixel = adam7->expanded + (gsize) i * pixel_bytes;
      guint32 x = pass->x + i * pass->step_x;
      guint32 end = MIN (x + pass->block_x, width);

      for (; x < end; x++)
        memcpy (out + (gsize) x * pixel_bytes, pixel, pixel_bytes);
    }
}

gboolean
th_png_adam7_row (const ThPngAdam7 *adam7, guint32 y, guint8 *out)
{
  gboolean any = FALSE;

  for (guint i = 0; i < N_KEPT; i++)
    {
      const Pass *pass = &passes[i];
      ThSize size = pass_size (pass, adam7->head->size);
      gsize stride = th_png_head_row_bytes (adam7->head, size.width);
      guint32 row = y >= pass->y ? (y - pass->y) / pass->step_y : 0;

      if (y < pass->y || (y - pass->y) % pass->step_y >= pass->block_y || row >= adam7->rows[i])
        continue;
      th_png_expand_row (adam7->expand, adam7->pixels[i] + row * stride, size.width,
                         adam7->expanded);
      spread (adam7, pass, size.width, out);
      any = TRUE;
    }
  return any;
}

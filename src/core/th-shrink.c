/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-shrink.h"

#include <string.h>

#include "core/th-arena.h"
#include "core/th-box.h"
#include "core/th-lanczos.h"
#include "core/th-rows.h"

/* The intermediate is at least this many times the target in each direction. */
#define HEADROOM 2.0

/* One size: boxes over the rows of the level above, then Lanczos. */
typedef struct
{
  ThSize size;
  ThAxis x, y; /* the intermediate */
  gboolean boxed;
  ThBox box;
  ThLanczos lanczos;
  guint8 *row; /* finished */
} Level;

struct _ThShrink
{
  ThSink sink; /* first, so that the sink is the shrinker */
  ThRaster raster;
  const ThKernels *kernels;
  void *memory;
  guint32 seen;
  gboolean deep; /* what is handed over */
  guint8 *blank; /* a row as the decoder pushes it */
  gint16 *wide;  /* the raster's row in working samples, where boxes need it so; else NULL */
  ThShrinkReady ready;
  gpointer data;
  guint n_targets;
  guint n_levels;
  guint level_of[TH_SHRINK_MAX_TARGETS]; /* equal targets share a level */
  Level levels[TH_SHRINK_MAX_TARGETS];
};

static guint32
factor_for (ThAxis axis, guint32 target)
{
  const double factor = axis.exact / (HEADROOM * target);

  return (guint32) MAX (factor, 1.0);
}

/* Rows that boxes can take as they are, without a pass to working samples. */
static gboolean
takes_bytes (const ThRaster *raster)
{
  return raster->bits == 8 && raster->alpha != TH_ALPHA_STRAIGHT;
}

static void
init_level (ThShrink *shrink, Level *level, ThArena *arena, ThAxis x, ThAxis y, ThSize size,
            gboolean bytes)
{
  const guint channels = th_raster_channels (&shrink->raster);
  const guint32 factor_x = factor_for (x, size.width);
  const guint32 factor_y = factor_for (y, size.height);

  level->size = size;
  level->x = th_axis_boxed (x, factor_x);
  level->y = th_axis_boxed (y, factor_y);
  level->boxed = factor_x > 1 || factor_y > 1;
  if (level->boxed)
    th_box_init (&level->box, arena, shrink->kernels, x, y, factor_x, factor_y, channels, bytes);
  th_lanczos_init (&level->lanczos, arena, shrink->kernels, level->x, level->y, size, channels);
  level->row = th_arena_take (arena, size.width, channels * 2u);
}

/* Everything between the rows and the results; runs once to measure and once for real. */
static void
init (ThShrink *shrink, ThArena *arena, const ThRaster *raster, const ThSize *targets, guint n)
{
  ThAxis x = { raster->width, raster->exact_width };
  ThAxis y = { raster->height, raster->exact_height };
  gboolean bytes = takes_bytes (raster);

  shrink->raster = *raster;
  shrink->kernels = th_kernels_best ();
  shrink->n_levels = 0;
  shrink->blank = th_arena_take (arena, raster->width, th_raster_channels (raster) * 2u);
  for (guint i = 0; i < n; i++)
    {
      Level *level = &shrink->levels[shrink->n_levels];

      if (i == 0 || targets[i].width != targets[i - 1].width
          || targets[i].height != targets[i - 1].height)
        {
          init_level (shrink, level, arena, x, y, targets[i], bytes);
          x = level->x;
          y = level->y;
          bytes = FALSE;
          shrink->n_levels++;
        }
      shrink->level_of[i] = shrink->n_levels - 1;
    }
  if (shrink->levels[0].boxed && !takes_bytes (raster))
    shrink->wide = th_arena_take (arena, raster->width, th_raster_channels (raster) * 2u);
}

static guint64
measure (const ThRaster *raster, const ThSize *targets, guint n_targets)
{
  ThShrink shrink = { 0 };
  ThArena arena = { 0 };

  init (&shrink, &arena, raster, targets, n_targets);
  /* The start is aligned by hand. */
  return arena.used <= G_MAXUINT64 - TH_ARENA_ALIGN ? arena.used + TH_ARENA_ALIGN : G_MAXUINT64;
}

guint64
th_shrink_bytes (const ThRaster *raster, const ThSize *targets, guint n_targets)
{
  const guint64 bytes = measure (raster, targets, n_targets);

  return bytes <= G_MAXUINT64 - sizeof (ThShrink) ? bytes + sizeof (ThShrink) : G_MAXUINT64;
}

/* The row in the working samples of the level, ready for its Lanczos: TRUE where slot was filled.
 */
static gboolean
fill (ThShrink *shrink, guint i, const void *row, gint16 *slot)
{
  Level *level = &shrink->levels[i];

  if (level->boxed && i == 0 && shrink->wide != NULL)
    {
      th_rows_read (shrink->kernels, &shrink->raster, row, shrink->wide);
      return th_box_push (&level->box, shrink->wide, slot);
    }
  if (level->boxed)
    return th_box_push (&level->box, row, slot);
  if (i == 0)
    th_rows_read (shrink->kernels, &shrink->raster, row, slot);
  else
    memcpy (slot, row, (gsize) level->x.pixels * level->lanczos.channels * sizeof *slot);
  return TRUE;
}

static void
hand_over (const ThShrink *shrink, guint level, guint32 y)
{
  for (guint i = 0; i < shrink->n_targets; i++)
    if (shrink->level_of[i] == level)
      shrink->ready (i, y, shrink->levels[level].row, shrink->data);
}

static void
drain (ThShrink *shrink, guint i)
{
  Level *level = &shrink->levels[i];
  gint16 *row;

  while ((row = th_lanczos_next (&level->lanczos)) != NULL)
    {
      th_rows_write (shrink->kernels, level->lanczos.channels,
                     shrink->raster.alpha != TH_ALPHA_NONE, shrink->deep, level->size.width, row,
                     level->row);
      hand_over (shrink, i, level->lanczos.given - 1);
    }
}

static void
take_row (ThShrink *shrink, const void *row)
{
  for (guint i = 0; i < shrink->n_levels; i++)
    {
      Level *level = &shrink->levels[i];
      gint16 *slot = th_lanczos_slot (&level->lanczos);

      if (!fill (shrink, i, row, slot))
        return;
      th_lanczos_advance (&level->lanczos);
      drain (shrink, i);
      row = slot;
    }
}

static gboolean
take_rows (ThSink *sink, const void *rows, gsize stride, guint32 n)
{
  ThShrink *shrink = (ThShrink *) sink;
  const guint8 *row = rows;
  const guint32 wanted = MIN (n, shrink->raster.height - shrink->seen);

  for (guint32 i = 0; i < wanted; i++, row += stride)
    take_row (shrink, row);
  shrink->seen += wanted;
  return wanted == n;
}

ThShrink *
th_shrink_new (const ThRaster *raster, const ThSize *targets, guint n_targets, ThShrinkReady ready,
               gpointer data)
{
  g_autoptr (ThShrink) shrink = NULL;
  ThArena arena = { 0 };
  guint64 bytes;

  g_return_val_if_fail (n_targets >= 1 && n_targets <= TH_SHRINK_MAX_TARGETS, NULL);
  bytes = measure (raster, targets, n_targets);
  if (bytes > G_MAXSSIZE)
    return NULL;
  shrink = g_try_new0 (ThShrink, 1);
  if (shrink == NULL)
    return NULL;
  shrink->memory = g_try_malloc ((gsize) bytes);
  if (shrink->memory == NULL)
    return NULL;
  arena.base = shrink->memory;
  arena.base += TH_ARENA_ALIGN - (guintptr) arena.base % TH_ARENA_ALIGN;
  init (shrink, &arena, raster, targets, n_targets);
  g_assert (arena.used <= bytes - TH_ARENA_ALIGN);
  shrink->sink.rows = take_rows;
  shrink->ready = ready;
  shrink->data = data;
  shrink->n_targets = n_targets;
  return g_steal_pointer (&shrink);
}

void
th_shrink_free (ThShrink *shrink)
{
  g_free (shrink->memory);
  g_free (shrink);
}

void
th_shrink_keep_depth (ThShrink *shrink)
{
  shrink->deep = TRUE;
}

ThSink *
th_shrink_sink (ThShrink *shrink)
{
  return &shrink->sink;
}

guint32
th_shrink_rows_seen (const ThShrink *shrink)
{
  return shrink->seen;
}

void
th_shrink_finish (ThShrink *shrink)
{
  th_rows_missing (&shrink->raster, shrink->blank);
  for (guint32 y = shrink->seen; y < shrink->raster.height; y++)
    take_row (shrink, shrink->blank);
}

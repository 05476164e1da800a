/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-lanczos.h"

#include "core/th-filter.h"

/* In samples. */
#define SLACK (TH_ARENA_ALIGN / sizeof (gint16))

void
th_lanczos_init (ThLanczos *lanczos, ThArena *arena, const ThKernels *kernels, ThAxis x, ThAxis y,
                 ThSize size, guint channels)
{
  const guint64 wide = (guint64) x.pixels * channels;

  *lanczos = (ThLanczos){ .kernels = kernels, .x = x, .y = y, .size = size, .channels = channels };
  th_filter_init (&lanczos->across, arena, x, size.width);
  th_filter_init (&lanczos->down, arena, y, size.height);
  lanczos->ring_rows = lanczos->down.stride;
  /* Kernels may write so much past the end of a row: not into the one that comes next. */
  lanczos->ring_stride = (gsize) (wide + 2 * SLACK - wide % SLACK);
  lanczos->ring =
      th_arena_take (arena, lanczos->ring_rows, lanczos->ring_stride * sizeof *lanczos->ring);
  /* One more, so that an odd row can have a partner. */
  lanczos->taps = th_arena_take (arena, lanczos->down.stride, sizeof *lanczos->taps);
  lanczos->narrow = th_arena_take (arena, wide, sizeof *lanczos->narrow);
  lanczos->row = th_arena_take (arena, (guint64) size.width * channels, sizeof *lanczos->row);
}

static gint16 *
ring_row (const ThLanczos *lanczos, guint32 y)
{
  return lanczos->ring + (gsize) (y % lanczos->ring_rows) * lanczos->ring_stride;
}

gint16 *
th_lanczos_slot (ThLanczos *lanczos)
{
  return ring_row (lanczos, lanczos->taken);
}

void
th_lanczos_advance (ThLanczos *lanczos)
{
  lanczos->taken++;
}

gint16 *
th_lanczos_next (ThLanczos *lanczos)
{
  const ThFilter *down = &lanczos->down;
  const guint32 y = lanczos->given;
  guint32 first, n;

  if (y == lanczos->size.height)
    return NULL;
  first = down->first[y];
  n = down->taps[y];
  if (first + n > lanczos->taken)
    return NULL;
  for (guint32 k = 0; k < n; k++)
    lanczos->taps[k] = ring_row (lanczos, first + k);
  /* An odd one out is paired with a weight of 0. */
  if (n % 2 != 0)
    lanczos->taps[n] = lanczos->taps[n - 1];
  lanczos->kernels->vertical (lanczos->taps, down->weights + (gsize) y * down->stride, n + n % 2,
                              (gsize) lanczos->x.pixels * lanczos->channels, lanczos->narrow);
  lanczos->kernels->horizontal (lanczos->narrow, &lanczos->across, lanczos->channels, lanczos->row);
  lanczos->given++;
  return lanczos->row;
}

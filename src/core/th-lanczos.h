/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stage 2 of the shrinker: a separable Lanczos3 to an exact size, over a ring of the few rows that
 * one output row needs. Knows neither colours nor where the rows come from. */
#pragma once

#include "base/th-fit.h"
#include "core/th-arena.h"
#include "core/th-axis.h"
#include "core/th-kernels.h"

typedef struct
{
  const ThKernels *kernels;
  ThAxis x, y; /* what comes in */
  ThSize size; /* what goes out */
  guint channels;
  guint32 taken; /* rows in */
  guint32 given; /* rows out */
  ThFilter across, down;
  guint32 ring_rows;
  gsize ring_stride; /* samples */
  gint16 *ring;
  const gint16 **taps; /* the rows of one output row, in order */
  gint16 *narrow;      /* one row as wide as the input */
  gint16 *row;         /* one row as wide as the output */
} ThLanczos;

/* Takes memory from the arena; while that measures, nothing else happens. */
void th_lanczos_init (ThLanczos *lanczos, ThArena *arena, const ThKernels *kernels, ThAxis x,
                      ThAxis y, ThSize size, guint channels);
/* Where the next row of working samples is to be written. */
gint16 *th_lanczos_slot (ThLanczos *lanczos);
/* The slot has been filled. */
void th_lanczos_advance (ThLanczos *lanczos);
/* The next output row that the rows so far suffice for, valid until the next call and the
 * caller's to change; NULL where there is none. Fetch all before the next slot. */
gint16 *th_lanczos_next (ThLanczos *lanczos);

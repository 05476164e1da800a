/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stage 1 of the shrinker: averages over boxes of whole pixels while rows arrive. Knows neither
 * colours nor targets. */
#pragma once

#include "core/th-arena.h"
#include "core/th-axis.h"
#include "core/th-kernels.h"

typedef struct
{
  const ThKernels *kernels;
  ThAxis x, y; /* what comes in */
  guint32 factor_x, factor_y;
  guint channels;
  gboolean bytes;  /* rows are 8-bit values and not working samples */
  guint32 taken;   /* rows */
  guint32 held;    /* rows in columns */
  double weight;   /* rows in sums, the last one by its share */
  gboolean narrow; /* 16 bits suffice for the sum of a column */
  /* Sums of single columns, guint16 or guint32; and of whole boxes. */
  void *columns;
  double *sums;
} ThBox;

/* factors at least 1. Takes memory from the arena; while that measures, nothing else happens. */
void th_box_init (ThBox *box, ThArena *arena, const ThKernels *kernels, ThAxis x, ThAxis y,
                  guint32 factor_x, guint32 factor_y, guint channels, gboolean bytes);
/* Takes the next row. TRUE where it completed a row of boxes, which is then in out. */
gboolean th_box_push (ThBox *box, const void *row, gint16 *out);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-orient.h"

#include <string.h>

/* What becomes of a stored pixel: mirrored along its row, along its column, then x and y traded. */
static const struct
{
  gboolean mirror_x, mirror_y, swap;
  guint after_flip;
} turns[9] = {
  [1] = { FALSE, FALSE, FALSE, 4 }, [2] = { TRUE, FALSE, FALSE, 3 }, [3] = { TRUE, TRUE, FALSE, 2 },
  [4] = { FALSE, TRUE, FALSE, 1 },  [5] = { FALSE, FALSE, TRUE, 6 }, [6] = { FALSE, TRUE, TRUE, 5 },
  [7] = { TRUE, TRUE, TRUE, 8 },    [8] = { TRUE, FALSE, TRUE, 7 },
};

static guint
valid (guint orientation)
{
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

guint
th_orient_after_flip (guint orientation)
{
  return turns[valid (orientation)].after_flip;
}

static inline void
scatter (const guint8 *row, guint32 n, guint channels, guint8 *at, gssize step)
{
  for (gsize i = 0; i < n; i++, row += channels, at += step)
    for (guint c = 0; c < channels; c++)
      at[c] = row[c];
}

void
th_orient_row (const guint8 *row, guint32 y, ThSize stored, guint orientation, const ThImage *seen)
{
  const guint turn = valid (orientation);
  const gsize first_x = turns[turn].mirror_x ? stored.width - 1 : 0;
  const gsize place_y = turns[turn].mirror_y ? stored.height - 1 - y : y;
  const gsize along = turns[turn].swap ? seen->stride : seen->channels;
  const gsize across = turns[turn].swap ? seen->channels : seen->stride;
  const gssize step = turns[turn].mirror_x ? -(gssize) along : (gssize) along;
  guint8 *at = seen->data + first_x * along + place_y * across;

  if (step == (gssize) seen->channels)
    memcpy (at, row, (gsize) stored.width * seen->channels);
  else if (seen->channels == 3)
    scatter (row, stored.width, 3, at, step);
  else
    scatter (row, stored.width, 4, at, step);
}

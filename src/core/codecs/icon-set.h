/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pictures of one icon file, which show the same in several sizes and depths, and which of them
 * to take. Knows nothing of how they are kept. */
#pragma once

#include "base/th-fit.h"

/* More than that the smallest are forgotten. */
#define TH_ICON_SET_MOST 64u

typedef struct
{
  guint64 offset; /* in the file */
  guint64 bytes;
  ThSize size;
  guint depth;  /* bits a pixel; the more the better */
  guint layout; /* the format's own */
} ThIcon;

/* The largest first; of one size the deepest first, then the first in the file. */
typedef struct
{
  guint n;
  ThIcon icons[TH_ICON_SET_MOST];
} ThIconSet;

void th_icon_set_add (ThIconSet *set, const ThIcon *icon);
void th_icon_set_drop_first (ThIconSet *set);
/* The smallest one from which target can be made, of the shape of the first one; or the first one,
 * which must be there. */
const ThIcon *th_icon_set_choose (const ThIconSet *set, ThSize target);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/icon-set.h"

#include <string.h>

static guint64
area (const ThIcon *icon)
{
  return (guint64) icon->size.width * icon->size.height;
}

static gboolean
is_better (const ThIcon *a, const ThIcon *b)
{
  return area (a) != area (b) ? area (a) > area (b) : a->depth > b->depth;
}

void
th_icon_set_add (ThIconSet *set, const ThIcon *icon)
{
  guint at = 0;

  while (at < set->n && !is_better (icon, &set->icons[at]))
    at++;
  if (at == TH_ICON_SET_MOST)
    return;
  set->n = MIN (set->n + 1, TH_ICON_SET_MOST);
  memmove (&set->icons[at + 1], &set->icons[at], (set->n - at - 1) * sizeof *icon);
  set->icons[at] = *icon;
}

void
th_icon_set_drop_first (ThIconSet *set)
{
  set->n--;
  memmove (&set->icons[0], &set->icons[1], set->n * sizeof set->icons[0]);
}

static gboolean
serves (const ThIcon *icon, const ThIcon *first, ThSize target)
{
  return icon->size.width >= target.width && icon->size.height >= target.height
         && (guint64) icon->size.width * first->size.height
                == (guint64) first->size.width * icon->size.height;
}

const ThIcon *
th_icon_set_choose (const ThIconSet *set, ThSize target)
{
  const ThIcon *best = &set->icons[0];

  for (guint i = 1; i < set->n; i++)
    if (area (&set->icons[i]) < area (best) && serves (&set->icons[i], &set->icons[0], target))
      best = &set->icons[i];
  return best;
}

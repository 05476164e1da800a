/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-blank.h"

#include <string.h>

/* Levels of 255 that nobody sees beside each other in a thumbnail: what lossy formats make of a
 * plain colour. */
#define UNSEEN 8

static gboolean
is_near (const guint8 *a, const guint8 *b)
{
  for (guint i = 0; i < 4; i++)
    if (a[i] > b[i] + UNSEEN || b[i] > a[i] + UNSEEN)
      return FALSE;
  return TRUE;
}

static void
look (ThBlank *blank, const guint8 *pixel)
{
  if (!blank->any)
    memcpy (blank->first, pixel, sizeof blank->first);
  blank->any = TRUE;
  blank->differs = blank->differs || !is_near (pixel, blank->first);
}

void
th_blank_look (ThBlank *blank, const guint8 *rgba, gsize n)
{
  for (gsize i = 0; i < n && !blank->differs; i++)
    {
      if (rgba[4 * i + 3] == 0)
        th_blank_look_nothing (blank);
      else
        look (blank, rgba + 4 * i);
    }
}

void
th_blank_look_rgb (ThBlank *blank, const guint8 *rgb, gsize n)
{
  for (gsize i = 0; i < n && !blank->differs; i++, rgb += 3)
    look (blank, (guint8[]){ rgb[0], rgb[1], rgb[2], 255 });
}

void
th_blank_look_nothing (ThBlank *blank)
{
  static const guint8 nothing[4];

  look (blank, nothing);
}

ThBlankRank
th_blank_rank (const ThBlank *blank)
{
  static const guint8 black[] = { 0, 0, 0, 255 };
  static const guint8 white[] = { 255, 255, 255, 255 };

  if (blank->differs)
    return TH_BLANK_PICTURE;
  if (!blank->any || blank->first[3] <= UNSEEN || is_near (blank->first, black)
      || is_near (blank->first, white))
    return TH_BLANK_NOTHING;
  return TH_BLANK_PLAIN;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-look.h"

#include <string.h>

static ThLook
look_at_path (const char *path, ThStamp *stamp, struct stat *st)
{
  g_autoptr (GError) error = NULL;

  if (path[0] != '/')
    return TH_LOOK_REFUSED;
  if (th_stamp_from_path (path, stamp, st, &error))
    return TH_LOOK_FOUND;
  return g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT) ? TH_LOOK_MISSING
                                                                   : TH_LOOK_REFUSED;
}

ThLook
th_look (const ThLooker *looker, const char *where, ThStamp *stamp, struct stat *st)
{
  ThLook look;

  *st = (struct stat){ 0 };
  look = looker != NULL ? looker->look (where, stamp, st, looker->data)
                        : look_at_path (where, stamp, st);
  if (look != TH_LOOK_FOUND)
    *st = (struct stat){ 0 };
  return look;
}

char *
th_look_above (const ThLooker *looker, const char *path, struct stat *st, gboolean *parent)
{
  g_autofree char *at = g_path_get_dirname (path);
  ThStamp stamp;

  *parent = TRUE;
  while (th_look (looker, at, &stamp, st) != TH_LOOK_FOUND && strcmp (at, "/") != 0)
    {
      char *above = g_path_get_dirname (at);

      g_free (at);
      at = above;
      *parent = FALSE;
    }
  return g_steal_pointer (&at);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-lookout.h"

#include "engine/th-apart.h"

/* NULL: it can be looked at here. */
static char *
name_of (const ThLookout *lookout, const char *where)
{
  g_autoptr (ThMount) mount = NULL;

  if (where[0] != '/')
    return th_apart_of_uri (where);
  mount = th_mounts_find (lookout->mounts, where);
  return th_apart_of_mount (mount);
}

static ThLook
understand (const ThLookout *lookout, const char *name, const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT))
    th_silence_add (lookout->silence, name);
  if (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT)
      || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return TH_LOOK_MISSING;
  return error->domain == G_FILE_ERROR ? TH_LOOK_REFUSED : TH_LOOK_UNKNOWN;
}

ThLook
th_lookout_look (const char *where, ThStamp *stamp, struct stat *st, gpointer data)
{
  const ThLookout *lookout = data;
  g_autofree char *name = name_of (lookout, where);
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;
  g_autoptr (GError) error = NULL;

  if (name == NULL)
    return th_look (NULL, where, stamp, st);
  if (th_silence_has (lookout->silence, name))
    return TH_LOOK_UNKNOWN;
  reading = th_readers_look (lookout->readers, where, &facts, &error);
  if (reading == NULL)
    return understand (lookout, name, error);
  *stamp = facts.stamp;
  *st = facts.st;
  if (where[0] != '/')
    st->st_dev = 0;
  return TH_LOOK_FOUND;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-source.h"

#include <unistd.h>

#include "base/th-open.h"

void
th_source_clear (ThSource *source)
{
  g_clear_pointer (&source->path, g_free);
  if (source->fd >= 0)
    close (g_steal_fd (&source->fd));
}

gboolean
th_source_open (ThSource *source, const char *path, GError **error)
{
  g_autofree char *copy = g_strdup (path);
  struct stat st;

  th_source_clear (source);
  source->fd = th_open_regular (copy, error);
  if (source->fd < 0)
    return FALSE;
  source->path = g_steal_pointer (&copy);
  if (!th_stamp_from_fd (source->fd, &source->stamp, &st, error))
    return FALSE;
  source->device = st.st_dev;
  source->inode = st.st_ino;
  return TRUE;
}

/* The stamp leaves the inode out where it does not last; between two looks it does. */
static gboolean
is_same (const ThSource *source, const ThStamp *stamp, const struct stat *st)
{
  return source->device == st->st_dev && source->inode == st->st_ino
         && th_stamp_equal (&source->stamp, stamp);
}

gboolean
th_source_is_at (const ThSource *source, const char *path)
{
  ThStamp stamp;
  struct stat st;

  return th_stamp_from_path (path, &stamp, &st, NULL) && is_same (source, &stamp, &st);
}

gboolean
th_source_is_unchanged (const ThSource *source)
{
  ThStamp stamp;
  struct stat st;

  return th_stamp_from_fd (source->fd, &stamp, &st, NULL) && is_same (source, &stamp, &st)
         && th_source_is_at (source, source->path);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-source.h"

#include <unistd.h>

#include "base/th-open.h"

static void
close_file (ThSource *source)
{
  if (source->fd >= 0)
    close (g_steal_fd (&source->fd));
}

void
th_source_clear (ThSource *source)
{
  close_file (source);
  g_clear_pointer (&source->path, g_free);
  g_clear_pointer (&source->reading, th_reading_free);
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

static void
note (ThSource *source, const ThFacts *facts)
{
  source->stamp = facts->stamp;
  source->device = facts->st.st_dev;
  source->inode = facts->st.st_ino;
}

static gboolean
open_apart (ThSource *source, GError **error)
{
  g_auto (ThFacts) facts = { 0 };

  close_file (source);
  source->fd = th_reading_open (source->reading, source->how, &facts, error);
  if (source->fd >= 0)
    note (source, &facts);
  return source->fd >= 0;
}

void
th_source_take (ThSource *source, const char *path, ThReading *reading, const ThFacts *facts)
{
  th_source_clear (source);
  source->path = g_strdup (path);
  source->reading = reading;
  note (source, facts);
}

gboolean
th_source_open_as (ThSource *source, ThReadHow how, GError **error)
{
  source->how = how;
  return open_apart (source, error);
}

gboolean
th_source_reopen (ThSource *source, GError **error)
{
  g_autofree char *path = g_strdup (source->path);

  if (source->reading != NULL)
    return open_apart (source, error);
  return th_source_open (source, path, error);
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

  return source->reading == NULL && th_stamp_from_path (path, &stamp, &st, NULL)
         && is_same (source, &stamp, &st);
}

gboolean
th_source_is_unchanged (const ThSource *source)
{
  ThStamp stamp;
  struct stat st;

  if (source->reading != NULL)
    return th_reading_is_unchanged (source->reading);
  return th_stamp_from_fd (source->fd, &stamp, &st, NULL) && is_same (source, &stamp, &st)
         && th_source_is_at (source, source->path);
}

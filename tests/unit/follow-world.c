/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "follow-world.h"

#include <glib/gstdio.h>
#include <string.h>

#include "cache/th-uri.h"

#define NANOSECONDS 123456789

static const char *const places[] = { "normal", "x-large", FAILURES };

char *
follow_path (World *world, const char *name)
{
  return g_build_filename (world->folder, name, NULL);
}

char *
follow_uri (World *world, const char *name)
{
  g_autofree char *path = follow_path (world, name);

  return th_uri_from_path (path);
}

static void
make_parent (const char *path)
{
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_no_errno (g_mkdir_with_parents (parent, 0700));
}

static void
write_file (const char *path, const void *data, gsize size)
{
  make_parent (path);
  g_assert_true (
      g_file_set_contents_full (path, data, (gssize) size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

void
follow_file (World *world, const char *name, const char *content, gint64 mtime)
{
  g_autofree char *path = follow_path (world, name);

  write_file (path, content, strlen (content));
  world_set_mtime (path, mtime, NANOSECONDS);
}

static char *
path_in (World *world, const char *uri, const char *place)
{
  g_autofree char *md5 = th_uri_md5 (uri);

  return g_strconcat (th_cache_root (world->cache), "/", place, "/", md5, ".png", NULL);
}

char *
follow_thumbnail (World *world, const char *name, guint i)
{
  g_autofree char *uri = follow_uri (world, name);

  return path_in (world, uri, places[i]);
}

static void
put (World *world, const char *name, guint i, GBytes *bytes)
{
  g_autofree char *path = follow_thumbnail (world, name, i);

  write_file (path, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static gboolean
read_stamp (World *world, const char *name, ThStamp *stamp)
{
  g_autofree char *path = follow_path (world, name);

  return th_stamp_from_path (path, stamp, NULL, NULL);
}

void
follow_thumbnails (World *world, const char *name)
{
  g_autofree char *uri = follow_uri (world, name);
  ThThumbnailInfo info = { .uri = uri, .mime_type = "image/png", .full = { 4000, 3000 } };

  g_assert_true (read_stamp (world, name, &info.stamp));
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autoptr (GBytes) bytes = th_thumbnail_file (world->body, &info, "test");

      put (world, name, i, bytes);
    }
  g_assert_cmpuint (follow_count_valid (world, name), ==, G_N_ELEMENTS (places));
}

void
follow_foreign (World *world, const char *name, const ThPngTextEntry *entries, guint n)
{
  g_autoptr (GBytes) bytes = th_png_assemble (world->body, entries, n);

  put (world, name, 0, bytes);
}

void
follow_rename (World *world, const char *from, const char *to)
{
  g_autofree char *old = follow_path (world, from);
  g_autofree char *new = follow_path (world, to);

  make_parent (new);
  g_assert_no_errno (g_rename (old, new));
}

void
follow_copy (World *world, const char *from, const char *to, long step)
{
  g_autofree char *old = follow_path (world, from);
  g_autofree char *new = follow_path (world, to);
  g_autofree char *content = NULL;
  ThStamp stamp;
  gsize size;

  g_assert_true (read_stamp (world, from, &stamp));
  g_assert_true (g_file_get_contents (old, &content, &size, NULL));
  write_file (new, content, size);
  world_set_mtime (new, stamp.mtime, stamp.mtime_ns - stamp.mtime_ns % step);
}

guint
follow_count (World *world, const char *name)
{
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = follow_thumbnail (world, name, i);

      n += g_file_test (path, G_FILE_TEST_EXISTS) ? 1 : 0;
    }
  return n;
}

guint
follow_count_valid (World *world, const char *name)
{
  g_autofree char *uri = follow_uri (world, name);
  ThStamp stamp;
  guint n = 0;

  if (!read_stamp (world, name, &stamp))
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = follow_thumbnail (world, name, i);
      g_autoptr (ThPngText) text = th_png_text_read (path, NULL);

      n += text && th_cache_judge (text, uri, &stamp) == TH_CACHE_VALID ? 1 : 0;
    }
  return n;
}

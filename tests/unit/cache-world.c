/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache-world.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/th-error.h"
#include "cache/th-uri.h"

static ThPngBody *
make_body (guint32 side)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (26);
  g_autofree guint8 *pixels = g_malloc (side * side * 3);

  for (guint32 i = 0; i < side * side * 3; i++)
    pixels[i] = (guint8) g_rand_int (rand);
  return th_png_encode (&(ThImage){ { side, side }, 3, side * 3, pixels });
}

void
world_set_mtime (const char *path, gint64 seconds, long ns)
{
  const struct timespec times[2] = { { seconds, ns }, { seconds, ns } };

  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
}

static void
write_source (World *world, const char *content)
{
  g_assert_true (
      g_file_set_contents_full (world->source, content, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

void
world_set_source (World *world, const char *name)
{
  g_free (world->source);
  g_free (world->uri);
  g_free (world->thumbnail);
  world->source = g_build_filename (world->folder, name, NULL);
  world->uri = th_uri_from_path (world->source);
  world->thumbnail = th_cache_path (world->cache, world->uri, FLAVOR);
  write_source (world, "first");
  world_set_mtime (world->source, 1700000000, 123456789);
}

void
world_set_up (World *world, gconstpointer data)
{
  g_autofree char *root = NULL;

  world->folder = g_dir_make_tmp ("thimble-cache-XXXXXX", NULL);
  g_assert_nonnull (world->folder);
  root = g_build_filename (world->folder, "xdg", "thumbnails", NULL);
  world->cache = th_cache_new (root, "thimble test");
  world->body = make_body (90);
  world_set_source (world, "source.png");
}

void
world_remove_tree (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  if (g_file_test (path, G_FILE_TEST_IS_SYMLINK) || !dir)
    {
      g_clear_pointer (&dir, g_dir_close);
      g_remove (path);
      return;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      world_remove_tree (child);
    }
  g_dir_close (dir);
  g_assert_cmpint (g_rmdir (path), ==, 0);
}

void
world_tear_down (World *world, gconstpointer data)
{
  world_remove_tree (world->folder);
  g_free (world->folder);
  g_free (world->source);
  g_free (world->uri);
  g_free (world->thumbnail);
  th_cache_free (world->cache);
  th_png_body_free (world->body);
}

ThCacheState
world_look_up (World *world)
{
  ThStamp stamp, cheap;
  ThCacheState state;

  g_assert_true (th_stamp_from_path (world->source, &stamp, NULL, NULL));
  g_assert_true (th_stamp_for_lookup (world->source, &cheap, NULL, NULL));
  state = th_cache_lookup (world->cache, world->uri, FLAVOR, &stamp);
  g_assert_cmpint (state, ==, th_cache_lookup (world->cache, world->uri, FLAVOR, &cheap));
  return state;
}

ThThumbnailInfo
world_info (World *world)
{
  ThThumbnailInfo info = { .uri = world->uri, .mime_type = "image/png", .full = { 4000, 3000 } };

  g_assert_true (th_stamp_from_path (world->source, &info.stamp, NULL, NULL));
  return info;
}

static gboolean
try_store (World *world, GError **error)
{
  ThThumbnailInfo info = world_info (world);

  return th_cache_store (world->cache, FLAVOR, world->body, &info, error);
}

void
world_store (World *world)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (try_store (world, &error));
  g_assert_no_error (error);
  g_assert_cmpint (world_look_up (world), ==, TH_CACHE_VALID);
}

void
world_store_fails (World *world, const char *text)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (try_store (world, &error));
  g_assert_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED);
  g_test_message ("“%s”, “%s”", error->message, text);
  g_assert_nonnull (strstr (error->message, text));
}

mode_t
world_mode (const char *path)
{
  struct stat st;

  g_assert_cmpint (lstat (path, &st), ==, 0);
  return st.st_mode;
}

guint
world_count_files (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

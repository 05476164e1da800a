/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sweep-world.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <time.h>

#include "cache/th-uri.h"

void
sweep_set_ages (const char *path, gint64 read, gint64 written)
{
  const struct timespec times[2] = { { time (NULL) - read, 0 }, { time (NULL) - written, 0 } };

  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
}

char *
sweep_entry (World *world, ThFlavor flavor, const char *name, gint64 age)
{
  g_autofree char *source = g_build_filename (world->folder, name, NULL);
  g_autofree char *uri = th_uri_from_path (source);
  ThThumbnailInfo info = { .uri = uri, .mime_type = "image/png", .stamp = { .mtime = 1 } };
  char *path = th_cache_path (world->cache, uri, flavor);

  g_assert_true (th_cache_store (world->cache, flavor, world->body, &info, NULL));
  sweep_set_ages (path, age, age);
  return path;
}

char *
sweep_file (World *world, const char *name, const char *text, gint64 age)
{
  char *path = g_build_filename (th_cache_root (world->cache), name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  sweep_set_ages (path, age, age);
  return path;
}

guint64
sweep_bytes (const char *path)
{
  struct stat st;

  g_assert_cmpint (stat (path, &st), ==, 0);
  return (guint64) st.st_blocks * 512;
}

ThSweepOptions
sweep_options (void)
{
  return (ThSweepOptions){ .budget = { .max_bytes = G_MAXUINT64, .max_age = 36500 } };
}

ThSweepTally
sweep_run (World *world, const ThSweepOptions *options)
{
  g_autoptr (GError) error = NULL;
  ThSweepTally tally;

  g_assert_cmpint (th_sweep (world->cache, options, &tally, &error), ==, TH_SWEEP_DONE);
  g_assert_no_error (error);
  return tally;
}

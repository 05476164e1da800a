/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>

#include "cache/th-forget.h"
#include "cache/th-uri.h"
#include "follow-world.h"

#define ALL 3

static const gint never = 0;

/* Names, and the mtimes of what they were. */
static const struct
{
  const char *name;
  gint64 mtime;
} files[] = {
  { "d/old.png", 1000 },
  { "d/in/new.png", 3000 },
  { "d.png", 1000 },
  { "d2/old.png", 1000 },
};
#define N_FILES G_N_ELEMENTS (files)

static void
make_files (World *world)
{
  for (gsize i = 0; i < N_FILES; i++)
    {
      follow_file (world, files[i].name, "x", files[i].mtime);
      follow_thumbnails (world, files[i].name);
    }
}

static char *
left (World *world)
{
  GString *found = g_string_new (NULL);

  for (gsize i = 0; i < N_FILES; i++)
    {
      guint n = follow_count (world, files[i].name);

      g_assert_true (n == 0 || n == ALL);
      g_string_append_c (found, n > 0 ? 'x' : '-');
    }
  return g_string_free (found, FALSE);
}

static void
expect_left (World *world, const char *expected)
{
  g_autofree char *found = left (world);

  g_assert_cmpstr (found, ==, expected);
}

static void
test_uris (World *world, gconstpointer data)
{
  g_autofree char *d = follow_uri (world, "d");
  g_autofree char *old = follow_uri (world, "d/old.png");
  const char *const uris[] = { d, "", "no uri", "file:///nothing", old, old };

  make_files (world);
  th_forget_uris (world->cache, uris, G_N_ELEMENTS (uris), NULL, &never);
  expect_left (world, "-xxx");
}

/* Whatever lies under the name; others' failure entries and a folder in the way stay. */
static void
test_whatever (World *world, gconstpointer data)
{
  g_autofree char *uri = follow_uri (world, "a.png");
  g_autofree char *md5 = th_uri_md5 (uri);
  g_autofree char *junk = follow_thumbnail (world, "a.png", 0);
  g_autofree char *folder = follow_thumbnail (world, "a.png", 1);
  g_autofree char *fail = g_build_filename (th_cache_root (world->cache), "fail", NULL);
  g_autofree char *others = g_strconcat (fail, "/gnome-thumbnail-factory/", md5, ".png", NULL);
  g_autofree char *others_folder = g_path_get_dirname (others);

  follow_file (world, "a.png", "x", 1000);
  follow_thumbnails (world, "a.png");
  g_assert_no_errno (g_mkdir_with_parents (others_folder, 0700));
  g_assert_true (g_file_set_contents (others, "theirs", -1, NULL));
  g_assert_true (g_file_set_contents (junk, "junk", -1, NULL));
  g_unlink (folder);
  g_assert_no_errno (g_mkdir (folder, 0700));
  th_forget_uris (world->cache, (const char *const *) &uri, 1, NULL, &never);
  g_assert_cmpuint (follow_count (world, "a.png"), ==, 1);
  g_assert_true (g_file_test (others, G_FILE_TEST_EXISTS));
  th_forget_below (world->cache, (const char *const *) &uri, 1, NULL, &never);
  th_forget_older (world->cache, (const char *const *) &uri, 1, G_MAXINT64, &never);
  g_assert_true (g_file_test (others, G_FILE_TEST_EXISTS));
}

/* Base names below the world's folder; since -1 is "any age". */
static const struct
{
  const char *bases[2];
  gint64 since;
  const char *left;
} rows[] = {
  { { NULL }, -1, "xxxx" },
  { { "d" }, -1, "--xx" },
  { { "d/" }, -1, "--xx" },
  { { "d//" }, -1, "--xx" },
  { { "d/in", "d2" }, -1, "x-x-" },
  { { "d.png" }, -1, "xx-x" },
  { { "d/old.png", "d/i" }, -1, "-xxx" },
  { { "" }, -1, "----" },
  { { NULL }, 999, "xxxx" },
  { { NULL }, 1000, "-x--" },
  { { NULL }, 2999, "-x--" },
  { { NULL }, 3000, "----" },
  { { "d" }, 1000, "-xxx" },
  { { "d" }, 3000, "--xx" },
  { { "d/in", "d.png" }, 2000, "xx-x" },
  { { "nothing" }, G_MAXUINT32, "xxxx" },
};

static void
test_below (World *world, gconstpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *base = follow_uri (world, "");
      g_autofree char *first = g_strconcat (base, "/", rows[i].bases[0], NULL);
      g_autofree char *second = g_strconcat (base, "/", rows[i].bases[1], NULL);
      const char *const bases[] = { first, second };
      guint n = (rows[i].bases[0] != NULL) + (rows[i].bases[1] != NULL);

      make_files (world);
      if (rows[i].since < 0)
        th_forget_below (world->cache, bases, n, NULL, &never);
      else
        th_forget_older (world->cache, bases, n, rows[i].since, &never);
      g_test_message ("%s, %d", first, (int) rows[i].since);
      expect_left (world, rows[i].left);
      world_remove_tree (th_cache_root (world->cache));
    }
}

/* A cleanup is no wipe: an empty base is nothing, and what has no URI, no time, or cannot be read
 * stays. */
static void
test_no_wipe (World *world, gconstpointer data)
{
  static const char *const nothing[] = { "" };
  static const char *const root[] = { "file:///" };
  const ThPngTextEntry no_uri[] = { { "Thumb::MTime", "5" } };
  const ThPngTextEntry no_time[] = { { "Thumb::URI", "file:///x" } };
  g_autofree char *junk = follow_thumbnail (world, "junk", 0);

  make_files (world);
  follow_foreign (world, "a", no_uri, 1);
  follow_foreign (world, "b", no_time, 1);
  g_assert_true (g_file_set_contents (junk, "junk", -1, NULL));
  th_forget_below (world->cache, nothing, 1, NULL, &never);
  expect_left (world, "xxxx");
  th_forget_older (world->cache, nothing, 1, G_MAXUINT32, &never);
  expect_left (world, "xxxx");
  th_forget_older (world->cache, NULL, 0, G_MAXUINT32, &never);
  expect_left (world, "----");
  g_assert_cmpuint (follow_count (world, "a"), ==, 1);
  g_assert_cmpuint (follow_count (world, "b"), ==, 1);
  g_assert_cmpuint (follow_count (world, "junk"), ==, 1);
  th_forget_below (world->cache, root, 1, NULL, &never);
  g_assert_cmpuint (follow_count (world, "a"), ==, 1);
  g_assert_cmpuint (follow_count (world, "b"), ==, 0);
}

static void
test_no_cache (World *world, gconstpointer data)
{
  static const char *const uris[] = { "file:///" };

  th_forget_uris (world->cache, uris, 1, NULL, &never);
  th_forget_below (world->cache, uris, 1, NULL, &never);
  th_forget_older (world->cache, NULL, 0, 1, &never);
  g_assert_false (g_file_test (th_cache_root (world->cache), G_FILE_TEST_EXISTS));
}

static void
test_stopped (World *world, gconstpointer data)
{
  static const gint now = 1;
  static const char *const uris[] = { "file:///" };

  make_files (world);
  th_forget_below (world->cache, uris, 1, NULL, &now);
  th_forget_older (world->cache, NULL, 0, G_MAXUINT32, &now);
  expect_left (world, "xxxx");
}

#define ADD(name, test)                                                                            \
  g_test_add ("/forget/" name, World, NULL, world_set_up, test, world_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("uris", test_uris);
  ADD ("whatever", test_whatever);
  ADD ("below", test_below);
  ADD ("no-wipe", test_no_wipe);
  ADD ("no-cache", test_no_cache);
  ADD ("stopped", test_stopped);
  return g_test_run ();
}

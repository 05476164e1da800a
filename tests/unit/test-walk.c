/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of thimblectl that need neither engine nor bus. */
#include "config.h"

#include "ctl/th-walk.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "ctl/th-progress.h"
#include "ctl/th-rate.h"
#include "ctl/th-text.h"

/* Paths of a walk, relative to the root, one a line; problems as they are. */
static char *
walk_text (ThWalk *walk, const char *root)
{
  GString *text = g_string_new (NULL);

  for (;;)
    {
      g_auto (ThWalkFile) file = { NULL };
      g_autofree char *problem = NULL;
      ThWalkStep step = th_walk_next (walk, &file, &problem);

      if (step == TH_WALK_END)
        return g_string_free (text, FALSE);
      if (step == TH_WALK_PROBLEM)
        g_string_append_printf (text, "problem\n");
      else
        g_string_append_printf (text, "%s%s\n", file.named ? "named " : "",
                                file.path + strlen (root) + 1);
    }
}

/* An empty file below root; folders are made. */
static void
add (const char *root, const char *name)
{
  g_autofree char *path = g_build_filename (root, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
}

static void
add_link (const char *root, const char *name, const char *target)
{
  g_autofree char *path = g_build_filename (root, name, NULL);

  g_assert_no_errno (symlink (target, path));
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir =
      g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_remove (path);
}

typedef struct
{
  char *root;
  char *cache;
  char *fifo;
} Tree;

static void
set_up (Tree *tree, gconstpointer data)
{
  static const char *const names[] = { "b/2",  "b/10",      "b/a/x",
                                       "a",    "c/.h",      "cache/large/t.png",
                                       ".d/y", "fifo-next", NULL };

  tree->root = g_dir_make_tmp ("thimble-walk-XXXXXX", NULL);
  g_assert_nonnull (tree->root);
  tree->cache = g_build_filename (tree->root, "cache", NULL);
  tree->fifo = g_build_filename (tree->root, "fifo", NULL);
  for (guint i = 0; names[i] != NULL; i++)
    add (tree->root, names[i]);
  g_assert_no_errno (mkfifo (tree->fifo, 0600));
  add_link (tree->root, "to-folder", "b");
  add_link (tree->root, "to-file", "a");
  add_link (tree->root, "dangling", "nowhere");
}

static void
tear_down (Tree *tree, gconstpointer data)
{
  remove_tree (tree->root);
  g_free (tree->root);
  g_free (tree->cache);
  g_free (tree->fifo);
}

static void
check (const Tree *tree, const char *const *arguments, gboolean hidden, const char *expected)
{
  g_autoptr (ThWalk) walk = th_walk_new (arguments, hidden, tree->cache);
  g_autofree char *found = walk_text (walk, tree->root);

  g_assert_cmpstr (found, ==, expected);
}

static void
test_folder (Tree *tree, gconstpointer data)
{
  const char *const arguments[] = { tree->root, NULL };

  check (tree, arguments, FALSE, "a\nb/10\nb/2\nb/a/x\nfifo-next\nto-file\n");
  check (tree, arguments, TRUE, ".d/y\na\nb/10\nb/2\nb/a/x\nc/.h\nfifo-next\nto-file\n");
}

/* What is named is followed and taken, whatever it is; but the cache is never walked. */
static void
test_named (Tree *tree, gconstpointer data)
{
  g_autofree char *through = g_build_filename (tree->root, "to-folder", NULL);
  g_autofree char *uri = g_filename_to_uri (tree->root, NULL, NULL);
  g_autofree char *by_uri = g_strconcat (uri, "/b/a", NULL);
  const char *const arguments[] = { through, tree->fifo, by_uri, tree->cache, NULL };

  check (tree, arguments, FALSE, "to-folder/10\nto-folder/2\nto-folder/a/x\nnamed fifo\nb/a/x\n");
}

static void
test_draw (void)
{
  static const ThProgressState half = { .done = 50, .total = 100, .total_known = TRUE };
  static const ThProgressState bad = { .done = 7, .total = 5, .failed = 3 };
  g_autofree char *wide = th_progress_draw (&half, 40);
  g_autofree char *beyond = th_progress_draw (&bad, 60);

  g_assert_cmpstr (wide, ==, "[############............] 50/100 files");
  g_assert_nonnull (strstr (beyond, "] 7/7+ files, 3 failed"));
  for (guint columns = 0; columns < 80; columns++)
    {
      g_autofree char *bar = th_progress_draw (&bad, columns);

      g_assert_cmpuint (strlen (bar), <, MAX (columns, 1));
    }
}

/* 100 a second for a while, then 10: what counts is the latter. */
static void
test_rate (void)
{
  ThRate rate = { 0 };
  guint64 done = 0;
  gint64 now = 5000000;

  th_rate_note (&rate, now, 0);
  g_assert_cmpfloat (th_rate_per_second (&rate), ==, 0);
  g_assert_cmpuint (th_rate_seconds (&rate, 10), ==, 0);
  for (guint i = 0; i < 100; i++)
    th_rate_note (&rate, now += 100000, done += 10);
  g_assert_cmpfloat_with_epsilon (th_rate_per_second (&rate), 100, 0.001);
  g_assert_cmpuint (th_rate_seconds (&rate, 1000), ==, 11);
  for (guint i = 0; i < 200; i++)
    th_rate_note (&rate, now += 100000, done += 1);
  g_assert_cmpfloat_with_epsilon (th_rate_per_second (&rate), 10, 0.001);
  g_assert_cmpuint (th_rate_seconds (&rate, 36000), ==, 3601);
  g_assert_cmpuint (th_rate_seconds (&rate, 0), ==, 0);
  g_assert_cmpuint (th_rate_seconds (&rate, G_MAXUINT64), ==, 0);
}

/* What was up to date does not make the rest look fast. */
static void
test_burst (void)
{
  ThRate rate = { 0 };
  guint64 done = 0;
  gint64 now = 5000000;

  th_rate_note (&rate, now, 0);
  th_rate_note (&rate, now += 500000, done += 3408);
  for (guint i = 0; i < 6; i++)
    th_rate_note (&rate, now += 500000, done += 145);
  g_assert_cmpfloat_with_epsilon (th_rate_per_second (&rate), 290, 0.001);
}

static void
test_speed (void)
{
  static const ThProgressState fast = {
    .done = 50, .total = 100, .total_known = TRUE, .per_second = 12.4, .seconds_left = 65
  };
  static const ThProgressState slow = {
    .done = 1, .total = 2, .total_known = TRUE, .per_second = 0.25, .seconds_left = 7322
  };
  g_autofree char *one = th_progress_draw (&fast, 80);
  g_autofree char *other = th_progress_draw (&slow, 80);

  g_assert_nonnull (strstr (one, " 50/100 files, 12/s, 1:05 left"));
  g_assert_nonnull (strstr (other, " 1/2 files, 0.2/s, 2:02:02 left"));
}

static void
test_text (void)
{
  g_autofree char *people = th_text_for_people ("a\033[2J\xff\xc2\x9b\nü\u202egpj\u2069\u200d");
  g_autofree char *field = th_text_for_field ("a\t\\\n\r\033\x7f\xff ü");

  g_assert_cmpstr (people, ==, "a\\x1b[2J\xef\xbf\xbd\\x9b\\x0aü\\u202egpj\\u2069\u200d");
  g_assert_cmpstr (field, ==, "a\\t\\\\\\n\\r\\033\\177\xff ü");
}

/* A message of several files: each is told its own line, without what its name says already. */
static void
test_about (void)
{
  static const char many[] = "(domain x, code 1) “file:///a%20b”: /a b: No such file\n"
                             "(domain x, code 14) “file:///a”: Permission denied";
  g_autofree char *first = th_text_about (many, "file:///a%20b", "/a b");
  g_autofree char *second = th_text_about (many, "file:///a", "/a");
  g_autofree char *remote = th_text_about ("“sftp://a/”: no", "sftp://a/", NULL);
  g_autofree char *other = th_text_about ("the service\nwent away", "file:///a", "/a");

  g_assert_cmpstr (first, ==, "No such file");
  g_assert_cmpstr (second, ==, "Permission denied");
  g_assert_cmpstr (remote, ==, "no");
  g_assert_cmpstr (other, ==, "the service\nwent away");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/walk/folder", Tree, NULL, set_up, test_folder, tear_down);
  g_test_add ("/walk/named", Tree, NULL, set_up, test_named, tear_down);
  g_test_add_func ("/progress/draw", test_draw);
  g_test_add_func ("/progress/rate", test_rate);
  g_test_add_func ("/progress/burst", test_burst);
  g_test_add_func ("/progress/speed", test_speed);
  g_test_add_func ("/text/escapes", test_text);
  g_test_add_func ("/text/about", test_about);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "cache/th-follow.h"
#include "follow-world.h"

#define MOVE TH_FOLLOW_MOVE
#define COPY TH_FOLLOW_COPY
#define ALL  3
/* Less than IDAT has. */
#define PIXELS 20000

static const gint never = 0;

static const ThFollowOptions moved = { .kind = TH_FOLLOW_MOVE, .stop = &never };
static const ThFollowOptions copied = { .kind = TH_FOLLOW_COPY, .stop = &never };

static void
follow (World *world, ThFollowKind kind, const char *from, const char *to)
{
  g_autofree char *from_uri = follow_uri (world, from);
  g_autofree char *to_uri = follow_uri (world, to);
  const char *const froms[] = { from_uri };
  const char *const tos[] = { to_uri };

  th_follow (world->cache, kind == MOVE ? &moved : &copied, froms, tos, 1);
}

static void
expect (World *world, const char *name, guint there, guint valid)
{
  guint n = follow_count (world, name);

  g_test_message ("%s: %u there, expected %u", name, n, there);
  g_assert_cmpuint (n, ==, there);
  if (there > 0)
    g_assert_cmpuint (follow_count_valid (world, name), ==, valid);
}

/* The files are as any reader wants them, down to the pixels and the text that is kept. */
static void
test_move (World *world, gconstpointer data)
{
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  g_autofree char *path = NULL;
  g_autofree char *uri = follow_uri (world, "b c.png");
  g_autoptr (ThPngText) text = NULL;
  gsize size, after_size;

  follow_file (world, "a.png", "one", 1000);
  follow_thumbnails (world, "a.png");
  path = follow_thumbnail (world, "a.png", 0);
  g_assert_true (g_file_get_contents (path, &before, &size, NULL));
  follow_rename (world, "a.png", "b c.png");
  follow (world, MOVE, "a.png", "b c.png");
  expect (world, "b c.png", ALL, ALL);
  expect (world, "a.png", 0, 0);
  g_free (path);
  path = follow_thumbnail (world, "b c.png", 0);
  g_assert_cmpuint (world_mode (path), ==, S_IFREG | 0600);
  text = th_png_text_read (path, NULL);
  g_assert_cmpstr (th_png_text_get (text, "Thumb::URI"), ==, uri);
  g_assert_cmpstr (th_png_text_get (text, "Thumb::MTime"), ==, "1000");
  g_assert_cmpstr (th_png_text_get (text, "Thumb::Size"), ==, "3");
  g_assert_cmpstr (th_png_text_get (text, "Thumb::Image::Width"), ==, "4000");
  g_assert_cmpstr (th_png_text_get (text, "Software"), ==, "test");
  g_assert_true (g_file_get_contents (path, &after, &after_size, NULL));
  g_assert_cmpuint (size, >, PIXELS);
  g_assert_cmpmem (before + size - PIXELS, PIXELS, after + after_size - PIXELS, PIXELS);
}

static void
test_copy (World *world, gconstpointer data)
{
  follow_file (world, "a.png", "one", 1000);
  follow_thumbnails (world, "a.png");
  follow_file (world, "plain.png", "one", 2000);
  follow_copy (world, "a.png", "exact.png", 1);
  follow_copy (world, "a.png", "cut.png", 1000);
  follow (world, COPY, "a.png", "plain.png");
  follow (world, COPY, "a.png", "exact.png");
  follow (world, COPY, "a.png", "cut.png");
  expect (world, "plain.png", ALL, ALL);
  expect (world, "exact.png", ALL, ALL);
  expect (world, "cut.png", ALL, ALL);
  expect (world, "a.png", ALL, ALL);
}

typedef struct
{
  const char *name;
  ThFollowKind kind;
  const char *made_of; /* what the thumbnails are of: content and mtime */
  gint64 made_mtime;
  const char *from; /* what is at from now; NULL: nothing */
  gint64 from_mtime;
  const char *to; /* the same; "=": from itself, renamed */
  gint64 to_mtime;
  guint at_to, at_from; /* what there is to be in the end */
} Case;

/* One file system, where the inode tells too. */
static const Case cases[] = {
  { "move", MOVE, "one", 1000, NULL, 0, "=", 1000, ALL, 0 },
  { "move and save", MOVE, "one", 1000, NULL, 0, "=", 1001, 0, 0 },
  { "move, other size", MOVE, "one", 1000, NULL, 0, "other", 1000, 0, 0 },
  { "move, another of equal state", MOVE, "one", 1000, NULL, 0, "two", 1000, 0, 0 },
  { "move, nothing there", MOVE, "one", 1000, NULL, 0, NULL, 0, 0, 0 },
  { "move, both there", MOVE, "one", 1000, "one", 1000, NULL, 0, 0, ALL },
  { "move, valid for from", MOVE, "one", 1000, "one", 1000, "other", 1000, 0, ALL },
  { "copy", COPY, "one", 1000, "one", 1000, "one", 1500, ALL, ALL },
  { "copy of stale", COPY, "one", 1000, "one", 1200, "one", 1500, 0, ALL },
  { "copy, other size", COPY, "one", 1000, "one", 1000, "other", 1500, 0, ALL },
  { "copy, from newer", COPY, "one", 1000, "one", 1000, "one", 900, 0, ALL },
  { "copy, nothing there", COPY, "one", 1000, "one", 1000, NULL, 0, 0, ALL },
  { "copy, from gone", COPY, "one", 1000, NULL, 0, "one", 1000, ALL, ALL },
  { "copy, from gone, later", COPY, "one", 1000, NULL, 0, "one", 1001, 0, ALL },
};

static void
arrange (World *world, const Case *row)
{
  g_autofree char *path = follow_path (world, "from.png");

  follow_file (world, "from.png", row->made_of, row->made_mtime);
  follow_thumbnails (world, "from.png");
  if (g_strcmp0 (row->to, "=") == 0)
    {
      g_autofree char *to = follow_path (world, "to.png");

      follow_rename (world, "from.png", "to.png");
      world_set_mtime (to, row->to_mtime, 123456789);
      return;
    }
  if (row->to != NULL)
    follow_file (world, "to.png", row->to, row->to_mtime);
  /* The same file, so that its inode stays. */
  if (row->from != NULL)
    world_set_mtime (path, row->from_mtime, 123456789);
  else
    g_assert_no_errno (g_unlink (path));
}

static void
test_cases (World *world, gconstpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *from = follow_path (world, "from.png");
      g_autofree char *to = follow_path (world, "to.png");

      g_test_message ("%s", cases[i].name);
      arrange (world, &cases[i]);
      follow (world, cases[i].kind, "from.png", "to.png");
      g_assert_cmpuint (follow_count (world, "to.png"), ==, cases[i].at_to);
      g_assert_cmpuint (follow_count (world, "from.png"), ==, cases[i].at_from);
      if (cases[i].at_to > 0)
        g_assert_cmpuint (follow_count_valid (world, "to.png"), ==, cases[i].at_to);
      g_unlink (from);
      g_unlink (to);
      world_remove_tree (th_cache_root (world->cache));
    }
}

/* A picture renamed over another: its thumbnail takes the place, and where it has none the old one
 * goes, for it would be shown. A valid one of the new stays. */
static void
test_over_another (World *world, gconstpointer data)
{
  g_autofree char *missing = NULL;

  follow_file (world, "a.png", "one", 1000);
  follow_file (world, "b.png", "two", 1000);
  follow_thumbnails (world, "a.png");
  follow_thumbnails (world, "b.png");
  missing = follow_thumbnail (world, "a.png", 1);
  g_unlink (missing);
  follow_rename (world, "a.png", "b.png");
  follow (world, MOVE, "a.png", "b.png");
  expect (world, "b.png", ALL - 1, ALL - 1);
  expect (world, "a.png", 0, 0);
  follow_thumbnails (world, "b.png");
  follow (world, MOVE, "a.png", "b.png");
  expect (world, "b.png", ALL, ALL);
}

/* Two names change places; pairs in the order in which it happened. */
static void
test_swap (World *world, gconstpointer data)
{
  g_autofree char *a = follow_uri (world, "a.png");
  g_autofree char *b = follow_uri (world, "b.png");
  g_autofree char *c = follow_uri (world, "c.png");
  const char *const from[] = { a, b, c };
  const char *const to[] = { c, a, b };

  follow_file (world, "a.png", "one", 1000);
  follow_file (world, "b.png", "two", 1000);
  follow_thumbnails (world, "a.png");
  follow_thumbnails (world, "b.png");
  follow_rename (world, "a.png", "c.png");
  follow_rename (world, "b.png", "a.png");
  follow_rename (world, "c.png", "b.png");
  th_follow (world->cache, &moved, from, to, 3);
  expect (world, "c.png", 0, 0);
  /* c was seen only for a moment, so that b gets none; but neither has a wrong one. */
  expect (world, "a.png", ALL, ALL);
  expect (world, "b.png", 0, 0);
}

/* Some other program's: tumbler's fraction, no size; and what must not be taken. */
static void
test_foreign (World *world, gconstpointer data)
{
  g_autofree char *uri = follow_uri (world, "a.png");
  const ThPngTextEntry good[] = { { "Thumb::MTime", "1000.123456" }, { "Thumb::URI", uri } };
  const ThPngTextEntry wrong[][2] = {
    { { "Thumb::MTime", "1000.1" }, { "Thumb::URI", uri } },
    { { "Thumb::MTime", "1000" }, { "Thumb::URI", "file:///elsewhere" } },
    { { "Thumb::MTime", "1000" }, { "Description", uri } },
    { { "Thumb::Size", "3" }, { "Thumb::URI", uri } },
  };

  follow_file (world, "a.png", "one", 1000);
  follow_foreign (world, "a.png", good, 2);
  follow_rename (world, "a.png", "b.png");
  follow (world, MOVE, "a.png", "b.png");
  expect (world, "b.png", 1, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      follow_file (world, "a.png", "one", 1000);
      follow_foreign (world, "a.png", wrong[i], 2);
      follow_rename (world, "a.png", "c.png");
      follow (world, MOVE, "a.png", "c.png");
      expect (world, "c.png", 0, 0);
      expect (world, "a.png", 0, 0);
    }
}

/* What is no clean thumbnail goes nowhere. */
static void
test_hostile (World *world, gconstpointer data)
{
  g_autofree char *victim = follow_path (world, "victim");

  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *path = follow_thumbnail (world, "a.png", 0);
      g_autofree char *content = NULL;
      gsize size;

      follow_file (world, "a.png", "one", 1000);
      follow_thumbnails (world, "a.png");
      g_assert_true (g_file_get_contents (path, &content, &size, NULL));
      g_unlink (path);
      content[size / 2] ^= (char) (i == 0);
      if (i < 2)
        g_assert_true (g_file_set_contents (path, content, (gssize) (size - i), NULL));
      else if (i == 2)
        g_assert_true (g_file_set_contents (victim, content, (gssize) size, NULL)
                       && symlink (victim, path) == 0);
      else
        g_assert_cmpint (mkfifo (path, 0600), ==, 0);
      follow_rename (world, "a.png", "b.png");
      follow (world, MOVE, "a.png", "b.png");
      expect (world, "b.png", ALL - 1, ALL - 1);
      expect (world, "a.png", 0, 0);
    }
  g_assert_true (g_file_test (victim, G_FILE_TEST_EXISTS));
}

/* Neither into the cache nor to what is no file here; the source is not gone then, as far as one
 * knows. */
static void
test_elsewhere (World *world, gconstpointer data)
{
  static const char *const places[] = {
    "sftp://host/a.png", "file:///a%2", "", "file:///nowhere/at/all/a.png", "no uri",
  };
  g_autofree char *uri = follow_uri (world, "a.png");
  g_autofree char *inside = follow_thumbnail (world, "a.png", 0);

  follow_file (world, "a.png", "one", 1000);
  follow_thumbnails (world, "a.png");
  follow (world, MOVE, "a.png", strstr (inside, "xdg/"));
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      th_follow (world->cache, &moved, (const char *const *) &uri, &places[i], 1);
      th_follow (world->cache, &copied, (const char *const *) &uri, &places[i], 1);
      th_follow (world->cache, &copied, &places[i], (const char *const *) &uri, 1);
      th_follow (world->cache, &moved, &places[i], (const char *const *) &uri, 1);
    }
  expect (world, "a.png", ALL, ALL);
}

/* Nothing is known of what is not mounted. */
static void
test_not_gone (World *world, gconstpointer data)
{
  g_autofree char *stick = follow_path (world, "stick");

  follow_file (world, "stick/a.png", "one", 1000);
  follow_thumbnails (world, "stick/a.png");
  world_remove_tree (stick);
  follow (world, MOVE, "stick/a.png", "elsewhere/a.png");
  expect (world, "stick/a.png", ALL, 0);
}

static gboolean
is_small (const char *path, guint64 size, gpointer data)
{
  g_assert_cmpstr (path, ==, data);
  return size < 3;
}

/* By the rules of the person, who are asked about the new place. */
static void
test_forbidden (World *world, gconstpointer data)
{
  g_autofree char *path = follow_path (world, "b.png");
  g_autofree char *from = follow_uri (world, "a.png");
  g_autofree char *to = follow_uri (world, "b.png");
  const ThFollowOptions options = { TH_FOLLOW_MOVE, is_small, path, NULL, &never };

  for (guint i = 0; i < 2; i++)
    {
      follow_file (world, "a.png", i == 0 ? "one" : "1", 1000);
      follow_thumbnails (world, "a.png");
      follow_rename (world, "a.png", "b.png");
      th_follow (world->cache, &options, (const char *const *) &from, (const char *const *) &to, 1);
      expect (world, "b.png", i == 0 ? 0 : ALL, ALL);
      expect (world, "a.png", 0, 0);
    }
}

#define ADD(name, test)                                                                            \
  g_test_add ("/follow/" name, World, NULL, world_set_up, test, world_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("move", test_move);
  ADD ("copy", test_copy);
  ADD ("cases", test_cases);
  ADD ("over-another", test_over_another);
  ADD ("swap", test_swap);
  ADD ("foreign", test_foreign);
  ADD ("hostile", test_hostile);
  ADD ("elsewhere", test_elsewhere);
  ADD ("not-gone", test_not_gone);
  ADD ("forbidden", test_forbidden);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache/th-follow.h"
#include "cache/th-uri.h"
#include "follow-world.h"

#define MOVE  TH_FOLLOW_MOVE
#define COPY  TH_FOLLOW_COPY
#define ALL   3
#define MANY  5000u
#define KILLS 25
#define FEW   20u

static const gint never = 0;

static const ThFollowOptions moved = { .kind = TH_FOLLOW_MOVE, .stop = &never };
static const ThFollowOptions copied = { .kind = TH_FOLLOW_COPY, .stop = &never };

static void
follow (World *world, ThFollowKind kind, const char *const *names, guint pairs)
{
  g_autoptr (GPtrArray) from = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) to = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < pairs; i++)
    {
      g_ptr_array_add (from, follow_uri (world, names[2 * i]));
      g_ptr_array_add (to, follow_uri (world, names[2 * i + 1]));
    }
  th_follow (world->cache, kind == MOVE ? &moved : &copied, (const char *const *) from->pdata,
             (const char *const *) to->pdata, pairs);
}

static void
expect (World *world, const char *name, guint there)
{
  g_test_message ("%s", name);
  g_assert_cmpuint (follow_count (world, name), ==, there);
  g_assert_cmpuint (follow_count_valid (world, name), ==, there);
}

static void
make (World *world, const char *const *names)
{
  for (; *names != NULL; names++)
    {
      follow_file (world, *names, *names, 1000);
      follow_thumbnails (world, *names);
    }
}

/* At any depth, names that only begin alike left alone, the folder's own thumbnail too. */
static void
test_folder (World *world, gconstpointer data)
{
  static const char *const names[] = { "d/a.png", "d/e/f/b c.png", "d2/a.png", "d.png", NULL };
  static const char *const pair[] = { "d", "x/y" };
  g_autofree char *x = follow_path (world, "x");

  make (world, names);
  g_assert_no_errno (g_mkdir (x, 0700));
  follow_thumbnails (world, "d");
  follow_rename (world, "d", "x/y");
  follow (world, MOVE, pair, 1);
  expect (world, "x/y", ALL);
  expect (world, "x/y/a.png", ALL);
  expect (world, "x/y/e/f/b c.png", ALL);
  expect (world, "d2/a.png", ALL);
  expect (world, "d.png", ALL);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpuint (follow_count (world, names[i]), ==, 0);
  g_assert_cmpuint (follow_count (world, "d"), ==, 0);
}

/* Copies have a time of their own or not; what is no copy gets nothing; both have theirs at last,
 * also where the copy lies inside. */
static void
test_folder_copied (World *world, gconstpointer data)
{
  static const char *const names[] = { "d/a.png", "d/b.png", "d/c.png", NULL };
  static const char *const pairs[] = { "d", "x", "d", "d/in" };

  make (world, names);
  follow_copy (world, "d/a.png", "x/a.png", 1);
  follow_file (world, "x/b.png", names[1], 2000);
  follow_file (world, "x/c.png", "something else", 2000);
  follow_copy (world, "d/a.png", "d/in/a.png", 1000);
  follow (world, COPY, pairs, 2);
  expect (world, "x/a.png", ALL);
  expect (world, "x/b.png", ALL);
  expect (world, "x/c.png", 0);
  expect (world, "d/in/a.png", ALL);
  for (guint i = 0; names[i] != NULL; i++)
    expect (world, names[i], ALL);
}

/* Out of a folder that then went elsewhere itself, in one call. */
static void
test_nested (World *world, gconstpointer data)
{
  static const char *const names[] = { "d/a.png", "d/in/b.png", NULL };
  static const char *const pairs[] = { "d/in", "out", "d", "e" };

  make (world, names);
  follow_rename (world, "d/in", "out");
  follow_rename (world, "d", "e");
  follow (world, MOVE, pairs, 2);
  expect (world, "e/a.png", ALL);
  expect (world, "out/b.png", ALL);
}

/* What did not arrive: its thumbnails would be orphans. */
static void
test_lost_on_the_way (World *world, gconstpointer data)
{
  static const char *const names[] = { "d/a.png", "d/b.png", NULL };
  static const char *const pair[] = { "d", "e" };
  g_autofree char *lost = follow_path (world, "e/b.png");

  make (world, names);
  follow_rename (world, "d", "e");
  g_unlink (lost);
  follow (world, MOVE, pair, 1);
  expect (world, "e/a.png", ALL);
  g_assert_cmpuint (follow_count (world, "d/b.png"), ==, 0);
}

/* A misleading URI under a name that is not its own moves nothing. */
static void
test_misnamed (World *world, gconstpointer data)
{
  static const char *const pair[] = { "d", "e" };
  g_autofree char *right = NULL;
  g_autofree char *wrong = NULL;

  follow_file (world, "d/a.png", "x", 1000);
  follow_thumbnails (world, "d/a.png");
  right = follow_thumbnail (world, "d/a.png", 0);
  wrong = follow_thumbnail (world, "other", 0);
  g_assert_no_errno (g_rename (right, wrong));
  follow_rename (world, "d", "e");
  follow (world, MOVE, pair, 1);
  expect (world, "e/a.png", ALL - 1);
  g_assert_true (g_file_test (wrong, G_FILE_TEST_EXISTS));
}

/* So many files in one folder; each has its own in the end, and each pair of a long list too. */
static void
test_many (World *world, gconstpointer data)
{
  static const char *const pair[] = { "d", "e" };
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  guint8 black[3] = { 0 };
  g_autoptr (ThPngBody) body = th_png_encode (&(ThImage){ { 1, 1 }, 3, 3, black });

  for (guint i = 0; i < MANY; i++)
    {
      g_autofree char *name = g_strdup_printf ("d/%u.png", i);
      g_autofree char *uri = follow_uri (world, name);
      g_autofree char *path = follow_path (world, name);
      ThThumbnailInfo info = { .uri = uri };

      follow_file (world, name, name, 1000 + i);
      g_assert_true (th_stamp_from_path (path, &info.stamp, NULL, NULL));
      g_assert_true (th_cache_store (world->cache, FLAVOR, body, &info, NULL));
      g_ptr_array_add (names, g_strdup_printf ("e/%u.png", i));
      g_ptr_array_add (names, g_strdup_printf ("f/%u.png", i));
    }
  follow_rename (world, "d", "e");
  follow (world, MOVE, pair, 1);
  for (guint i = 0; i < MANY; i++)
    g_assert_cmpuint (follow_count_valid (world, names->pdata[2 * i]), ==, 1);
  follow_rename (world, "e", "f");
  follow (world, MOVE, (const char *const *) names->pdata, MANY);
  for (guint i = 0; i < MANY; i++)
    g_assert_cmpuint (follow_count_valid (world, names->pdata[2 * i + 1]), ==, 1);
}

static void
test_stopped (World *world, gconstpointer data)
{
  static const gint now = 1;
  static const ThFollowOptions stopped = { .kind = TH_FOLLOW_MOVE, .stop = &now };
  g_autofree char *from = follow_uri (world, "a.png");
  g_autofree char *to = follow_uri (world, "b.png");

  follow_file (world, "a.png", "x", 1000);
  follow_thumbnails (world, "a.png");
  follow_rename (world, "a.png", "b.png");
  th_follow (world->cache, &stopped, (const char *const *) &from, (const char *const *) &to, 1);
  g_assert_cmpuint (follow_count (world, "a.png"), ==, ALL);
}

static void
follow_and_kill (World *world, gulong us)
{
  static const char *const there[] = { "d", "e" };
  static const char *const back[] = { "e", "d" };
  int status = 0;
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      for (;;)
        {
          follow_rename (world, "d", "e");
          follow (world, MOVE, there, 1);
          follow_rename (world, "e", "d");
          follow (world, MOVE, back, 1);
        }
    }
  g_usleep (us);
  g_assert_cmpint (kill (child, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status));
}

/* Each file that has the name of a thumbnail is a whole one, under its own name, and does not say
 * of a file what is not so. */
static void
check_whole (World *world, const char *folder, guint *n)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (ThPngText) text = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *md5 = NULL;

      if (name[0] == '.')
        {
          g_unlink (path);
          continue;
        }
      text = th_png_text_read (path, &error);
      g_assert_no_error (error);
      md5 = th_uri_md5 (th_png_text_get (text, "Thumb::URI"));
      g_assert_true (g_str_has_prefix (name, md5));
      (*n)++;
    }
}

static void
put_back (World *world)
{
  g_autofree char *e = follow_path (world, "e");
  g_autofree char *d = follow_path (world, "d");

  if (g_file_test (e, G_FILE_TEST_IS_DIR))
    g_assert_no_errno (g_rename (e, d));
}

static void
test_killed (World *world, gconstpointer data)
{
  static const char *const places[] = { "normal", "x-large", FAILURES };
  g_autoptr (GRand) rand = g_rand_new_with_seed (28);

  for (guint i = 0; i < KILLS; i++)
    {
      guint n = 0;

      for (guint k = 0; k < FEW; k++)
        {
          g_autofree char *name = g_strdup_printf ("d/%u.png", k);

          follow_file (world, name, name, 1000);
          follow_thumbnails (world, name);
        }
      follow_and_kill (world, (gulong) g_rand_int_range (rand, 0, 20000));
      for (gsize k = 0; k < G_N_ELEMENTS (places); k++)
        {
          g_autofree char *folder =
              g_build_filename (th_cache_root (world->cache), places[k], NULL);

          check_whole (world, folder, &n);
        }
      g_assert_cmpuint (n, >=, FEW);
      put_back (world);
      world_remove_tree (th_cache_root (world->cache));
    }
}

#define ADD(name, test)                                                                            \
  g_test_add ("/follow-many/" name, World, NULL, world_set_up, test, world_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("folder", test_folder);
  ADD ("folder-copied", test_folder_copied);
  ADD ("nested", test_nested);
  ADD ("lost-on-the-way", test_lost_on_the_way);
  ADD ("misnamed", test_misnamed);
  ADD ("many", test_many);
  ADD ("stopped", test_stopped);
  ADD ("killed", test_killed);
  return g_test_run ();
}

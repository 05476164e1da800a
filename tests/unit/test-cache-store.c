/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <png.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/th-error.h"
#include "cache-world.h"

#define KILLS 100

static void
test_store (World *world, gconstpointer data)
{
  g_autofree char *flavor = g_path_get_dirname (world->thumbnail);
  g_autofree char *root = g_path_get_dirname (flavor);
  g_autofree char *parent = g_path_get_dirname (root);
  mode_t old = umask (0277);

  g_assert_cmpint (world_look_up (world), ==, TH_CACHE_MISSING);
  world_store (world);
  umask (old);
  g_assert_cmpuint (world_mode (world->thumbnail), ==, S_IFREG | 0600);
  g_assert_cmpuint (world_mode (flavor), ==, S_IFDIR | 0700);
  g_assert_cmpuint (world_mode (root), ==, S_IFDIR | 0700);
  g_assert_cmpuint (world_mode (parent), ==, S_IFDIR | 0700);
}

/* A symlink is not followed, neither reading nor writing; a FIFO does not make it wait. */
static void
test_other_kinds (World *world, gconstpointer data)
{
  g_autofree char *victim = g_build_filename (world->folder, "victim", NULL);

  world_store (world);
  g_assert_cmpint (g_rename (world->thumbnail, victim), ==, 0);
  g_assert_cmpint (symlink (victim, world->thumbnail), ==, 0);
  g_assert_cmpint (world_look_up (world), ==, TH_CACHE_CORRUPT);
  g_assert_true (g_file_set_contents (victim, "precious", -1, NULL));
  world_store (world);
  g_assert_cmpuint (world_mode (world->thumbnail), ==, S_IFREG | 0600);
  {
    g_autofree char *left = NULL;

    g_assert_true (g_file_get_contents (victim, &left, NULL, NULL));
    g_assert_cmpstr (left, ==, "precious");
  }
  g_unlink (world->thumbnail);
  g_assert_cmpint (mkfifo (world->thumbnail, 0600), ==, 0);
  g_assert_cmpint (world_look_up (world), ==, TH_CACHE_CORRUPT);
  world_store (world);
  g_unlink (world->thumbnail);
  g_assert_cmpint (g_mkdir (world->thumbnail, 0700), ==, 0);
  g_assert_cmpint (world_look_up (world), ==, TH_CACHE_CORRUPT);
  world_store_fails (world, world->thumbnail);
}

static void
test_folder_kinds (World *world, gconstpointer data)
{
  g_autofree char *elsewhere = g_build_filename (world->folder, "elsewhere", NULL);
  g_autofree char *flavor = g_path_get_dirname (world->thumbnail);
  g_autofree char *parent = g_path_get_dirname (th_cache_root (world->cache));

  /* A flavor folder that lies elsewhere is fine; one that leads nowhere or is a file is not. */
  g_assert_cmpint (g_mkdir (elsewhere, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (th_cache_root (world->cache), 0700), ==, 0);
  g_assert_cmpint (symlink (elsewhere, flavor), ==, 0);
  world_store (world);
  world_remove_tree (elsewhere);
  g_assert_cmpint (world_look_up (world), ==, TH_CACHE_MISSING);
  world_store_fails (world, flavor);
  g_assert_false (g_file_test (elsewhere, G_FILE_TEST_EXISTS));
  g_unlink (flavor);
  g_assert_true (g_file_set_contents (flavor, "", 0, NULL));
  world_store_fails (world, flavor);
  g_assert_cmpint (world_look_up (world), ==, TH_CACHE_MISSING);
  g_unlink (flavor);
  g_rmdir (th_cache_root (world->cache));
  /* The same of the root. */
  g_assert_cmpint (symlink (elsewhere, th_cache_root (world->cache)), ==, 0);
  g_assert_false (th_cache_check_writable (world->cache, NULL));
  world_store_fails (world, "leads nowhere");
  g_assert_cmpint (g_mkdir (elsewhere, 0700), ==, 0);
  g_assert_true (th_cache_check_writable (world->cache, NULL));
  world_store (world);
  g_unlink (th_cache_root (world->cache));
  g_rmdir (parent);
  g_assert_true (g_file_set_contents (parent, "", 0, NULL));
  g_assert_false (th_cache_check_writable (world->cache, NULL));
  world_store_fails (world, "not a folder");
}

#define RACES 300

typedef struct
{
  const char *parent;
  gint race; /* the one that is on, from 1 */
} Race;

static char *
race_root (const Race *race, int number)
{
  return g_strdup_printf ("%s/%d", race->parent, number);
}

static gpointer
make_roots (gpointer data)
{
  Race *race = data;

  for (int i = 1; i <= RACES; i++)
    {
      g_autofree char *root = race_root (race, i);

      while (g_atomic_int_get (&race->race) < i)
        g_thread_yield ();
      g_mkdir (root, 0700);
    }
  return NULL;
}

/* The first thumbnails of a new cache are stored by several threads at once. */
static void
test_root_comes_meanwhile (World *world, gconstpointer data)
{
  Race race = { .parent = world->folder };
  GThread *other = g_thread_new ("roots", make_roots, &race);

  for (int i = 1; i <= RACES; i++)
    {
      g_autofree char *root = race_root (&race, i);
      g_autoptr (ThCache) cache = th_cache_new (root, "x");
      g_autoptr (GError) error = NULL;

      g_atomic_int_set (&race.race, i);
      while (access (root, F_OK) != 0)
        g_assert_true (th_cache_check_writable (cache, &error));
    }
  g_thread_join (other);
}

/* Folders of another user: / and /usr for everybody but root. */
static void
test_foreign_owner (World *world, gconstpointer data)
{
  static const char *const roots[] = { "/thimble-test/thumbnails", "/usr/thimble-test",
                                       "/proc/thimble", "/" };

  if (geteuid () == 0)
    {
      g_test_skip ("4 cases left out: root owns the folders that they need");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (roots); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ThCache) cache = th_cache_new (roots[i], "x");
      ThThumbnailInfo info = world_info (world);

      g_assert_false (th_cache_check_writable (cache, &error));
      g_assert_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED);
      g_assert_false (th_cache_store (cache, FLAVOR, world->body, &info, NULL));
    }
}

/* As root after sudo: root may write there, but must not. */
static void
test_home_of_another (World *world, gconstpointer data)
{
  g_autofree char *home = g_build_filename (world->folder, "home", NULL);
  g_autofree char *root = g_build_filename (home, ".cache", "thumbnails", NULL);
  g_autofree char *made = g_build_filename (home, ".cache", NULL);
  g_autoptr (ThCache) cache = NULL;
  g_autoptr (GError) error = NULL;
  ThThumbnailInfo info = world_info (world);

  if (geteuid () != 0)
    {
      g_test_skip ("1 case left out: only root can give a folder away");
      return;
    }
  g_assert_cmpint (g_mkdir (home, 0777), ==, 0);
  g_assert_cmpint (chown (home, 12345, 12345), ==, 0);
  cache = th_cache_new (root, "x");
  g_assert_false (th_cache_check_writable (cache, &error));
  g_assert_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED);
  g_assert_false (th_cache_store (cache, FLAVOR, world->body, &info, NULL));
  g_assert_false (g_file_test (made, G_FILE_TEST_EXISTS));
  /* Also where the root is there, but a flavor folder is another's. */
  g_free (g_steal_pointer (&world->source));
  world_set_source (world, "again.png");
  world_store (world);
  {
    g_autofree char *flavor = g_path_get_dirname (world->thumbnail);

    g_assert_cmpint (chown (flavor, 12345, 12345), ==, 0);
    world_store_fails (world, "another user");
  }
}

static void
test_read_only (World *world, gconstpointer data)
{
  g_autofree char *flavor = g_path_get_dirname (world->thumbnail);

  world_store (world);
  if (geteuid () == 0)
    {
      g_test_skip ("2 cases left out: root may write into read-only folders");
      return;
    }
  g_assert_cmpint (g_chmod (flavor, 0500), ==, 0);
  g_assert_cmpint (world_look_up (world), ==, TH_CACHE_VALID);
  world_store_fails (world, flavor);
  g_assert_cmpint (g_chmod (flavor, 0700), ==, 0);
  g_assert_cmpint (g_chmod (th_cache_root (world->cache), 0500), ==, 0);
  g_assert_false (th_cache_check_writable (world->cache, NULL));
  g_assert_cmpint (g_chmod (th_cache_root (world->cache), 0700), ==, 0);
}

static void
test_full (World *world, gconstpointer data)
{
  g_autofree char *flavor = g_path_get_dirname (world->thumbnail);
  struct rlimit old, limit;
  void (*handler) (int) = signal (SIGXFSZ, SIG_IGN);

  world_store (world);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  limit = old;
  limit.rlim_cur = 1000;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  world_store_fails (world, world->thumbnail);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);
  signal (SIGXFSZ, handler);
  g_assert_cmpint (world_look_up (world), ==, TH_CACHE_VALID);
  g_assert_cmpuint (world_count_files (flavor), ==, 1);
}

static void
test_unrecordable_uri (World *world, gconstpointer data)
{
  static const char *const uris[] = { "", "file:///a\nb", NULL };
  ThThumbnailInfo info = world_info (world);

  for (gsize i = 0; i < G_N_ELEMENTS (uris); i++)
    {
      g_autoptr (GError) error = NULL;

      info.uri = uris[i];
      g_assert_false (th_cache_store (world->cache, FLAVOR, world->body, &info, &error));
      g_assert_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED);
    }
}

static void
make_old (const char *path, gint64 age)
{
  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
  world_set_mtime (path, g_get_real_time () / G_USEC_PER_SEC - age, 0);
}

static void
test_stale_temporaries (World *world, gconstpointer data)
{
  g_autofree char *flavor = g_path_get_dirname (world->thumbnail);
  g_autofree char *old = g_build_filename (flavor, ".thimble-0123456789ab", NULL);
  g_autofree char *young = g_build_filename (flavor, ".thimble-0123456789ac", NULL);
  g_autofree char *foreign_file = g_build_filename (flavor, ".thimble-0123456789a!", NULL);
  g_autofree char *folder = g_build_filename (flavor, ".thimble-0123456789ad", NULL);

  th_cache_remove_stale_temporaries (world->cache);
  world_store (world);
  world_set_mtime (world->thumbnail, 5, 0);
  make_old (old, 3700);
  make_old (young, 3500);
  make_old (foreign_file, 100000);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  world_set_mtime (folder, 5, 0);
  th_cache_remove_stale_temporaries (world->cache);
  g_assert_false (g_file_test (old, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (world_count_files (flavor), ==, 4);
}

/* libpng reads all of it without a complaint. */
static void
expect_whole_png (const char *path)
{
  png_image png = { .version = PNG_IMAGE_VERSION };
  g_autofree guint8 *pixels = NULL;

  g_assert_true (png_image_begin_read_from_file (&png, path));
  png.format = PNG_FORMAT_RGB;
  pixels = g_malloc (PNG_IMAGE_SIZE (png));
  g_assert_true (png_image_finish_read (&png, NULL, pixels, 0, NULL));
  g_assert_cmpuint (png.warning_or_error, ==, 0);
  png_image_free (&png);
}

/* Says each one that is done. */
static void
store_for_ever (World *world, int done)
{
  for (int i = 0;; i = (i + 1) % 5)
    {
      g_autofree char *uri = g_strdup_printf ("file:///%d", i);
      ThThumbnailInfo info = world_info (world);

      info.uri = uri;
      if (!th_cache_store (world->cache, FLAVOR, world->body, &info, NULL)
          || write (done, "", 1) != 1)
        _exit (1);
    }
}

/* Killed at some moment after so many. */
static void
store_and_kill (World *world, int n, gulong delay)
{
  int ends[2];
  int status;
  char byte;
  pid_t child;

  g_assert_cmpint (pipe (ends), ==, 0);
  child = fork ();
  if (child == 0)
    store_for_ever (world, ends[1]);
  close (ends[1]);
  for (int i = 0; i < n; i++)
    g_assert_cmpint (read (ends[0], &byte, 1), ==, 1);
  g_usleep (delay);
  g_assert_cmpint (kill (child, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status));
  close (ends[0]);
}

static guint
check_all (const char *flavor)
{
  GDir *dir = g_dir_open (flavor, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (flavor, name, NULL);

      if (name[0] == '.')
        {
          g_unlink (path);
          continue;
        }
      expect_whole_png (path);
      n++;
    }
  g_clear_pointer (&dir, g_dir_close);
  return n;
}

static void
test_kill (World *world, gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (27);
  g_autofree char *flavor = g_path_get_dirname (world->thumbnail);
  guint most = 0;

  for (int i = 0; i < KILLS; i++)
    {
      int n = g_rand_int_range (rand, 0, 8);
      guint found;

      store_and_kill (world, n, (gulong) g_rand_int_range (rand, 0, 1000));
      found = check_all (flavor);
      most = MAX (most, found);
    }
  g_assert_cmpuint (most, ==, 5);
}

#define ADD(name, test)                                                                            \
  g_test_add ("/cache-store/" name, World, NULL, world_set_up, test, world_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("store", test_store);
  ADD ("other-kinds", test_other_kinds);
  ADD ("folder-kinds", test_folder_kinds);
  ADD ("root-comes-meanwhile", test_root_comes_meanwhile);
  ADD ("foreign-owner", test_foreign_owner);
  ADD ("home-of-another", test_home_of_another);
  ADD ("read-only", test_read_only);
  ADD ("full", test_full);
  ADD ("unrecordable-uri", test_unrecordable_uri);
  ADD ("stale-temporaries", test_stale_temporaries);
  ADD ("kill", test_kill);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl clean as people and timers call it. */
#include "config.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bus-fixture.h"
#include "cache/th-cache.h"
#include "cache/th-uri.h"

#define DAY   (24 * 3600)
#define FILES 8u

typedef struct
{
  char *folder;
  char *config;
  char *ctl;
  ThCache *cache;
  char *paths[FILES]; /* of thumbnails, each used half a day and i days ago */
  guint64 bytes;      /* of each */
} Fixture;

typedef struct
{
  int status;
  char *out;
  char *err;
} Said;

static void
said_clear (Said *said)
{
  g_free (said->out);
  g_free (said->err);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Said, said_clear)

static void
store (Fixture *fixture, const ThPngBody *body, guint i)
{
  const struct timespec times[2] = { { time (NULL) - i * DAY - DAY / 2, 0 },
                                     { time (NULL) - i * DAY - DAY / 2, 0 } };
  g_autofree char *name = g_strdup_printf ("%u.png", i);
  g_autofree char *source = g_build_filename (fixture->folder, "pictures", name, NULL);
  g_autofree char *uri = th_uri_from_path (source);
  ThThumbnailInfo info = { .uri = uri, .mime_type = "image/png" };
  struct stat st;

  g_assert_true (g_file_set_contents (source, "x", 1, NULL));
  g_assert_true (th_stamp_from_path (source, &info.stamp, NULL, NULL));
  g_assert_true (th_cache_store (fixture->cache, TH_FLAVOR_LARGE, body, &info, NULL));
  fixture->paths[i] = th_cache_path (fixture->cache, uri, TH_FLAVOR_LARGE);
  g_assert_cmpint (utimensat (AT_FDCWD, fixture->paths[i], times, 0), ==, 0);
  g_assert_cmpint (stat (fixture->paths[i], &st), ==, 0);
  fixture->bytes = (guint64) st.st_blocks * 512;
}

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  g_autofree guint8 *pixels = g_malloc0 (64 * 64 * 3);
  g_autoptr (ThPngBody) body = th_png_encode (&(ThImage){ { 64, 64 }, 3, 64 * 3, pixels });
  g_autofree char *root = NULL;
  g_autofree char *pictures = NULL;

  fixture->folder = g_dir_make_tmp ("thimble-clean-XXXXXX", NULL);
  fixture->ctl = test_program ("../src/ctl/thimblectl");
  fixture->config = g_build_filename (fixture->folder, "thimble", "thimble.conf", NULL);
  root = g_build_filename (fixture->folder, "thumbnails", NULL);
  pictures = g_build_filename (fixture->folder, "pictures", NULL);
  g_assert_cmpint (g_mkdir (pictures, 0700), ==, 0);
  fixture->cache = th_cache_new (root, "test");
  for (guint i = 0; i < FILES; i++)
    store (fixture, body, i);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_remove (path);
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  remove_tree (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->config);
  g_free (fixture->ctl);
  th_cache_free (fixture->cache);
  for (guint i = 0; i < FILES; i++)
    g_free (fixture->paths[i]);
}

static void
clean (Fixture *fixture, const char *options, Said *said)
{
  g_auto (GStrv) words = g_strsplit (options, " ", -1);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;

  said_clear (said);
  g_ptr_array_add (argv, fixture->ctl);
  g_ptr_array_add (argv, (gpointer) "clean");
  for (char **word = words; *word != NULL; word++)
    if (**word != '\0')
      g_ptr_array_add (argv, *word);
  g_ptr_array_add (argv, NULL);
  g_subprocess_launcher_setenv (launcher, "XDG_CACHE_HOME", fixture->folder, TRUE);
  g_subprocess_launcher_setenv (launcher, "XDG_CONFIG_HOME", fixture->folder, TRUE);
  g_subprocess_launcher_setenv (launcher, "XDG_CONFIG_DIRS", fixture->folder, TRUE);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) argv->pdata, NULL);
  g_assert_nonnull (process);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &said->out, &said->err, NULL));
  g_assert_true (g_subprocess_get_if_exited (process));
  said->status = g_subprocess_get_exit_status (process);
  g_test_message ("%s%s", said->out, said->err);
}

static void
check_left (Fixture *fixture, guint n)
{
  for (guint i = 0; i < FILES; i++)
    g_assert_cmpint (g_file_test (fixture->paths[i], G_FILE_TEST_EXISTS), ==, i < n);
}

static void
configure (Fixture *fixture, const char *text)
{
  g_autofree char *folder = g_path_get_dirname (fixture->config);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (fixture->config, text, -1, NULL));
}

static void
test_defaults (Fixture *fixture, gconstpointer unused)
{
  g_auto (Said) said = { 0 };

  clean (fixture, "", &said);
  g_assert_cmpint (said.status, ==, 0);
  check_left (fixture, FILES);
  g_assert_nonnull (strstr (said.out, "1.0"));
  g_assert_nonnull (strstr (said.out, "180 days"));
}

static void
test_age (Fixture *fixture, gconstpointer unused)
{
  g_auto (Said) said = { 0 };

  clean (fixture, "--dry-run --max-age=5", &said);
  g_assert_cmpint (said.status, ==, 0);
  check_left (fixture, FILES);
  g_assert_nonnull (strstr (said.out, "Would free"));
  clean (fixture, "--max-age=5", &said);
  g_assert_cmpint (said.status, ==, 0);
  check_left (fixture, 5);
  g_assert_nonnull (strstr (said.out, "not used for too long"));
}

static void
test_size (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *option =
      g_strdup_printf ("--verbose --max-size=%" G_GUINT64_FORMAT "K", fixture->bytes * 3 / 1024);
  g_auto (Said) said = { 0 };

  clean (fixture, option, &said);
  g_assert_cmpint (said.status, ==, 0);
  check_left (fixture, 3);
  for (guint i = 3; i < FILES; i++)
    {
      g_autofree char *line = g_strdup_printf ("excess\t%s\tfile:///", fixture->paths[i]);

      g_assert_nonnull (strstr (said.out, line));
    }
  clean (fixture, "--quiet --max-size=0", &said);
  g_assert_cmpint (said.status, ==, 0);
  g_assert_cmpstr (said.out, ==, "");
  check_left (fixture, 0);
}

static void
test_json (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *expected = g_strdup_printf (
      "\"removed\":{\"files\":2,\"bytes\":%" G_GUINT64_FORMAT "}", 2 * fixture->bytes);
  g_auto (Said) said = { 0 };

  clean (fixture, "--json --max-age=6 --dry-run", &said);
  g_assert_cmpint (said.status, ==, 0);
  g_assert_nonnull (strstr (said.out, expected));
  g_assert_nonnull (strstr (said.out, "\"unused\":{\"files\":2,"));
  g_assert_nonnull (strstr (said.out, "\"complete\":true"));
  check_left (fixture, FILES);
}

static void
test_settings (Fixture *fixture, gconstpointer unused)
{
  g_auto (Said) said = { 0 };

  configure (fixture, "[cache]\nmax-age-days=5\nmax-size-mib=9999999\n");
  clean (fixture, "--background", &said);
  g_assert_cmpint (said.status, ==, 0);
  g_assert_cmpstr (said.out, ==, "");
  g_assert_nonnull (strstr (said.err, "max-size-mib"));
  check_left (fixture, 5);
  clean (fixture, "--max-age=2", &said);
  check_left (fixture, 2);
}

/* What is not understood removes nothing. */
static void
test_wrong (Fixture *fixture, gconstpointer unused)
{
  static const char *const wrong[] = {
    "--max-size=",          "--max-size=-1",   "--max-size=1X",    "--max-size=1GB",
    "--max-size=99999999T", "--max-age=",      "--max-age=1.5",    "--max-age=36501",
    "--max-age=-1",         "--no-such-thing", "--json --verbose", "/home",
  };
  g_auto (Said) said = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      clean (fixture, wrong[i], &said);
      g_assert_cmpint (said.status, ==, 2);
      g_assert_cmpstr (said.out, ==, "");
      check_left (fixture, FILES);
    }
  configure (fixture, "[cache\nmax-age-days=1\n");
  clean (fixture, "--max-age=1", &said);
  g_assert_cmpint (said.status, ==, 1);
  check_left (fixture, FILES);
}

static void
test_orphans (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *source = g_build_filename (fixture->folder, "pictures", "2.png", NULL);
  g_auto (Said) said = { 0 };

  /* The thumbnail was made before the file left. */
  g_assert_cmpint (g_remove (source), ==, 0);
  clean (fixture, "", &said);
  g_assert_cmpint (said.status, ==, 0);
  if (strstr (said.out, "of files that are gone") == NULL)
    g_test_skip ("the temporary folder is none where files are known to be gone");
  else
    g_assert_false (g_file_test (fixture->paths[2], G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (fixture->paths[1], G_FILE_TEST_EXISTS));
}

static void
test_busy (Fixture *fixture, gconstpointer unused)
{
  int root = open (th_cache_root (fixture->cache), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_auto (Said) said = { 0 };

  g_assert_cmpint (flock (root, LOCK_EX), ==, 0);
  clean (fixture, "--max-age=1", &said);
  g_assert_cmpint (said.status, ==, 1);
  clean (fixture, "--max-age=1 --background", &said);
  g_assert_cmpint (said.status, ==, 0);
  check_left (fixture, FILES);
  close (root);
}

#define ADD(path, test) g_test_add ("/clean/" path, Fixture, NULL, set_up, test, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("defaults", test_defaults);
  ADD ("age", test_age);
  ADD ("size", test_size);
  ADD ("json", test_json);
  ADD ("settings", test_settings);
  ADD ("wrong", test_wrong);
  ADD ("orphans", test_orphans);
  ADD ("busy", test_busy);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/th-error.h"
#include "cache/th-atomic.h"

#define KILLS 100
#define BYTES (200 * 1000)

typedef struct
{
  char *folder;
  char *path;
} Place;

static void
place_set_up (Place *place, gconstpointer data)
{
  place->folder = g_dir_make_tmp ("thimble-atomic-XXXXXX", NULL);
  g_assert_nonnull (place->folder);
  place->path = g_build_filename (place->folder, "x.png", NULL);
}

static void
place_tear_down (Place *place, gconstpointer data)
{
  g_remove (place->path);
  g_assert_cmpint (g_rmdir (place->folder), ==, 0);
  g_free (place->folder);
  g_free (place->path);
}

/* Each file is one byte, as often as fits. */
static GBytes *
make_bytes (guint8 byte, gsize size)
{
  guint8 *data = g_malloc (size);

  memset (data, byte, size);
  return g_bytes_new_take (data, size);
}

static guint
count_files (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

static void
expect_whole (const char *path, gsize size)
{
  g_autofree char *data = NULL;
  gsize got;

  g_assert_true (g_file_get_contents (path, &data, &got, NULL));
  g_assert_cmpuint (got, ==, size);
  for (gsize i = 1; i < got; i++)
    g_assert_cmpint (data[i], ==, data[0]);
}

static void
expect_failure (Place *place, GBytes *bytes)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (th_atomic_write (place->path, bytes, &error));
  g_assert_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED);
  g_assert_nonnull (strstr (error->message, place->path));
}

static void
test_replace (Place *place, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  for (guint8 i = 0; i < 3; i++)
    {
      g_autoptr (GBytes) bytes = make_bytes (i, BYTES - i);

      g_assert_true (th_atomic_write (place->path, bytes, &error));
      g_assert_no_error (error);
      expect_whole (place->path, BYTES - i);
    }
  g_assert_cmpuint (count_files (place->folder), ==, 1);
}

static void
test_mode (Place *place, gconstpointer data)
{
  static const mode_t masks[] = { 0, 022, 077, 0277, 0777 };
  g_autoptr (GBytes) bytes = make_bytes (1, 10);
  mode_t old = umask (0);

  for (gsize i = 0; i < G_N_ELEMENTS (masks); i++)
    {
      struct stat st;

      umask (masks[i]);
      g_assert_true (th_atomic_write (place->path, bytes, NULL));
      g_assert_cmpint (stat (place->path, &st), ==, 0);
      g_assert_cmpuint (st.st_mode & 07777, ==, 0600);
    }
  umask (old);
}

static void
test_symlink (Place *place, gconstpointer data)
{
  g_autofree char *target = g_build_filename (place->folder, "target", NULL);
  g_autoptr (GBytes) bytes = make_bytes (2, 10);
  struct stat st;

  g_assert_true (g_file_set_contents (target, "mine", -1, NULL));
  g_assert_cmpint (symlink (target, place->path), ==, 0);
  g_assert_true (th_atomic_write (place->path, bytes, NULL));
  g_assert_cmpint (lstat (place->path, &st), ==, 0);
  g_assert_true (S_ISREG (st.st_mode));
  g_assert_cmpint (stat (target, &st), ==, 0);
  g_assert_cmpint (st.st_size, ==, 4);
  g_unlink (target);
}

static void
test_fifo (Place *place, gconstpointer data)
{
  g_autoptr (GBytes) bytes = make_bytes (2, 10);

  g_assert_cmpint (mkfifo (place->path, 0600), ==, 0);
  g_assert_true (th_atomic_write (place->path, bytes, NULL));
  expect_whole (place->path, 10);
}

static void
test_folder_there (Place *place, gconstpointer data)
{
  g_autoptr (GBytes) bytes = make_bytes (3, 10);

  g_assert_cmpint (g_mkdir (place->path, 0700), ==, 0);
  expect_failure (place, bytes);
  g_assert_cmpuint (count_files (place->folder), ==, 1);
}

static void
test_no_folder (Place *place, gconstpointer data)
{
  g_autoptr (GBytes) bytes = make_bytes (3, 10);

  g_free (place->path);
  place->path = g_build_filename (place->folder, "missing", "x.png", NULL);
  expect_failure (place, bytes);
  g_assert_cmpuint (count_files (place->folder), ==, 0);
}

static void
test_read_only (Place *place, gconstpointer data)
{
  g_autoptr (GBytes) bytes = make_bytes (4, 10);

  if (geteuid () == 0)
    {
      g_test_skip ("1 case left out: root may write into read-only folders");
      return;
    }
  g_assert_cmpint (g_chmod (place->folder, 0500), ==, 0);
  expect_failure (place, bytes);
  g_assert_cmpint (g_chmod (place->folder, 0700), ==, 0);
  g_assert_cmpuint (count_files (place->folder), ==, 0);
}

/* What a full disk looks like: part of it is written, then no more. */
static void
test_full (Place *place, gconstpointer data)
{
  g_autoptr (GBytes) small = make_bytes (5, 1000);
  g_autoptr (GBytes) large = make_bytes (6, BYTES);
  struct rlimit old, limit;
  void (*handler) (int) = signal (SIGXFSZ, SIG_IGN);

  g_assert_true (th_atomic_write (place->path, small, NULL));
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  limit = old;
  limit.rlim_cur = BYTES / 2;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  expect_failure (place, large);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);
  signal (SIGXFSZ, handler);
  expect_whole (place->path, 1000);
  g_assert_cmpuint (count_files (place->folder), ==, 1);
}

static void
test_names (Place *place, gconstpointer data)
{
  g_autofree char *longest = g_strnfill (255, 'x');
  g_autofree char *almost = g_strnfill (249, 'y');
  const char *const names[] = { longest,    almost,       "-rf",        "new\nline",
                                "\xff\xfe", "50% #[;] ?", ".thimble-x", " " };
  g_autoptr (GBytes) bytes = make_bytes (7, 10);

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (place->folder, names[i], NULL);

      g_assert_true (th_atomic_write (path, bytes, NULL));
      expect_whole (path, 10);
      g_assert_false (th_atomic_is_temporary (names[i]));
      g_unlink (path);
    }
  g_assert_cmpuint (count_files (place->folder), ==, 0);
}

static void
test_relative (Place *place, gconstpointer data)
{
  g_autofree char *here = g_get_current_dir ();
  g_autoptr (GBytes) bytes = make_bytes (8, 10);

  g_assert_cmpint (g_chdir (place->folder), ==, 0);
  g_assert_true (th_atomic_write ("x.png", bytes, NULL));
  g_assert_cmpint (g_chdir (here), ==, 0);
  expect_whole (place->path, 10);
}

static void
test_temporary_names (void)
{
  g_assert_true (th_atomic_is_temporary (".thimble-0123456789az"));
  g_assert_false (th_atomic_is_temporary (".thimble-0123456789a"));
  g_assert_false (th_atomic_is_temporary (".thimble-0123456789azb"));
  g_assert_false (th_atomic_is_temporary (".thimble-0123456789aZ"));
  g_assert_false (th_atomic_is_temporary (".Thimble-0123456789az"));
  g_assert_false (th_atomic_is_temporary ("c6ee772d9e49320e97ec29a7eb5b1697.png"));
  g_assert_false (th_atomic_is_temporary (""));
}

static pid_t
start_writer (const char *path, guint8 byte, gsize size)
{
  pid_t child = fork ();

  g_assert_cmpint (child, >=, 0);
  if (child > 0)
    return child;
  for (;;)
    {
      g_autoptr (GBytes) bytes = make_bytes (byte, size);

      if (!th_atomic_write (path, bytes, NULL))
        _exit (1);
    }
}

static void
stop_writer (pid_t child)
{
  int status;

  g_assert_cmpint (kill (child, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFSIGNALED (status));
}

/* What a killed writer leaves: at most one temporary each. Returns how many. */
static guint
remove_temporaries (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (!th_atomic_is_temporary (name))
        continue;
      g_assert_cmpint (g_unlink (path), ==, 0);
      n++;
    }
  g_dir_close (dir);
  return n;
}

static void
test_kill (Place *place, gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (25);
  g_autoptr (GBytes) first = make_bytes (1, BYTES);

  g_assert_true (th_atomic_write (place->path, first, NULL));
  for (guint8 i = 0; i < KILLS; i++)
    {
      pid_t child = start_writer (place->path, i, BYTES);

      g_usleep ((gulong) g_rand_int_range (rand, 0, 5000));
      stop_writer (child);
      expect_whole (place->path, BYTES);
      g_assert_cmpuint (remove_temporaries (place->folder), <=, 1);
    }
  g_assert_cmpuint (count_files (place->folder), ==, 1);
}

/* Whoever is last wins, whole. */
static void
test_two_writers (Place *place, gconstpointer data)
{
  g_autoptr (GBytes) first = make_bytes (1, BYTES);
  pid_t one, two;

  g_assert_true (th_atomic_write (place->path, first, NULL));
  one = start_writer (place->path, 1, BYTES);
  two = start_writer (place->path, 2, BYTES);
  for (int i = 0; i < 200; i++)
    expect_whole (place->path, BYTES);
  stop_writer (one);
  stop_writer (two);
  remove_temporaries (place->folder);
}

#define ADD(name, test)                                                                            \
  g_test_add ("/atomic/" name, Place, NULL, place_set_up, test, place_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("replace", test_replace);
  ADD ("mode", test_mode);
  ADD ("symlink", test_symlink);
  ADD ("fifo", test_fifo);
  ADD ("folder-there", test_folder_there);
  ADD ("no-folder", test_no_folder);
  ADD ("read-only", test_read_only);
  ADD ("full", test_full);
  ADD ("names", test_names);
  ADD ("relative", test_relative);
  g_test_add_func ("/atomic/temporary-names", test_temporary_names);
  ADD ("kill", test_kill);
  ADD ("two-writers", test_two_writers);
  return g_test_run ();
}

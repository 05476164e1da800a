/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-open.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

typedef struct
{
  char *folder;
  char *path; /* of what is to be opened: nothing yet */
} Place;

static void
set_up (Place *place, gconstpointer data)
{
  place->folder = g_dir_make_tmp ("thimble-open-XXXXXX", NULL);
  g_assert_nonnull (place->folder);
  place->path = g_build_filename (place->folder, "source", NULL);
}

static void
tear_down (Place *place, gconstpointer data)
{
  g_remove (place->path);
  g_assert_cmpint (g_rmdir (place->folder), ==, 0);
  g_free (place->path);
  g_free (place->folder);
}

/* The lowest free number: it is the same again where nothing was left open. */
static int
free_descriptor (void)
{
  const int fd = open ("/", O_PATH | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  close (fd);
  return fd;
}

static void
assert_refused (const char *path, GFileError code)
{
  g_autoptr (GError) error = NULL;
  const int next = free_descriptor ();

  g_assert_cmpint (th_open_regular (path, &error), ==, -1);
  g_assert_error (error, G_FILE_ERROR, (int) code);
  g_assert_cmpint (free_descriptor (), ==, next);
}

static void
assert_opened (const char *path)
{
  g_autoptr (GError) error = NULL;
  const int next = free_descriptor ();
  const int fd = th_open_regular (path, &error);
  char text[8] = { 0 };

  g_assert_no_error (error);
  g_assert_cmpint (fcntl (fd, F_GETFL) & O_ACCMODE, ==, O_RDONLY);
  g_assert_cmpint (fcntl (fd, F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);
  g_assert_cmpint (read (fd, text, sizeof text), ==, 5);
  g_assert_cmpstr (text, ==, "hello");
  close (fd);
  g_assert_cmpint (free_descriptor (), ==, next);
}

static void
test_regular (Place *place, gconstpointer data)
{
  g_autofree char *link = g_build_filename (place->folder, "link", NULL);

  g_assert_true (g_file_set_contents (place->path, "hello", -1, NULL));
  assert_opened (place->path);
  g_assert_cmpint (symlink ("source", link), ==, 0);
  assert_opened (link);
  g_unlink (link);
}

static void
test_missing (Place *place, gconstpointer data)
{
  assert_refused (place->path, G_FILE_ERROR_NOENT);
  assert_refused ("", G_FILE_ERROR_NOENT);
  g_assert_cmpint (symlink ("nowhere", place->path), ==, 0);
  assert_refused (place->path, G_FILE_ERROR_NOENT);
  g_unlink (place->path);
  g_assert_cmpint (symlink ("source", place->path), ==, 0);
  assert_refused (place->path, G_FILE_ERROR_LOOP);
}

static void
test_folder (Place *place, gconstpointer data)
{
  assert_refused (place->folder, G_FILE_ERROR_ISDIR);
}

/* Opened as a source it would wait for a writer; opened at all, it would let one go on. */
static void
test_fifo (Place *place, gconstpointer data)
{
  int writer;

  g_assert_cmpint (mkfifo (place->path, 0600), ==, 0);
  assert_refused (place->path, G_FILE_ERROR_INVAL);
  writer = open (place->path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  g_assert_cmpint (writer, ==, -1);
}

static void
test_socket (Place *place, gconstpointer data)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  const int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

  g_strlcpy (address.sun_path, place->path, sizeof address.sun_path);
  g_assert_cmpint (bind (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
  assert_refused (place->path, G_FILE_ERROR_INVAL);
  close (fd);
}

static void
test_device (Place *place, gconstpointer data)
{
  assert_refused ("/dev/null", G_FILE_ERROR_INVAL);
}

static void
test_unreadable (Place *place, gconstpointer data)
{
  if (geteuid () == 0)
    {
      g_test_skip ("1 case left out: root may read everything");
      return;
    }
  g_assert_true (g_file_set_contents (place->path, "hello", -1, NULL));
  g_assert_cmpint (g_chmod (place->path, 0200), ==, 0);
  assert_refused (place->path, G_FILE_ERROR_ACCES);
}

#define ADD(name, test) g_test_add ("/open/" name, Place, NULL, set_up, test, tear_down)

/* A picture of the caller's own memory would be handed to a worker otherwise. */
static void
test_kernel (Place *place, gconstpointer data)
{
  const char *const rows[] = { "/proc/self/mem", "/proc/version",
                               "/sys/kernel/mm/transparent_hugepage/enabled" };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_file_test (rows[i], G_FILE_TEST_EXISTS))
      assert_refused (rows[i], G_FILE_ERROR_INVAL);
  g_assert_cmpint (symlink ("/proc/self/environ", place->path), ==, 0);
  assert_refused (place->path, G_FILE_ERROR_INVAL);
}

static gboolean
is_null_device (int fd)
{
  struct stat null, st;

  return stat ("/dev/null", &null) == 0 && fstat (fd, &st) == 0 && S_ISCHR (st.st_mode)
         && st.st_rdev == null.st_rdev;
}

/* What is opened next must not become standard error; what is there stays. Without a Place, which
 * the process that ends in the middle would leave behind. */
static void
test_standard_streams (void)
{
  if (g_test_subprocess ())
    {
      const int kept = dup (STDIN_FILENO);
      struct stat before, after;

      fstat (STDIN_FILENO, &before);
      close (STDOUT_FILENO);
      close (STDERR_FILENO);
      if (!th_open_standard_streams () || !is_null_device (STDOUT_FILENO)
          || !is_null_device (STDERR_FILENO) || open ("/", O_PATH | O_CLOEXEC) != kept + 1)
        _exit (1);
      fstat (STDIN_FILENO, &after);
      _exit (before.st_ino == after.st_ino && before.st_dev == after.st_dev ? 0 : 1);
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("regular", test_regular);
  ADD ("missing", test_missing);
  ADD ("folder", test_folder);
  ADD ("fifo", test_fifo);
  ADD ("socket", test_socket);
  ADD ("device", test_device);
  ADD ("unreadable", test_unreadable);
  ADD ("kernel", test_kernel);
  g_test_add_func ("/open/standard-streams", test_standard_streams);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a real reader says about paths on ordinary file systems. */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <utime.h>

#include "reader-world.h"
#include "wire/th-wrap.h"

#define SIZE 1000000u

static void
check_facts (const ThFacts *facts, const char *path)
{
  g_autofree char *real = realpath (path, NULL);
  ThStamp stamp;
  struct stat st;

  g_assert_true (th_stamp_from_path (path, &stamp, &st, NULL));
  g_assert_cmpmem (&facts->st.st_mtim, sizeof st.st_mtim, &st.st_mtim, sizeof st.st_mtim);
  g_assert_cmpuint (facts->st.st_dev, ==, st.st_dev);
  g_assert_cmpuint (facts->st.st_ino, ==, st.st_ino);
  g_assert_cmpuint (facts->st.st_mode, ==, st.st_mode);
  g_assert_cmpint (facts->st.st_size, ==, st.st_size);
  g_assert_true (th_stamp_equal (&facts->stamp, &stamp));
  g_assert_cmpuint (facts->stamp.inode, ==, stamp.inode);
  g_assert_cmpstr (facts->path, ==, real);
  g_assert_null (facts->mime_type);
  g_assert_false (facts->has_preview);
}

static void
test_file (World *world, gconstpointer unused)
{
  g_autofree char *data = world_data (SIZE, 1);
  g_autofree char *path = world_file (world, "a.jpg", data, SIZE);
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = world_look (world, path, &facts);
  int fd;

  check_facts (&facts, path);
  g_assert_true (facts.readable);
  for (guint i = 0; i < 3; i++)
    {
      world_check_copy (world_open (reading, TH_READ_COPY, &facts), data, SIZE);
      check_facts (&facts, path);
      g_assert_true (th_reading_is_unchanged (reading));
    }
  world_open_fails (reading, TH_READ_PREVIEW, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  fd = th_unwrap (world_open (reading, TH_READ_DIRECT, &facts));
  g_assert_cmpint (fcntl (fd, F_GETFL) & O_ACCMODE, ==, O_RDONLY);
  check_facts (&facts, path);
  {
    g_autofree char *read_back = g_malloc (SIZE);

    g_assert_cmpint (pread (fd, read_back, SIZE, 0), ==, SIZE);
    g_assert_cmpmem (read_back, SIZE, data, SIZE);
  }
  close (fd);
  g_assert_true (th_reading_is_unchanged (reading));
}

/* Sizes about what is read and what is reported at once. */
static void
test_sizes (World *world, gconstpointer unused)
{
  static const gsize sizes[] = { 0, 1, 131071, 131072, 131073, 262144, 3000000 };
  g_autofree char *data = world_data (3000000, 2);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *path = world_file (world, "a", data, sizes[i]);
      g_auto (ThFacts) facts = { 0 };
      g_autoptr (ThReading) reading = world_look (world, path, &facts);

      g_assert_cmpint (facts.st.st_size, ==, sizes[i]);
      world_check_copy (world_open (reading, TH_READ_COPY, &facts), data, sizes[i]);
      g_assert_true (th_reading_is_unchanged (reading));
    }
}

static void
test_too_large (World *world, gconstpointer unused)
{
  g_autofree char *path = world_file (world, "a", "0123456789", 10);
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;
  int fd;

  world->options.max_bytes = 9;
  world_start (world);
  reading = world_look (world, path, &facts);
  world_open_fails (reading, TH_READ_COPY, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE);
  fd = th_unwrap (world_open (reading, TH_READ_DIRECT, &facts));
  close (fd);
  g_clear_pointer (&reading, th_reading_free);
  world->options.max_bytes = 10;
  world_start (world);
  reading = world_look (world, path, &facts);
  world_check_copy (world_open (reading, TH_READ_COPY, &facts), "0123456789", 10);
}

static void
test_not_files (World *world, gconstpointer unused)
{
  g_autofree char *missing = world_path (world, "missing");
  g_autofree char *fifo = world_path (world, "fifo");
  g_autofree char *below = world_path (world, "fifo/below");
  g_autofree char *loop = world_path (world, "loop");
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;

  g_assert_no_errno (mkfifo (fifo, 0600));
  g_assert_no_errno (symlink ("loop", loop));
  world_look_fails (world, missing, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  world_look_fails (world, below, G_FILE_ERROR, G_FILE_ERROR_NOTDIR);
  world_look_fails (world, loop, G_FILE_ERROR, G_FILE_ERROR_LOOP);
  reading = world_look (world, fifo, &facts);
  g_assert_true (S_ISFIFO (facts.st.st_mode));
  world_open_fails (reading, TH_READ_COPY, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  world_open_fails (reading, TH_READ_DIRECT, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_clear_pointer (&reading, th_reading_free);
  reading = world_look (world, world->folder, &facts);
  g_assert_true (S_ISDIR (facts.st.st_mode));
  world_open_fails (reading, TH_READ_COPY, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
  g_clear_pointer (&reading, th_reading_free);
  reading = world_look (world, "/proc/self/status", &facts);
  world_open_fails (reading, TH_READ_COPY, G_FILE_ERROR, G_FILE_ERROR_INVAL);
}

static void
test_not_asked (World *world, gconstpointer unused)
{
  g_autofree char *longest = g_strnfill (10000, 'a');
  g_autofree char *path = g_strconcat ("/", longest, NULL);
  g_autofree char *deep = g_strnfill (5000, '/');

  world_look_fails (world, "a.jpg", G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
  world_look_fails (world, "", G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
  world_look_fails (world, "file:///a.jpg", G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
  world_look_fails (world, "FILE:///a.jpg", G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
  world_look_fails (world, path, G_FILE_ERROR, G_FILE_ERROR_NAMETOOLONG);
  world_look_fails (world, deep, G_FILE_ERROR, G_FILE_ERROR_NAMETOOLONG);
}

static void
test_unreadable (World *world, gconstpointer unused)
{
  g_autofree char *path = world_file (world, "a", "a", 1);
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;

  if (geteuid () == 0)
    {
      g_test_skip ("root reads everything");
      return;
    }
  g_assert_no_errno (g_chmod (path, 0));
  reading = world_look (world, path, &facts);
  g_assert_false (facts.readable);
  world_open_fails (reading, TH_READ_COPY, G_FILE_ERROR, G_FILE_ERROR_ACCES);
}

static void
test_names (World *world, gconstpointer unused)
{
  static const char *const names[] = {
    "a b", "%20", "-", "\xff\xfe", "a\nb", "\"'`$(:)", "sftp:", "a (deleted)", "\xe2\x80\xae",
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = world_file (world, names[i], names[i], strlen (names[i]));
      g_auto (ThFacts) facts = { 0 };
      g_autoptr (ThReading) reading = world_look (world, path, &facts);

      check_facts (&facts, path);
      world_check_copy (world_open (reading, TH_READ_COPY, &facts), names[i], strlen (names[i]));
      g_assert_true (th_reading_is_unchanged (reading));
      g_unlink (path);
      g_clear_pointer (&reading, th_reading_free);
      world_look_fails (world, path, G_FILE_ERROR, G_FILE_ERROR_NOENT);
    }
}

static void
test_symlink (World *world, gconstpointer unused)
{
  g_autofree char *path = world_file (world, "a", "a", 1);
  g_autofree char *other = world_file (world, "b", "b", 1);
  g_autofree char *link = world_path (world, "link");
  g_auto (ThFacts) facts = { 0 };
  g_autoptr (ThReading) reading = NULL;

  g_assert_no_errno (symlink ("a", link));
  reading = world_look (world, link, &facts);
  g_assert_cmpstr (facts.path, ==, path);
  world_check_copy (world_open (reading, TH_READ_COPY, &facts), "a", 1);
  g_assert_true (th_reading_is_unchanged (reading));
  g_unlink (link);
  g_assert_no_errno (symlink ("b", link));
  world_check_copy (world_open (reading, TH_READ_COPY, &facts), "b", 1);
  g_assert_cmpstr (facts.path, ==, other);
  g_assert_true (th_reading_is_unchanged (reading));
}

static void
rewrite (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_TRUNC | O_CLOEXEC);

  g_assert_cmpint (write (fd, text, strlen (text)), ==, strlen (text));
  close (fd);
}

static void
backdate (const char *path)
{
  const struct timespec times[2] = { { 0, UTIME_OMIT }, { 1000000000, 5 } };

  g_assert_no_errno (utimensat (AT_FDCWD, path, times, 0));
}

typedef enum
{
  GROWN,
  TOUCHED,
  REPLACED,
  REMOVED,
  MADE_A_FOLDER,
} Change;

static void
apply (World *world, const char *path, Change change)
{
  g_autofree char *other = world_file (world, "other", "abc", 3);

  switch (change)
    {
    case GROWN:
      rewrite (path, "abcd");
      break;
    case TOUCHED:
      g_assert_no_errno (g_utime (path, NULL));
      break;
    case REPLACED:
      backdate (other);
      g_assert_no_errno (g_rename (other, path));
      break;
    case MADE_A_FOLDER:
      g_assert_no_errno (g_unlink (path));
      g_assert_no_errno (g_mkdir (path, 0700));
      break;
    case REMOVED:
    default:
      g_assert_no_errno (g_unlink (path));
    }
  backdate (world->folder);
}

/* Each with both ways of opening, and right after the look. */
static void
test_changes (World *world, gconstpointer unused)
{
  for (guint change = GROWN; change <= MADE_A_FOLDER; change++)
    for (guint how = 0; how < 3; how++)
      {
        g_autofree char *path = world_file (world, "a", "abc", 3);
        g_auto (ThFacts) facts = { 0 };
        g_autoptr (ThReading) reading = NULL;

        backdate (path);
        reading = world_look (world, path, &facts);
        if (how < 2)
          close (world_open (reading, how == 0 ? TH_READ_COPY : TH_READ_DIRECT, &facts));
        apply (world, path, (Change) change);
        g_test_message ("change %u, opened %u", change, how);
        g_assert_false (th_reading_is_unchanged (reading));
        g_rmdir (path);
      }
}

#define ADD(name, function)                                                                        \
  g_test_add ("/reader/paths/" name, World, NULL, world_set_up, function, world_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("file", test_file);
  ADD ("sizes", test_sizes);
  ADD ("too-large", test_too_large);
  ADD ("not-files", test_not_files);
  ADD ("not-asked", test_not_asked);
  ADD ("unreadable", test_unreadable);
  ADD ("names", test_names);
  ADD ("symlink", test_symlink);
  ADD ("changes", test_changes);
  return g_test_run ();
}

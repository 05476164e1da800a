/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/th-stamp.h"

typedef struct
{
  ThStamp stamp;
  const char *text;
} TextRow;

static const TextRow texts[] = {
  { { 1700000000, 123456789, 4711, 42 }, "v1 1700000000.123456789 4711 42" },
  { { 0, 0, 0, 0 }, "v1 0.000000000 0 -" },
  { { -5, 500000000, 1, 0 }, "v1 -5.500000000 1 -" },
  { { G_MAXINT64, 999999999, G_MAXUINT64, G_MAXUINT64 },
    "v1 9223372036854775807.999999999 18446744073709551615 18446744073709551615" },
  { { G_MININT64, 1, 2, 3 }, "v1 -9223372036854775808.000000001 2 3" },
};

static void
test_text (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *text = th_stamp_to_text (&texts[i].stamp);
      ThStamp back;

      g_assert_cmpstr (text, ==, texts[i].text);
      g_assert_true (th_stamp_from_text (text, &back));
      g_assert_true (th_stamp_equal (&back, &texts[i].stamp));
      g_assert_cmpuint (back.inode, ==, texts[i].stamp.inode);
    }
}

static const char *const bad_texts[] = {
  "",
  "v1",
  "v2 1.000000000 1 1",
  "v1 1 1 1",
  "v1 1.5 1 1",
  "v1 1.0000000000 1 1",
  "v1  1.000000000 1 1",
  "v1 1.000000000 1 1 ",
  "v1 1.000000000 1 1x",
  "v1 1.000000000 1",
  "v1 1.000000000 1 ",
  "v1 1.000000000 1 0",
  "v1 1.000000000 -1 1",
  "v1 +1.000000000 1 1",
  "v1 01.000000000 1 1",
  "v1 -0.000000000 1 1",
  "v1 1.00000000x 1 1",
  "v1 1,000000000 1 1",
  "v1 9223372036854775808.000000000 1 1",
  "v1 1.000000000 18446744073709551616 1",
  "v1 1.000000000 1 -1",
  "V1 1.000000000 1 1",
  " v1 1.000000000 1 1",
};

static void
test_bad_text (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (bad_texts); i++)
    {
      ThStamp stamp = { 7, 7, 7, 7 };

      g_assert_false (th_stamp_from_text (bad_texts[i], &stamp));
      g_assert_cmpuint (stamp.size, ==, 7);
    }
}

static void
test_equal (void)
{
  const ThStamp a = { 5, 6, 7, 8 };

  g_assert_true (th_stamp_equal (&a, &a));
  g_assert_true (th_stamp_equal (&a, &(ThStamp){ 5, 6, 7, 0 }));
  g_assert_true (th_stamp_equal (&(ThStamp){ 5, 6, 7, 0 }, &a));
  g_assert_false (th_stamp_equal (&a, &(ThStamp){ 4, 6, 7, 8 }));
  g_assert_false (th_stamp_equal (&a, &(ThStamp){ 5, 5, 7, 8 }));
  g_assert_false (th_stamp_equal (&a, &(ThStamp){ 5, 6, 6, 8 }));
  g_assert_false (th_stamp_equal (&a, &(ThStamp){ 5, 6, 7, 9 }));
}

static char *
make_folder (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("thimble-stamp-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

static void
set_mtime (const char *path, gint64 seconds, long ns)
{
  const struct timespec times[2] = { { seconds, ns }, { seconds, ns } };

  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
}

static void
check_path (const char *path, gint64 seconds, guint32 ns, guint64 size)
{
  g_autoptr (GError) error = NULL;
  ThStamp by_path, by_fd, for_lookup;
  struct stat st;
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  g_assert_true (th_stamp_from_path (path, &by_path, &st, &error));
  g_assert_true (th_stamp_from_fd (fd, &by_fd, NULL, &error));
  g_assert_true (th_stamp_for_lookup (path, &for_lookup, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (S_ISREG (st.st_mode));
  g_assert_true (th_stamp_equal (&by_path, &by_fd));
  g_assert_true (th_stamp_equal (&by_path, &for_lookup));
  g_assert_cmpuint (by_path.inode, ==, by_fd.inode);
  g_assert_cmpint (by_path.mtime, ==, seconds);
  g_assert_cmpuint (by_path.mtime_ns, ==, ns);
  g_assert_cmpuint (by_path.size, ==, size);
  close (fd);
}

static void
test_files (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "\xff n\n%", NULL);
  g_autofree char *link = g_build_filename (folder, "link", NULL);

  g_assert_true (g_file_set_contents (path, "12345", 5, NULL));
  g_assert_cmpint (symlink (path, link), ==, 0);
  set_mtime (path, 1700000000, 123456789);
  check_path (path, 1700000000, 123456789, 5);
  check_path (link, 1700000000, 123456789, 5);
  set_mtime (path, 0, 0);
  check_path (path, 0, 0, 5);
  set_mtime (path, -3, 250000000);
  check_path (path, -3, 250000000, 5);
  set_mtime (path, 4102444800, 1);
  check_path (path, 4102444800, 1, 5);
  g_unlink (link);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_missing (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) lookup_error = NULL;
  ThStamp stamp;

  g_assert_false (th_stamp_from_path ("/nowhere/\xff", &stamp, NULL, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_false (th_stamp_for_lookup ("/nowhere/x", &stamp, NULL, &lookup_error));
  g_assert_error (lookup_error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
}

/* Opening a FIFO for reading would wait for a writer. */
static void
test_fifo (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "fifo", NULL);
  ThStamp stamp;
  struct stat st;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_true (th_stamp_from_path (path, &stamp, &st, NULL));
  g_assert_true (S_ISFIFO (st.st_mode));
  g_unlink (path);
  g_rmdir (folder);
}

/* procfs makes inodes up. */
static void
test_other_file_system (void)
{
  ThStamp stamp;

  g_assert_true (th_stamp_from_path ("/proc/self/stat", &stamp, NULL, NULL));
  g_assert_cmpuint (stamp.inode, ==, 0);
  g_assert_true (th_stamp_for_lookup ("/proc/self/stat", &stamp, NULL, NULL));
  g_assert_cmpuint (stamp.inode, !=, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stamp/text", test_text);
  g_test_add_func ("/stamp/bad-text", test_bad_text);
  g_test_add_func ("/stamp/equal", test_equal);
  g_test_add_func ("/stamp/files", test_files);
  g_test_add_func ("/stamp/missing", test_missing);
  g_test_add_func ("/stamp/fifo", test_fifo);
  g_test_add_func ("/stamp/other-file-system", test_other_file_system);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared memory for results: that it cannot be resized, and how it stays with a worker. */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "wire/th-result.h"

#define KIB 1024

static void
assert_sealed (int fd, guint64 size)
{
  struct stat st;

  g_assert_cmpint (fstat (fd, &st), ==, 0);
  g_assert_cmpuint ((guint64) st.st_size, ==, size);
  g_assert_cmpint (ftruncate (fd, 0), !=, 0);
  g_assert_cmpint (ftruncate (fd, (off_t) size * 2), !=, 0);
}

static void
test_alone (void)
{
  g_autoptr (GError) error = NULL;
  int fd = th_result_new (12345, &error);
  g_autofree guint8 *copy = NULL;

  g_assert_no_error (error);
  assert_sealed (fd, 12345);
  g_assert_cmpint (pwrite (fd, "abc", 3, 12342), ==, 3);
  copy = th_result_copy (fd, 12345, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (copy + 12342, 3, "abc", 3);
  close (fd);
}

/* It grows with what is asked for, and is said to be new then and only then. */
static void
test_room (void)
{
  static const struct
  {
    guint64 total;
    gboolean fresh;
    guint64 size;
  } steps[] = {
    { 1, TRUE, 256 * KIB },  { 256 * KIB, FALSE, 256 * KIB },  { 256 * KIB + 1, TRUE, 512 * KIB },
    { 3, FALSE, 512 * KIB }, { 4096 * KIB, TRUE, 4096 * KIB }, { 4096 * KIB, FALSE, 4096 * KIB },
  };
  ThResultRoom room = TH_RESULT_ROOM_INIT;

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean fresh;

      g_assert_true (th_result_room_fit (&room, steps[i].total, &fresh, &error));
      g_assert_no_error (error);
      g_assert_cmpint (fresh, ==, steps[i].fresh);
      g_assert_cmpuint (room.size, ==, steps[i].size);
      assert_sealed (room.fd, steps[i].size);
    }
  th_result_room_clear (&room);
  g_assert_cmpint (room.fd, ==, -1);
  th_result_room_clear (&room);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/result/alone", test_alone);
  g_test_add_func ("/result/room", test_room);
  return g_test_run ();
}

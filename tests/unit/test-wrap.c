/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-wrap.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static guint
count_fds (void)
{
  guint n = 0;

  for (int fd = 0; fd < 256; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

static int
new_file (ino_t *inode)
{
  int fd = memfd_create ("wrap", MFD_CLOEXEC);
  struct stat st;

  g_assert_cmpint (fd, >=, 0);
  g_assert_no_errno (fstat (fd, &st));
  *inode = st.st_ino;
  return fd;
}

static ino_t
inode_of (int fd)
{
  struct stat st;

  g_assert_no_errno (fstat (fd, &st));
  return st.st_ino;
}

static void
test_round_trip (void)
{
  g_autoptr (GError) error = NULL;
  guint before = count_fds ();
  ino_t inode;
  int fd = new_file (&inode);
  int wrapped = th_wrap (fd, &error);
  int again;

  g_assert_no_error (error);
  g_assert_cmpint (wrapped, >=, 0);
  g_assert_cmpuint (count_fds (), ==, before + 1);
  g_assert_cmpint (fcntl (wrapped, F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);
  g_assert_cmpuint (inode_of (wrapped), !=, inode);
  again = dup (wrapped);
  fd = th_unwrap (wrapped);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpuint (inode_of (fd), ==, inode);
  close (fd);
  fd = th_unwrap (again);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpuint (count_fds (), ==, before + 1);
  g_assert_cmpuint (inode_of (fd), ==, inode);
  g_assert_cmpint (fcntl (fd, F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);
  close (fd);
}

static void
test_bare (void)
{
  ino_t inode;
  int fd = new_file (&inode);

  g_assert_cmpint (th_unwrap (fd), ==, fd);
  g_assert_cmpuint (inode_of (fd), ==, inode);
  close (fd);
}

/* Also through another socket, as a worker gets it. */
static void
test_dropped (void)
{
  guint before = count_fds ();

  for (guint i = 0; i < 1000; i++)
    {
      ino_t inode;
      int wrapped = th_wrap (new_file (&inode), NULL);
      int twice = th_wrap (wrapped, NULL);

      g_assert_cmpint (twice, >=, 0);
      if (i % 2 == 0)
        twice = th_unwrap (twice);
      close (twice);
    }
  g_assert_cmpuint (count_fds (), ==, before);
}

static void
test_empty (void)
{
  guint before = count_fds ();
  int pair[2];

  g_assert_no_errno (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
  close (pair[0]);
  g_assert_cmpint (th_unwrap (pair[1]), ==, -1);
  g_assert_no_errno (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair));
  g_assert_cmpint (send (pair[0], "x", 1, 0), ==, 1);
  close (pair[0]);
  g_assert_cmpint (th_unwrap (pair[1]), ==, -1);
  g_assert_cmpuint (count_fds (), ==, before);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wrap/round-trip", test_round_trip);
  g_test_add_func ("/wrap/bare", test_bare);
  g_test_add_func ("/wrap/dropped", test_dropped);
  g_test_add_func ("/wrap/empty", test_empty);
  return g_test_run ();
}

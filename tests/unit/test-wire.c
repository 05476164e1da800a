/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-wire.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/th-exchange.h"
#include "wire/th-result.h"

typedef struct
{
  int ends[2];
} Pair;

static void
pair_init (Pair *pair)
{
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair->ends), ==, 0);
}

static void
pair_clear (Pair *pair)
{
  for (guint i = 0; i < 2; i++)
    if (pair->ends[i] >= 0)
      close (pair->ends[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

/* Open descriptors of this process: what a refused message brought must be gone again. */
static guint
count_fds (void)
{
  guint n = 0;

  for (int fd = 0; fd < 256; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

static void
send_raw (int socket, const void *data, gsize size, const int *fds, guint n_fds)
{
  union
  {
    struct cmsghdr align;
    char bytes[CMSG_SPACE (16 * sizeof (int))];
  } control = { 0 };
  struct iovec part = { (void *) data, size };
  struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };

  if (n_fds > 0)
    {
      struct cmsghdr *item;

      header.msg_control = control.bytes;
      header.msg_controllen = CMSG_SPACE (n_fds * sizeof (int));
      item = CMSG_FIRSTHDR (&header);
      item->cmsg_level = SOL_SOCKET;
      item->cmsg_type = SCM_RIGHTS;
      item->cmsg_len = CMSG_LEN (n_fds * sizeof (int));
      memcpy (CMSG_DATA (item), fds, n_fds * sizeof (int));
    }
  g_assert_cmpint (sendmsg (socket, &header, MSG_NOSIGNAL), ==, (gssize) size);
}

static const ThWireType types[] = {
  TH_WIRE_HELLO, TH_WIRE_JOB, TH_WIRE_PLAN, TH_WIRE_GRANT, TH_WIRE_DENY, TH_WIRE_DONE,
};

static void
test_round_trip (void)
{
  g_auto (Pair) pair = { { -1, -1 } };

  pair_init (&pair);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      ThWireMessage out, in;

      th_wire_init (&out, types[i], 7);
      g_assert_true (th_wire_send (pair.ends[0], &out, -1, NULL));
      g_assert_cmpint (th_wire_receive (pair.ends[1], &in, NULL), ==, TH_WIRE_GOT);
      g_assert_cmpmem (&in, out.head.size, &out, out.head.size);
    }
}

static void
test_end (void)
{
  g_auto (Pair) pair = { { -1, -1 } };
  g_autoptr (GError) error = NULL;
  ThWireMessage message;

  pair_init (&pair);
  close (pair.ends[0]);
  pair.ends[0] = -1;
  g_assert_cmpint (th_wire_receive (pair.ends[1], &message, NULL), ==, TH_WIRE_END);
  th_wire_init (&message, TH_WIRE_DENY, 1);
  g_assert_false (th_wire_send (pair.ends[1], &message, -1, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_PIPE);
}

/* Each length but the right one, for each type. */
static void
test_sizes (void)
{
  g_auto (Pair) pair = { { -1, -1 } };

  pair_init (&pair);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    for (gsize size = 1; size <= sizeof (ThWireMessage) + 8; size++)
      {
        struct
        {
          ThWireMessage message;
          char more[8];
        } out = { 0 };
        ThWireMessage in;

        th_wire_init (&out.message, types[i], 1);
        send_raw (pair.ends[0], &out, size, NULL, 0);
        g_assert_cmpint (th_wire_receive (pair.ends[1], &in, NULL), ==,
                         size == out.message.head.size ? TH_WIRE_GOT : TH_WIRE_MALFORMED);
      }
}

static void
test_heads (void)
{
  static const ThWireHead heads[] = {
    { TH_WIRE_MAGIC + 1, TH_WIRE_DENY, sizeof (ThWireDeny), 1 },
    { TH_WIRE_MAGIC, 0, sizeof (ThWireDeny), 1 },
    { TH_WIRE_MAGIC, TH_WIRE_DONE + 1, sizeof (ThWireDeny), 1 },
    { TH_WIRE_MAGIC, G_MAXUINT32, sizeof (ThWireDeny), 1 },
    { TH_WIRE_MAGIC, TH_WIRE_DENY, sizeof (ThWireDeny) + 1, 1 },
    { TH_WIRE_MAGIC, TH_WIRE_DENY, 0, 1 },
  };
  g_auto (Pair) pair = { { -1, -1 } };

  pair_init (&pair);
  for (gsize i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      ThWireMessage in;

      send_raw (pair.ends[0], &heads[i], sizeof heads[i], NULL, 0);
      g_assert_cmpint (th_wire_receive (pair.ends[1], &in, NULL), ==, TH_WIRE_MALFORMED);
    }
}

static void
test_unterminated (void)
{
  g_auto (Pair) pair = { { -1, -1 } };
  ThWireMessage out, in;

  pair_init (&pair);
  th_wire_init (&out, TH_WIRE_PLAN, 1);
  memset (out.plan.codec, 'x', sizeof out.plan.codec);
  send_raw (pair.ends[0], &out, out.head.size, NULL, 0);
  g_assert_cmpint (th_wire_receive (pair.ends[1], &in, NULL), ==, TH_WIRE_MALFORMED);
  th_wire_init (&out, TH_WIRE_DONE, 1);
  memset (out.done.text, 'x', sizeof out.done.text);
  send_raw (pair.ends[0], &out, out.head.size, NULL, 0);
  g_assert_cmpint (th_wire_receive (pair.ends[1], &in, NULL), ==, TH_WIRE_MALFORMED);
}

static void
test_descriptor (void)
{
  g_auto (Pair) pair = { { -1, -1 } };
  ThWireMessage out, in;
  struct stat sent, got;
  int fd;

  pair_init (&pair);
  th_wire_init (&out, TH_WIRE_JOB, 1);
  g_assert_true (th_wire_send (pair.ends[0], &out, pair.ends[0], NULL));
  g_assert_cmpint (th_wire_receive (pair.ends[1], &in, &fd), ==, TH_WIRE_GOT);
  g_assert_cmpint (fstat (pair.ends[0], &sent), ==, 0);
  g_assert_cmpint (fstat (fd, &got), ==, 0);
  g_assert_cmpuint (sent.st_ino, ==, got.st_ino);
  g_assert_cmpint (fcntl (fd, F_GETFD), ==, FD_CLOEXEC);
  close (fd);
}

static void
test_surprise_descriptors (void)
{
  static const struct
  {
    ThWireType type;
    guint n_fds;
    gboolean asked;
  } rows[] = {
    { TH_WIRE_PLAN, 1, FALSE }, { TH_WIRE_DONE, 3, FALSE }, { TH_WIRE_JOB, 1, FALSE },
    { TH_WIRE_JOB, 2, TRUE },   { TH_WIRE_DENY, 1, TRUE },  { TH_WIRE_JOB, 16, TRUE },
  };
  g_auto (Pair) pair = { { -1, -1 } };
  int fds[16];
  guint before;

  pair_init (&pair);
  for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
    fds[i] = pair.ends[0];
  before = count_fds ();
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      ThWireMessage out, in;
      int fd;

      th_wire_init (&out, rows[i].type, 1);
      send_raw (pair.ends[0], &out, out.head.size, fds, rows[i].n_fds);
      g_assert_cmpint (th_wire_receive (pair.ends[1], &in, rows[i].asked ? &fd : NULL), ==,
                       TH_WIRE_MALFORMED);
      g_assert_true (!rows[i].asked || fd == -1);
      g_assert_cmpuint (count_fds (), ==, before);
    }
}

/* A peer that does not read must not stop its owner. */
static void
test_full (void)
{
  g_auto (Pair) pair = { { -1, -1 } };
  g_autoptr (GError) error = NULL;
  ThWireMessage out;
  guint sent = 0;

  pair_init (&pair);
  th_wire_init (&out, TH_WIRE_PLAN, 1);
  while (sent < 100000 && th_wire_send (pair.ends[0], &out, -1, &error))
    sent++;
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_AGAIN);
}

static void
test_text (void)
{
  static const struct
  {
    const char *in;
    const char *out;
  } rows[] = {
    { "", "" },
    { "abcdefg", "abcdefg" },
    { "abcdefgh", "abcdefg" },
    { "abcdefé", "abcdef" }, /* the last character would be cut in two */
    { "abcdeé", "abcdeé" },
    { "€€€", "€€" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      char field[8];

      memset (field, 'x', sizeof field);
      th_wire_set_text (field, sizeof field, rows[i].in);
      g_assert_cmpstr (field, ==, rows[i].out);
    }
}

typedef struct
{
  guint32 version;
  const char *build;
  guint32 seccomp;
  ThStatus said;
  ThStatus expected;
} HelloRow;

static void
test_hello (void)
{
  static const HelloRow rows[] = {
    { TH_WIRE_VERSION, TH_VERSION, 1, TH_STATUS_OK, TH_STATUS_OK },
    { TH_WIRE_VERSION + 1, TH_VERSION, 1, TH_STATUS_OK, TH_STATUS_PROTOCOL },
    { TH_WIRE_VERSION, "0.0.0-other", 1, TH_STATUS_OK, TH_STATUS_PROTOCOL },
    /* A worker that claims success without a filter is not believed. */
    { TH_WIRE_VERSION, TH_VERSION, 0, TH_STATUS_OK, TH_STATUS_NO_SANDBOX },
    { TH_WIRE_VERSION, TH_VERSION, 0, TH_STATUS_NO_SANDBOX, TH_STATUS_NO_SANDBOX },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Pair) pair = { { -1, -1 } };
      g_autoptr (GError) error = NULL;
      ThWireMessage message;
      ThWireHello hello;

      pair_init (&pair);
      th_wire_init (&message, TH_WIRE_HELLO, 0);
      message.hello.version = rows[i].version;
      message.hello.seccomp = rows[i].seccomp;
      message.hello.status = rows[i].said;
      th_wire_set_text (message.hello.build, sizeof message.hello.build, rows[i].build);
      g_assert_true (th_wire_send (pair.ends[0], &message, -1, NULL));
      g_assert_cmpint (th_exchange_hello (pair.ends[1], 10000, &hello, &error), ==,
                       rows[i].expected);
      g_assert_cmpint (error == NULL, ==, rows[i].expected == TH_STATUS_OK);
    }
}

static void
test_hello_never_comes (void)
{
  g_auto (Pair) pair = { { -1, -1 } };
  g_autoptr (GError) error = NULL;
  ThWireHello hello;

  pair_init (&pair);
  g_assert_cmpint (th_exchange_hello (pair.ends[1], 20, &hello, &error), ==, TH_STATUS_TIMEOUT);
  g_assert_error (error, TH_ERROR, TH_ERROR_OTHER);
  close (pair.ends[0]);
  pair.ends[0] = -1;
  g_assert_cmpint (th_exchange_hello (pair.ends[1], 10000, &hello, NULL), ==, TH_STATUS_CRASHED);
}

/* The owner's memory for the results is of one size for good. */
static void
test_result_seals (void)
{
  g_autofree guint8 *copy = NULL;
  g_autoptr (GError) error = NULL;
  int fd = th_result_new (5000, &error);
  guint8 *map;

  g_assert_no_error (error);
  g_assert_cmpint (fcntl (fd, F_GETFD), ==, FD_CLOEXEC);
  g_assert_cmpint (ftruncate (fd, 4999), ==, -1);
  g_assert_cmpint (ftruncate (fd, 5001), ==, -1);
  g_assert_cmpint (pwrite (fd, "x", 1, 5000), ==, -1);
  g_assert_cmpint (fcntl (fd, F_ADD_SEALS, F_SEAL_WRITE), ==, -1);
  map = mmap (NULL, 5000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  g_assert_true (map != MAP_FAILED);
  memset (map, 7, 5000);
  copy = th_result_copy (fd, 5000, &error);
  g_assert_no_error (error);
  memset (map, 8, 5000);
  for (guint i = 0; i < 5000; i++)
    g_assert_cmpuint (copy[i], ==, 7);
  munmap (map, 5000);
  close (fd);
}

static void
test_idle (void)
{
  g_auto (Pair) pair = { { -1, -1 } };

  pair_init (&pair);
  g_assert_true (th_exchange_is_idle (pair.ends[0]));
  send_raw (pair.ends[1], "x", 1, NULL, 0);
  g_assert_false (th_exchange_is_idle (pair.ends[0]));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/wire/round-trip", test_round_trip);
  g_test_add_func ("/wire/end", test_end);
  g_test_add_func ("/wire/sizes", test_sizes);
  g_test_add_func ("/wire/heads", test_heads);
  g_test_add_func ("/wire/unterminated", test_unterminated);
  g_test_add_func ("/wire/descriptor", test_descriptor);
  g_test_add_func ("/wire/surprise-descriptors", test_surprise_descriptors);
  g_test_add_func ("/wire/full", test_full);
  g_test_add_func ("/wire/text", test_text);
  g_test_add_func ("/wire/hello", test_hello);
  g_test_add_func ("/wire/hello-never-comes", test_hello_never_comes);
  g_test_add_func ("/wire/result-seals", test_result_seals);
  g_test_add_func ("/wire/idle", test_idle);
  return g_test_run ();
}

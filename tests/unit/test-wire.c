/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-wire.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/th-exchange.h"
#include "wire/th-plan.h"

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

static void
test_safe_text (void)
{
  static const struct
  {
    const char *in;
    const char *out;
  } rows[] = {
    { "a\nb\tc\x7f", "a b c " },
    { "\xff", "\xef\xbf\xbd" },
    { "a\xe2\x80\xae"
      "b",
      "a b" }, /* right-to-left override */
    { "\x1b[31mred", " [31mred" },
    { "a\xc2\x9b"
      "b",
      "a b" }, /* C1 */
    { "größer als 1 €", "größer als 1 €" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *safe = th_plan_safe_text (rows[i].in);

      g_assert_cmpstr (safe, ==, rows[i].out);
    }
}

static ThWirePlan
good_plan (void)
{
  ThWireMessage message;

  th_wire_init (&message, TH_WIRE_PLAN, 1);
  message.plan.full = (ThSize){ 640, 480 };
  message.plan.channels = 3;
  message.plan.pages = message.plan.frames = 1;
  th_wire_set_text (message.plan.codec, sizeof message.plan.codec, "png");
  th_wire_set_text (message.plan.mime_type, sizeof message.plan.mime_type, "image/svg+xml");
  return message.plan;
}

static void
test_plan_faults (void)
{
  static const char *const mime_types[] = {
    "", "image", "image/", "/png", "image/png\n", "image/a/b", "image/p ng", "image/p\xc3\xa9ng",
  };
  static const char *const names[] = { "", "p ng", "../png", "PNG" };
  ThLimits limits;
  ThWirePlan plan = good_plan ();

  th_limits_init (&limits);
  g_assert_null (th_plan_fault (&plan, &limits));
  plan.full.width = 0;
  g_assert_nonnull (th_plan_fault (&plan, &limits));
  plan.full = (ThSize){ G_MAXUINT32, G_MAXUINT32 };
  g_assert_nonnull (th_plan_fault (&plan, &limits));
  for (guint32 channels = 0; channels < 6; channels++)
    {
      plan = good_plan ();
      plan.channels = channels;
      g_assert_cmpint (th_plan_fault (&plan, &limits) == NULL, ==, channels == 3 || channels == 4);
    }
  plan = good_plan ();
  plan.duration = NAN;
  g_assert_nonnull (th_plan_fault (&plan, &limits));
  plan.duration = -1;
  g_assert_nonnull (th_plan_fault (&plan, &limits));
  for (gsize i = 0; i < G_N_ELEMENTS (mime_types); i++)
    {
      plan = good_plan ();
      th_wire_set_text (plan.mime_type, sizeof plan.mime_type, mime_types[i]);
      g_assert_nonnull (th_plan_fault (&plan, &limits));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      plan = good_plan ();
      th_wire_set_text (plan.codec, sizeof plan.codec, names[i]);
      g_assert_nonnull (th_plan_fault (&plan, &limits));
    }
}

static void
test_layout (void)
{
  static const guint32 boxes[] = { 256, 128 };
  static const guint32 huge[] = { G_MAXUINT32, G_MAXUINT32, G_MAXUINT32, G_MAXUINT32 };
  ThLayout layout;

  g_assert_true (th_layout_init (&layout, (ThSize){ 512, 256 }, FALSE, 3, boxes, 2));
  g_assert_cmpuint (layout.offsets[0], ==, 0);
  g_assert_cmpuint (layout.offsets[1], ==, 256 * 128 * 3);
  g_assert_cmpuint (layout.total, ==, 256 * 128 * 3 + 128 * 64 * 3);
  g_assert_false (th_layout_init (&layout, (ThSize){ 1, 1 }, TRUE, 4, huge, 4));
}

static void
test_statuses (void)
{
  g_assert_true (th_plan_may_say (TH_STATUS_OK));
  g_assert_true (th_plan_may_say (TH_STATUS_CORRUPT));
  g_assert_true (th_plan_may_say (TH_STATUS_NO_CONTENT));
  g_assert_false (th_plan_may_say (TH_STATUS_STOPPED));
  g_assert_false (th_plan_may_say (TH_STATUS_CRASHED));
  g_assert_false (th_plan_may_say (TH_STATUS_CANCELLED));
  g_assert_false (th_plan_may_say (TH_N_STATUSES));
  g_assert_false (th_plan_may_say (G_MAXUINT32));
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
  g_test_add_func ("/wire/safe-text", test_safe_text);
  g_test_add_func ("/wire/plan-faults", test_plan_faults);
  g_test_add_func ("/wire/layout", test_layout);
  g_test_add_func ("/wire/statuses", test_statuses);
  g_test_add_func ("/wire/hello", test_hello);
  g_test_add_func ("/wire/hello-never-comes", test_hello_never_comes);
  g_test_add_func ("/wire/idle", test_idle);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-reader-wire.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct
{
  int ends[2];
  guint fds; /* open without it */
} Pair;

static guint
count_fds (void)
{
  guint n = 0;

  for (int fd = 0; fd < 256; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

static void
set_up (Pair *pair, gconstpointer unused)
{
  pair->fds = count_fds ();
  g_assert_no_errno (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair->ends));
}

/* What a refused message brought is gone again. */
static void
tear_down (Pair *pair, gconstpointer unused)
{
  close (pair->ends[0]);
  close (pair->ends[1]);
  g_assert_cmpuint (count_fds (), ==, pair->fds);
}

static void
test_round_trip (Pair *pair, gconstpointer unused)
{
  for (guint type = TH_READER_HELLO; type <= TH_READER_FAILED; type++)
    {
      ThReaderMessage sent, got;

      th_reader_wire_init (&sent, (ThReaderType) type, type + 7);
      /* Up to the last byte of the message, without strings that do not end. */
      if (type == TH_READER_LOOK)
        memset (sent.look.where, 'a', sizeof sent.look.where - 1);
      g_assert_true (th_reader_wire_send (pair->ends[0], &sent, -1, TRUE, NULL));
      memset (&got, 0xff, sizeof got);
      g_assert_cmpint (th_reader_wire_receive (pair->ends[1], &got, NULL), ==, TH_WIRE_GOT);
      g_assert_cmpint (memcmp (&got, &sent, sizeof got), ==, 0);
    }
  shutdown (pair->ends[0], SHUT_RDWR);
  g_assert_cmpint (th_reader_wire_receive (pair->ends[1], &(ThReaderMessage){ 0 }, NULL), ==,
                   TH_WIRE_END);
}

static ThWireResult
pass (Pair *pair, const ThReaderMessage *message, gsize size)
{
  ThReaderMessage got;

  g_assert_cmpint (send (pair->ends[0], message, size, 0), ==, size);
  return th_reader_wire_receive (pair->ends[1], &got, NULL);
}

static void
test_sizes (Pair *pair, gconstpointer unused)
{
  for (guint type = TH_READER_HELLO; type <= TH_READER_FAILED; type++)
    {
      ThReaderMessage message;
      gsize size;

      th_reader_wire_init (&message, (ThReaderType) type, 1);
      size = message.head.size;
      g_assert_cmpint (pass (pair, &message, size), ==, TH_WIRE_GOT);
      for (gsize cut = 1; cut < size; cut += 1 + cut / 7)
        g_assert_cmpint (pass (pair, &message, cut), ==, TH_WIRE_MALFORMED);
      g_assert_cmpint (pass (pair, &message, size - 1), ==, TH_WIRE_MALFORMED);
      message.head.size--;
      g_assert_cmpint (pass (pair, &message, size), ==, TH_WIRE_MALFORMED);
      g_assert_cmpint (pass (pair, &message, size - 1), ==, TH_WIRE_MALFORMED);
      if (size < sizeof message)
        {
          message.head.size += 2;
          g_assert_cmpint (pass (pair, &message, size + 1), ==, TH_WIRE_MALFORMED);
        }
    }
}

static void
test_heads (Pair *pair, gconstpointer unused)
{
  static const guint32 types[] = { 0, TH_READER_FAILED + 1, G_MAXUINT32 };
  char much[sizeof (ThReaderMessage) + 1] = { 0 };
  ThReaderMessage message;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      th_reader_wire_init (&message, TH_READER_AGAIN, 1);
      message.head.type = types[i];
      g_assert_cmpint (pass (pair, &message, message.head.size), ==, TH_WIRE_MALFORMED);
    }
  th_reader_wire_init (&message, TH_READER_AGAIN, 1);
  message.head.magic++;
  g_assert_cmpint (pass (pair, &message, message.head.size), ==, TH_WIRE_MALFORMED);
  th_reader_wire_init (&message, TH_READER_LOOK, 1);
  memcpy (much, &message, sizeof message);
  g_assert_cmpint (pass (pair, (const ThReaderMessage *) much, sizeof much), ==, TH_WIRE_MALFORMED);
}

typedef struct
{
  ThReaderType type;
  gsize offset;
  gsize size;
} Field;

#define FIELD(type, name, member)                                                                  \
  {                                                                                                \
    type, G_STRUCT_OFFSET (name, member), sizeof (((name *) NULL)->member)                         \
  }

static void
test_unterminated (Pair *pair, gconstpointer unused)
{
  static const Field fields[] = {
    FIELD (TH_READER_HELLO, ThReaderHello, build),
    FIELD (TH_READER_LOOK, ThReaderLook, where),
    FIELD (TH_READER_FACTS, ThReaderFacts, path),
    FIELD (TH_READER_FACTS, ThReaderFacts, mime_type),
    FIELD (TH_READER_LIST, ThReaderList, names),
    FIELD (TH_READER_FAILED, ThReaderFailed, text),
  };

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      ThReaderMessage message;
      char *field = (char *) &message + fields[i].offset;

      th_reader_wire_init (&message, fields[i].type, 1);
      memset (field, 'a', fields[i].size);
      g_assert_cmpint (pass (pair, &message, message.head.size), ==, TH_WIRE_MALFORMED);
      field[fields[i].size - 1] = '\0';
      g_assert_cmpint (pass (pair, &message, message.head.size), ==, TH_WIRE_GOT);
    }
}

/* Only FACTS bring one, and only to those who want it. */
static void
test_descriptors (Pair *pair, gconstpointer unused)
{
  int fd = memfd_create ("wire", MFD_CLOEXEC);

  for (guint type = TH_READER_HELLO; type <= TH_READER_FAILED; type++)
    for (guint wanted = 0; wanted < 2; wanted++)
      {
        gboolean good = type == TH_READER_FACTS && wanted == 1;
        ThReaderMessage message;
        int came = -2;

        th_reader_wire_init (&message, (ThReaderType) type, 1);
        g_assert_true (th_reader_wire_send (pair->ends[0], &message, fd, TRUE, NULL));
        g_assert_cmpint (th_reader_wire_receive (pair->ends[1], &message, wanted ? &came : NULL),
                         ==, good ? TH_WIRE_GOT : TH_WIRE_MALFORMED);
        if (good)
          close (came);
        else
          g_assert_cmpint (came, ==, wanted ? -1 : -2);
      }
  close (fd);
}

/* The service does not wait for one that does not read. */
static void
test_full (Pair *pair, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  ThReaderMessage message;

  th_reader_wire_init (&message, TH_READER_LOOK, 1);
  while (th_reader_wire_send (pair->ends[0], &message, -1, FALSE, &error))
    continue;
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_AGAIN);
  g_clear_error (&error);
  shutdown (pair->ends[1], SHUT_RDWR);
  g_assert_false (th_reader_wire_send (pair->ends[0], &message, -1, TRUE, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_PIPE);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/reader-wire/" name, Pair, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("round-trip", test_round_trip);
  ADD ("sizes", test_sizes);
  ADD ("heads", test_heads);
  ADD ("unterminated", test_unterminated);
  ADD ("descriptors", test_descriptors);
  ADD ("full", test_full);
  return g_test_run ();
}

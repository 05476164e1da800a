/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The owner of a worker that says anything: the input is a row of messages, each a byte of flags, a
 * 16-bit length (little-endian) and so many bytes, all said before the job is given. */
#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/th-bytes.h"
#include "fuzz.h"
#include "wire/th-exchange.h"

/* Flags: the head is made right, so that the rest is looked at; a descriptor comes along. */
#define RIGHT_HEAD 1u
#define WITH_FD    2u

#define JOB 1u

static const guint32 boxes[] = { 256, 128 };

static void
say (int socket, guint8 flags, ThBytes body, int fd)
{
  ThWireMessage message = { 0 };
  gsize size = MIN (body.size, sizeof message);

  memcpy (&message, body.data, size);
  if ((flags & RIGHT_HEAD) != 0)
    {
      ThWireType type = TH_WIRE_HELLO + message.head.type % TH_WIRE_DONE;
      ThWireMessage head;

      th_wire_init (&head, type, JOB);
      message.head = head.head;
    }
  else
    /* th_wire_send believes the head about the size. */
    message.head.size = (guint32) MAX (size, sizeof message.head);
  (void) th_wire_send (socket, &message, (flags & WITH_FD) != 0 ? fd : -1, NULL);
}

static void
say_all (int socket, ThBytes script, int fd)
{
  gsize at = 0;
  guint8 flags;
  guint16 length;

  while (th_bytes_u8 (script, at, &flags) && th_bytes_u16 (script, at + 1, FALSE, &length))
    {
      ThBytes body;

      at += 3;
      if (!th_bytes_slice (script, at, MIN (length, script.size - at), &body))
        break;
      say (socket, flags, body, fd);
      at += body.size;
    }
  shutdown (socket, SHUT_WR);
}

/* What is believed must be whole: every byte of it is read. */
static void
check (ThStatus status, const ThDecoded *decoded, const GError *error)
{
  guint sum = 0;

  g_assert_true (th_status_has_pixels (status) == (error == NULL));
  g_assert_true (error == NULL || g_utf8_validate (error->message, -1, NULL));
  for (guint i = 0; i < decoded->n_images; i++)
    {
      const ThImage *image = &decoded->images[i];

      g_assert_cmpuint (MAX (image->size.width, image->size.height), <=, boxes[i]);
      for (gsize k = 0; k < image->stride * image->size.height; k++)
        sum += image->data[k];
    }
  g_assert_cmpuint (sum, <, G_MAXUINT);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_auto (ThDecoded) decoded = { 0 };
  g_autoptr (GError) error = NULL;
  ThLimits limits;
  ThStatus status;
  ThResultRoom room = TH_RESULT_ROOM_INIT;
  gboolean fresh;
  ThExchange exchange = { .pid = getpid (), .job = JOB, .limits = &limits, .boxes = boxes };
  int ends[2];
  int source = memfd_create ("source", MFD_CLOEXEC);

  th_limits_init (&limits);
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), ==, 0);
  exchange.socket = ends[0];
  exchange.source_fd = source;
  exchange.n_boxes = G_N_ELEMENTS (boxes);
  exchange.room = &room;
  exchange.allowance = 1u << 20;
  g_assert_true (th_result_room_fit (&room, 1, &fresh, NULL));
  say_all (ends[1], (ThBytes){ data, size }, source);
  status = th_exchange_run (&exchange, &decoded, &error);
  check (status, &decoded, error);
  th_result_room_clear (&room);
  close (ends[0]);
  close (ends[1]);
  close (source);
  return 0;
}

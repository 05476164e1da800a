/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "hostile/evil-lies.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/th-error.h"
#include "wire/th-wire.h"

typedef struct
{
  const char *name;
  void (*tell) (void);
} Lie;

static ThWireMessage
good_plan (void)
{
  ThWireMessage message;

  th_wire_init (&message, TH_WIRE_PLAN, EVIL_JOB);
  message.plan.full = (ThSize){ 16, 16 };
  message.plan.channels = 3;
  message.plan.pages = 1;
  message.plan.frames = 1;
  message.plan.peak_bytes = 4096;
  th_wire_set_text (message.plan.codec, sizeof message.plan.codec, "evil");
  th_wire_set_text (message.plan.mime_type, sizeof message.plan.mime_type, "image/x-evil");
  return message;
}

static void
say (const ThWireMessage *message)
{
  (void) th_wire_send (TH_WIRE_FD, message, -1, NULL);
}

static void
say_bytes (const void *data, gsize size, int fd, guint n_fds)
{
  union
  {
    struct cmsghdr align;
    char bytes[CMSG_SPACE (8 * sizeof (int))];
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
      for (guint i = 0; i < n_fds; i++)
        memcpy (CMSG_DATA (item) + i * sizeof fd, &fd, sizeof fd);
    }
  (void) !sendmsg (TH_WIRE_FD, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Until the owner hangs up. */
static void
listen_to_the_end (void)
{
  ThWireMessage message;
  int fd;

  while (th_wire_receive (TH_WIRE_FD, &message, &fd) == TH_WIRE_GOT)
    if (fd >= 0)
      close (fd);
  _exit (0);
}

static void
lie_size (void)
{
  ThWireMessage message = good_plan ();

  message.plan.full = (ThSize){ G_MAXUINT32, G_MAXUINT32 };
  say (&message);
}

static void
lie_nothing (void)
{
  ThWireMessage message = good_plan ();

  message.plan.full.height = 0;
  say (&message);
}

static void
lie_channels (void)
{
  ThWireMessage message = good_plan ();

  message.plan.channels = 1u << 30;
  say (&message);
}

static void
lie_scalable (void)
{
  ThWireMessage message = good_plan ();

  message.plan.scalable = 2;
  say (&message);
}

static void
lie_duration (void)
{
  ThWireMessage message = good_plan ();

  message.plan.duration = NAN;
  say (&message);
}

static void
lie_peak (void)
{
  ThWireMessage message = good_plan ();

  message.plan.peak_bytes = G_MAXUINT64;
  say (&message);
}

static void
lie_mime (void)
{
  ThWireMessage message = good_plan ();

  th_wire_set_text (message.plan.mime_type, sizeof message.plan.mime_type, "image/x\nThumb::URI");
  say (&message);
}

static void
lie_name (void)
{
  ThWireMessage message = good_plan ();

  memset (message.plan.codec, 'a', sizeof message.plan.codec);
  say (&message);
}

static void
lie_huge_text (void)
{
  ThWireMessage message = good_plan ();

  memset (message.plan.text, 'a', sizeof message.plan.text);
  say (&message);
}

static void
lie_status (void)
{
  ThWireMessage message = good_plan ();

  message.plan.status = TH_STATUS_NO_SANDBOX;
  say (&message);
}

static void
lie_unknown_status (void)
{
  ThWireMessage message = good_plan ();

  message.plan.status = 0xfffffff0u;
  say (&message);
}

static void
lie_text (void)
{
  ThWireMessage message = good_plan ();

  message.plan.status = TH_STATUS_CORRUPT;
  th_wire_set_text (message.plan.text, sizeof message.plan.text, "\x1b[2Jgone\n\xff");
  say (&message);
}

static void
lie_short (void)
{
  ThWireMessage message = good_plan ();

  say_bytes (&message, message.head.size - 1, -1, 0);
}

static void
lie_long (void)
{
  static const char junk[100000] = { 0 };

  say_bytes (junk, sizeof junk, -1, 0);
}

static void
lie_magic (void)
{
  ThWireMessage message = good_plan ();

  message.head.magic++;
  say_bytes (&message, message.head.size, -1, 0);
}

static void
lie_type (void)
{
  ThWireMessage message;

  th_wire_init (&message, TH_WIRE_DONE, EVIL_JOB);
  say (&message);
}

static void
lie_job (void)
{
  ThWireMessage message = good_plan ();

  message.head.job++;
  say (&message);
}

static void
lie_descriptor (void)
{
  ThWireMessage message = good_plan ();

  say_bytes (&message, message.head.size, TH_WIRE_FD, 1);
}

static void
lie_descriptors (void)
{
  ThWireMessage message = good_plan ();

  say_bytes (&message, message.head.size, TH_WIRE_FD, 5);
}

static void
lie_twice (void)
{
  ThWireMessage message = good_plan ();

  say (&message);
  say (&message);
}

static void
lie_flood (void)
{
  ThWireMessage message = good_plan ();

  while (th_wire_send (TH_WIRE_FD, &message, -1, NULL))
    continue;
}

/* Plans, and then neither reads nor answers. */
static void
lie_deaf (void)
{
  ThWireMessage message = good_plan ();

  say (&message);
  for (;;)
    continue;
}

/* Plans and takes the grant; returns the shared memory. */
static guint8 *
get_grant (gsize *size)
{
  ThWireMessage message = good_plan ();
  void *memory;
  int memfd;

  say (&message);
  if (th_wire_receive (TH_WIRE_FD, &message, &memfd) != TH_WIRE_GOT || memfd < 0)
    _exit (1);
  *size = message.grant.total;
  memory = mmap (NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
  if (memory == MAP_FAILED)
    _exit (1);
  return memory;
}

static void
say_done (guint32 status)
{
  ThWireMessage message;

  th_wire_init (&message, TH_WIRE_DONE, EVIL_JOB);
  message.done.status = status;
  say (&message);
}

static void
lie_done (void)
{
  gsize size;

  (void) get_grant (&size);
  say_done (TH_STATUS_TIMEOUT);
}

static void
lie_done_descriptor (void)
{
  ThWireMessage message;
  gsize size;

  (void) get_grant (&size);
  th_wire_init (&message, TH_WIRE_DONE, EVIL_JOB);
  say_bytes (&message, message.head.size, TH_WIRE_FD, 1);
}

static void
lie_rewrite (void)
{
  gsize size;
  guint8 *memory = get_grant (&size);

  memset (memory, 1, size);
  say_done (TH_STATUS_OK);
  for (guint8 value = 2;; value++)
    memset (memory, value, size);
}

static void
lie_more (void)
{
  gsize size;
  guint8 *memory = get_grant (&size);

  memset (memory, 1, size);
  say_done (TH_STATUS_OK);
  say_done (TH_STATUS_OK);
}

static void
lie_ahead (void)
{
  ThWireMessage message = good_plan ();

  message.plan.ahead = 1;
  say (&message);
  say_done (TH_STATUS_OK);
}

static void
lie_ahead_peak (void)
{
  ThWireMessage message = good_plan ();

  message.plan.ahead = 1;
  message.plan.peak_bytes = 1u << 30;
  say (&message);
  say_done (TH_STATUS_OK);
}

static void
lie_ahead_flag (void)
{
  ThWireMessage message = good_plan ();

  message.plan.ahead = 2;
  say (&message);
}

static const Lie lies[] = {
  { "size", lie_size },
  { "nothing", lie_nothing },
  { "channels", lie_channels },
  { "scalable", lie_scalable },
  { "duration", lie_duration },
  { "peak", lie_peak },
  { "mime", lie_mime },
  { "name", lie_name },
  { "huge-text", lie_huge_text },
  { "status", lie_status },
  { "unknown-status", lie_unknown_status },
  { "text", lie_text },
  { "short", lie_short },
  { "long", lie_long },
  { "magic", lie_magic },
  { "type", lie_type },
  { "job", lie_job },
  { "descriptor", lie_descriptor },
  { "descriptors", lie_descriptors },
  { "twice", lie_twice },
  { "flood", lie_flood },
  { "deaf", lie_deaf },
  { "done", lie_done },
  { "done-descriptor", lie_done_descriptor },
  { "rewrite", lie_rewrite },
  { "more", lie_more },
  { "ahead", lie_ahead },
  { "ahead-peak", lie_ahead_peak },
  { "ahead-flag", lie_ahead_flag },
};

gboolean
evil_lie (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    if (strcmp (lies[i].name, name) == 0)
      {
        lies[i].tell ();
        listen_to_the_end ();
      }
  return FALSE;
}

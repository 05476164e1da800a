/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* More than one may arrive from a peer that lies; all of them have to be closed. */
#define MAX_FDS 8

typedef struct
{
  gsize offset;
  gsize size;
} TextField;

typedef struct
{
  guint32 size;
  gboolean carries_fd;
  TextField texts[4]; /* ends with a size of 0 */
} Shape;

#define TEXT(type, field)                                                                          \
  {                                                                                                \
    G_STRUCT_OFFSET (type, field), sizeof (((type *) NULL)->field)                                 \
  }

static const Shape shapes[] = {
  [TH_WIRE_HELLO] = { sizeof (ThWireHello),
                      FALSE,
                      { TEXT (ThWireHello, build), TEXT (ThWireHello, text) } },
  [TH_WIRE_JOB] = { sizeof (ThWireJob), TRUE, { { 0, 0 } } },
  [TH_WIRE_PLAN] = { sizeof (ThWirePlan),
                     FALSE,
                     { TEXT (ThWirePlan, codec), TEXT (ThWirePlan, mime_type),
                       TEXT (ThWirePlan, text) } },
  [TH_WIRE_GRANT] = { sizeof (ThWireGrant), TRUE, { { 0, 0 } } },
  [TH_WIRE_DENY] = { sizeof (ThWireDeny), FALSE, { { 0, 0 } } },
  [TH_WIRE_DONE] = { sizeof (ThWireDone), FALSE, { TEXT (ThWireDone, text) } },
};

static const Shape *
shape_of (guint32 type)
{
  return type >= TH_WIRE_HELLO && type < G_N_ELEMENTS (shapes) ? &shapes[type] : NULL;
}

void
th_wire_init (ThWireMessage *message, ThWireType type, guint32 job)
{
  const Shape *shape = shape_of (type);

  g_assert (shape != NULL);
  memset (message, 0, sizeof *message);
  message->head = (ThWireHead){ TH_WIRE_MAGIC, type, shape->size, job };
}

gboolean
th_wire_send (int socket, const ThWireMessage *message, int fd, GError **error)
{
  union
  {
    struct cmsghdr align;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  struct iovec part = { (void *) message, message->head.size };
  struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
  gssize sent;

  if (fd >= 0)
    {
      struct cmsghdr *item;

      header.msg_control = control.bytes;
      header.msg_controllen = sizeof control.bytes;
      item = CMSG_FIRSTHDR (&header);
      item->cmsg_level = SOL_SOCKET;
      item->cmsg_type = SCM_RIGHTS;
      item->cmsg_len = CMSG_LEN (sizeof fd);
      memcpy (CMSG_DATA (item), &fd, sizeof fd);
    }
  do
    sent = sendmsg (socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  if (sent < 0)
    {
      int saved = errno;

      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved),
                   "cannot send to the other side: %s", g_strerror (saved));
    }
  return sent >= 0;
}

/* Takes every descriptor out of the control data: the first one is handed over, all others are
 * closed. Returns how many there were. */
static guint
collect_fds (struct msghdr *header, int *first)
{
  guint n = 0;

  for (struct cmsghdr *item = CMSG_FIRSTHDR (header); item != NULL;
       item = CMSG_NXTHDR (header, item))
    {
      gsize count;

      if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS)
        continue;
      count = (item->cmsg_len - CMSG_LEN (0)) / sizeof (int);
      for (gsize i = 0; i < count; i++, n++)
        {
          int fd;

          memcpy (&fd, CMSG_DATA (item) + i * sizeof fd, sizeof fd);
          if (n == 0)
            *first = fd;
          else
            close (fd);
        }
    }
  return n;
}

static gboolean
well_formed (const ThWireMessage *message, gsize received)
{
  const Shape *shape;

  if (received < sizeof message->head || message->head.magic != TH_WIRE_MAGIC)
    return FALSE;
  shape = shape_of (message->head.type);
  if (shape == NULL || message->head.size != shape->size || received != shape->size)
    return FALSE;
  for (const TextField *text = shape->texts; text->size > 0; text++)
    if (memchr ((const char *) message + text->offset, '\0', text->size) == NULL)
      return FALSE;
  return TRUE;
}

ThWireResult
th_wire_receive (int socket, ThWireMessage *message, int *fd)
{
  union
  {
    struct cmsghdr align;
    char bytes[CMSG_SPACE (MAX_FDS * sizeof (int))];
  } control = { 0 };
  struct iovec part = { message, sizeof *message };
  struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
  int first = -1;
  guint n_fds;
  gssize got;

  if (fd != NULL)
    *fd = -1;
  header.msg_control = control.bytes;
  header.msg_controllen = sizeof control.bytes;
  memset (message, 0, sizeof *message);
  do
    got = recvmsg (socket, &header, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0)
    return TH_WIRE_END;
  n_fds = collect_fds (&header, &first);
  if (got > 0 && (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0
      && well_formed (message, (gsize) got)
      && (n_fds == 0 || (n_fds == 1 && fd != NULL && shape_of (message->head.type)->carries_fd)))
    {
      if (fd != NULL)
        *fd = first;
      return TH_WIRE_GOT;
    }
  if (first >= 0)
    close (first);
  return got == 0 && n_fds == 0 ? TH_WIRE_END : TH_WIRE_MALFORMED;
}

void
th_wire_set_text (char *field, gsize size, const char *text)
{
  gsize length = strlen (text);

  if (length >= size)
    {
      length = size - 1;
      /* Not in the middle of a character: back over its continuation bytes. */
      while (length > 0 && ((guint8) text[length] & 0xc0) == 0x80)
        length--;
    }
  memcpy (field, text, length);
  memset (field + length, 0, size - length);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-packet.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* More than one may arrive from a peer that lies; all of them have to be closed. */
#define MAX_FDS 8

gboolean
th_packet_send (int socket, gconstpointer data, gsize size, int fd, gboolean patient,
                GError **error)
{
  union
  {
    struct cmsghdr align;
    char bytes[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  struct iovec part = { (void *) data, size };
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
    sent = sendmsg (socket, &header, MSG_NOSIGNAL | (patient ? 0 : MSG_DONTWAIT));
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

static ThPacketResult
receive (int socket, gpointer data, gsize capacity, gsize *size, int *fd, int flags)
{
  union
  {
    struct cmsghdr align;
    char bytes[CMSG_SPACE (MAX_FDS * sizeof (int))];
  } control = { 0 };
  struct iovec part = { data, capacity };
  struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
  guint n_fds;
  gssize got;

  *fd = -1;
  *size = 0;
  header.msg_control = control.bytes;
  header.msg_controllen = sizeof control.bytes;
  do
    got = recvmsg (socket, &header, MSG_CMSG_CLOEXEC | flags);
  while (got < 0 && errno == EINTR);
  if (got < 0)
    return TH_PACKET_END;
  n_fds = collect_fds (&header, fd);
  if (got > 0 && (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0 && n_fds <= 1)
    {
      memset ((char *) data + got, 0, capacity - (gsize) got);
      *size = (gsize) got;
      return TH_PACKET_GOT;
    }
  if (*fd >= 0)
    close (g_steal_fd (fd));
  return got == 0 && n_fds == 0 ? TH_PACKET_END : TH_PACKET_BAD;
}

ThPacketResult
th_packet_receive (int socket, gpointer data, gsize capacity, gsize *size, int *fd)
{
  return receive (socket, data, capacity, size, fd, 0);
}

ThPacketResult
th_packet_peek (int socket, gpointer data, gsize capacity, gsize *size, int *fd)
{
  return receive (socket, data, capacity, size, fd, MSG_PEEK);
}

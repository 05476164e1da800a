/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-wrap.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/th-packet.h"

int
th_wrap (int fd, GError **error)
{
  int pair[2];
  gboolean sent;

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    {
      int saved = errno;

      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved), "no socket: %s",
                   g_strerror (saved));
      close (fd);
      return -1;
    }
  sent = th_packet_send (pair[0], "", 1, fd, FALSE, error);
  close (pair[0]);
  close (fd);
  if (sent)
    return pair[1];
  close (pair[1]);
  return -1;
}

int
th_unwrap (int fd)
{
  char byte;
  gsize size;
  int inner;

  errno = 0;
  if (th_packet_peek (fd, &byte, sizeof byte, &size, &inner) == TH_PACKET_END && errno == ENOTSOCK)
    return fd;
  close (fd);
  return inner;
}

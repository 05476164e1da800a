/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One datagram over SOCK_SEQPACKET, with at most one descriptor. Knows no message. */
#pragma once

#include <glib.h>

/* fd: -1: none. Does not wait where patient is FALSE. FALSE: G_FILE_ERROR (PIPE where the other
 * side is gone, AGAIN where it does not read). */
gboolean th_packet_send (int socket, gconstpointer data, gsize size, int fd, gboolean patient,
                         GError **error);

typedef enum
{
  TH_PACKET_GOT,
  TH_PACKET_END, /* the other side is gone */
  TH_PACKET_BAD, /* longer than capacity, empty, or with more than one descriptor */
} ThPacketResult;

/* Waits for one. *fd is close-on-exec, -1 where none came; all others are closed. What data has
 * beyond *size is zero. */
ThPacketResult th_packet_receive (int socket, gpointer data, gsize capacity, gsize *size, int *fd);
/* The same, and it stays there to be received again; *fd is another one each time. */
ThPacketResult th_packet_peek (int socket, gpointer data, gsize capacity, gsize *size, int *fd);

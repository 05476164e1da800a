/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A descriptor inside a socket: whoever holds the socket can hand it on or close it, and the file
 * system that the inner one lies on is not asked. To close a descriptor on a FUSE mount waits for
 * its server, in a way that not even SIGKILL ends. Knows no message. */
#pragma once

#include <glib.h>

/* Takes fd over, also where it fails. The socket is close-on-exec; -1 and an error where there is
 * none to be had. */
int th_wrap (int fd, GError **error);
/* Takes fd over. What is inside where it is a wrapping, else fd itself; -1: an empty one. Others
 * who have the same socket can unwrap it again. Of system calls it makes recvmsg and close only. */
int th_unwrap (int fd);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "reader/th-reader.h"
#include "wire/th-wire.h"

/* What is under way when the other side is gone may end in good order within this. */
#define PATIENCE_S 1u

static int
print_version (void)
{
  return printf ("thimble-reader %s\n", TH_VERSION) < 0 || fflush (stdout) != 0;
}

static gboolean
is_wire (int fd)
{
  int type = 0;
  socklen_t size = sizeof type;

  return getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

/* The main thread may wait for a server for ever, and not see that nobody wants its answer. */
static gpointer
watch (gpointer unused)
{
  struct pollfd item = { .fd = TH_WIRE_FD, .events = 0 };

  while (poll (&item, 1, -1) <= 0)
    continue;
  sleep (PATIENCE_S);
  _exit (0);
}

int
main (int argc, char **argv)
{
  GThread *watcher;

  if (argc == 2 && strcmp (argv[1], "--version") == 0)
    return print_version ();
  if (argc != 1 || !is_wire (TH_WIRE_FD))
    {
      fputs ("thimble-reader is started by thimble's other programs, with a socket\n"
             "usage: thimble-reader --version\n",
             stderr);
      return 2;
    }
  watcher = g_thread_try_new ("watch", watch, NULL, NULL);
  if (watcher == NULL || chdir ("/") != 0 || fcntl (TH_WIRE_FD, F_SETFD, FD_CLOEXEC) != 0)
    return 1;
  g_thread_unref (watcher);
  return th_reader_serve (TH_WIRE_FD);
}

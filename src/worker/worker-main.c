/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/th-wire.h"
#include "worker/th-manifest.h"
#include "worker/th-serve.h"

static int
print_manifest (void)
{
  g_autofree char *text = th_manifest_text ();

  return fputs (text, stdout) < 0 || fflush (stdout) != 0;
}

static int
print_version (void)
{
  return printf ("thimble-worker %s\n", TH_VERSION) < 0 || fflush (stdout) != 0;
}

static gboolean
is_wire (int fd)
{
  int type = 0;
  socklen_t size = sizeof type;

  return getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--manifest") == 0)
    return print_manifest ();
  if (argc == 2 && strcmp (argv[1], "--version") == 0)
    return print_version ();
  if (argc != 1 || !is_wire (TH_WIRE_FD))
    {
      fputs ("thimble-worker is started by thimble's other programs, with a socket\n"
             "usage: thimble-worker --manifest | --version\n",
             stderr);
      return 2;
    }
  /* It may have been started from a descriptor. */
  prctl (PR_SET_NAME, "thimble-worker");
  /* Not through exit: its handlers are not made for a locked-down process. */
  _exit (th_serve (&(ThServe){ .socket = TH_WIRE_FD }));
}

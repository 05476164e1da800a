/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells which volumes are about to be unmounted. A process of its own, because whatever watches
 * volumes is loaded into it and asks others over the bus, and waits for them. */
#include "config.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/th-wire.h"

static int
print_version (void)
{
  return printf ("thimble-volumes %s\n", TH_VERSION) < 0 || fflush (stdout) != 0;
}

static gboolean
is_wire (int fd)
{
  int type = 0;
  socklen_t size = sizeof type;

  return getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

/* The main thread may wait for others, and not see that nobody listens any more. */
static gpointer
watch (gpointer unused)
{
  struct pollfd item = { .fd = TH_WIRE_FD, .events = 0 };

  while (poll (&item, 1, -1) <= 0)
    continue;
  _exit (0);
}

static char *
path_of (GMount *mount)
{
  g_autoptr (GFile) root = g_mount_get_root (mount);
  g_autoptr (GFile) location = NULL;
  char *path = g_file_get_path (root);

  if (path != NULL)
    return path;
  location = g_mount_get_default_location (mount);
  return g_file_get_path (location);
}

/* What all else lies on stays as long as we do. */
static gboolean
is_worth_telling (const char *path)
{
  return path[0] == '/' && path[1] != '\0' && strlen (path) < PATH_MAX;
}

static void
on_pre_unmount (GVolumeMonitor *monitor, GMount *mount, gpointer unused)
{
  g_autofree char *path = path_of (mount);

  if (path != NULL && is_worth_telling (path))
    (void) send (TH_WIRE_FD, path, strlen (path) + 1, MSG_NOSIGNAL);
}

static void
run (void)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GVolumeMonitor) monitor = g_volume_monitor_get ();

  g_signal_connect (monitor, "mount-pre-unmount", G_CALLBACK (on_pre_unmount), NULL);
  g_main_loop_run (loop);
}

int
main (int argc, char **argv)
{
  GThread *watcher;

  if (argc == 2 && strcmp (argv[1], "--version") == 0)
    return print_version ();
  if (argc != 1 || !is_wire (TH_WIRE_FD))
    {
      fputs ("thimble-volumes is started by thimbled, with a socket\n"
             "usage: thimble-volumes --version\n",
             stderr);
      return 2;
    }
  /* Mounts of GVfs do not say so beforehand, and it would be asked for the paths of the others. */
  g_setenv ("GIO_USE_VFS", "local", TRUE);
  watcher = g_thread_try_new ("watch", watch, NULL, NULL);
  if (watcher == NULL || chdir ("/") != 0 || fcntl (TH_WIRE_FD, F_SETFD, FD_CLOEXEC) != 0)
    return 1;
  g_thread_unref (watcher);
  run ();
  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "thumbnailer/th-helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "worker/th-serve.h"

static gboolean
fail (const char *what, GError **error)
{
  int saved = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved), "%s: %s", what,
               g_strerror (saved));
  return FALSE;
}

/* The child's whole life. Whoever kills the parent kills it too. */
G_NORETURN static void
live (int socket, const char *worker, pid_t parent)
{
  if (prctl (PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid () != parent)
    _exit (1);
  /* The lowest one that can be had: the lock-down closes all above it. */
  if (socket == TH_WIRE_FD ? fcntl (socket, F_SETFD, 0) < 0 : dup2 (socket, TH_WIRE_FD) < 0)
    _exit (1);
  if (worker != NULL)
    {
      execl (worker, worker, NULL);
      _exit (1);
    }
  _exit (th_serve (&(ThServe){ .socket = TH_WIRE_FD }));
}

gboolean
th_helper_start (ThHelper *helper, const char *worker, GError **error)
{
  pid_t parent = getpid ();
  int ends[2];

  *helper = (ThHelper){ .socket = -1 };
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail ("cannot make a socket", error);
  helper->pid = fork ();
  if (helper->pid == 0)
    live (ends[1], worker, parent);
  close (ends[1]);
  helper->socket = ends[0];
  return helper->pid > 0 || fail ("cannot make a process", error);
}

ThStatus
th_helper_decode (ThHelper *helper, int source_fd, guint32 box, const ThLimits *limits,
                  ThDecoded *decoded, GError **error)
{
  ThWireHello hello;
  ThStatus status = th_exchange_hello (helper->socket, limits->wall_ms, &hello, error);
  ThExchange exchange = {
    .socket = helper->socket,
    .pid = helper->pid,
    .job = 1,
    .source_fd = source_fd,
    .limits = limits,
    .boxes = &box,
    .n_boxes = 1,
  };

  if (status != TH_STATUS_OK)
    return status;
  exchange.data_base = hello.data_base;
  return th_exchange_run (&exchange, decoded, error);
}

void
th_helper_clear (ThHelper *helper)
{
  if (helper->socket >= 0)
    close (helper->socket);
  helper->socket = -1;
  if (helper->pid > 0)
    kill (helper->pid, SIGKILL);
  helper->pid = 0;
}

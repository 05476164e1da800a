/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "hostile/hostile-worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Enough for the slowest day; only a fault of the program is later. */
#define PATIENCE_MS 60000

G_NORETURN static void
become (const char *path, int socket, WorkerPrepare prepare)
{
  /* dup2 onto itself would leave it close-on-exec. */
  if (socket == TH_WIRE_FD)
    fcntl (socket, F_SETFD, 0);
  else
    dup2 (socket, TH_WIRE_FD);
  if (prepare != NULL)
    prepare ();
  execl (path, path, NULL);
  _exit (127);
}

void
worker_start (Worker *worker, const char *program, WorkerPrepare prepare)
{
  g_autofree char *path = g_test_build_filename (G_TEST_BUILT, "hostile", program, NULL);
  int ends[2];

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), ==, 0);
  worker->pid = fork ();
  g_assert_cmpint (worker->pid, >=, 0);
  if (worker->pid == 0)
    become (path, ends[1], prepare);
  close (ends[1]);
  worker->socket = ends[0];
}

ThStatus
worker_greet (Worker *worker, GError **error)
{
  return th_exchange_hello (worker->socket, PATIENCE_MS, &worker->hello, error);
}

int
worker_wait (Worker *worker)
{
  int status = 0;

  g_assert_cmpint (waitpid (worker->pid, &status, 0), ==, worker->pid);
  worker->pid = 0;
  return status;
}

void
worker_clear (Worker *worker)
{
  if (worker->pid > 0)
    {
      kill (worker->pid, SIGKILL);
      worker_wait (worker);
    }
  if (worker->socket >= 0)
    close (worker->socket);
  *worker = (Worker){ .socket = -1 };
}

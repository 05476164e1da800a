/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/th-error.h"
#include "base/th-paths.h"
#include "base/th-spawn.h"
#include "wire/th-wire.h"

/* What a worker from the build tree may see of the environment: sanitizers and tests. */
static const char *const debug_prefixes[] = {
  "ASAN_", "LSAN_", "UBSAN_", "TSAN_", "TH_", "LD_LIBRARY_PATH=", NULL
};

/* Large blocks of the heap come in large pages: a progressive JPEG of 20 megabytes of coefficients
 * is ten faults in place of five thousand. Other C libraries take no notice. */
#define LARGE_PAGES "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"

static gboolean
is_debug_variable (const char *variable)
{
  for (guint i = 0; debug_prefixes[i] != NULL; i++)
    if (g_str_has_prefix (variable, debug_prefixes[i]))
      return TRUE;
  return FALSE;
}

static GStrv
make_environment (ThProcessSetting setting, gboolean uninstalled)
{
  g_auto (GStrv) all = g_get_environ ();
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (setting == TH_PROCESS_AS_CALLER)
    return g_steal_pointer (&all);
  g_strv_builder_add (builder, "PATH=/usr/bin:/bin");
  g_strv_builder_add (builder, LARGE_PAGES);
  for (guint i = 0; uninstalled && all[i] != NULL; i++)
    if (is_debug_variable (all[i]))
      g_strv_builder_add (builder, all[i]);
  return g_strv_builder_end (builder);
}

/* The socket first: it may lie on a number that is opened anew afterwards. */
static int
set_descriptors (posix_spawn_file_actions_t *actions, int socket, gboolean keep_stderr)
{
  int failed = posix_spawn_file_actions_adddup2 (actions, socket, TH_WIRE_FD);

  for (int fd = 0; fd < (keep_stderr ? 2 : 3) && failed == 0; fd++)
    failed = posix_spawn_file_actions_addopen (actions, fd, "/dev/null", O_RDWR, 0);
  if (failed == 0)
    failed = posix_spawn_file_actions_addclosefrom_np (actions, TH_WIRE_FD + 1);
  return failed;
}

static int
spawn (pid_t *pid, const char *program, ThProcessSetting setting, int socket)
{
  gboolean uninstalled = th_paths_uninstalled ();
  g_auto (GStrv) environment = make_environment (setting, uninstalled);
  char *argv[] = { (char *) program, NULL };
  posix_spawn_file_actions_t actions;
  int failed;

  failed = posix_spawn_file_actions_init (&actions);
  if (failed != 0)
    return failed;
  failed = set_descriptors (&actions, socket, uninstalled);
  if (failed == 0)
    failed = th_spawn (pid, argv, environment, &actions);
  posix_spawn_file_actions_destroy (&actions);
  return failed;
}

gboolean
th_process_start (ThProcess *process, const char *program, ThProcessSetting setting, GError **error)
{
  int pair[2];
  int failed = 0;

  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    failed = errno;
  else
    {
      failed = spawn (&process->pid, program, setting, pair[1]);
      close (pair[1]);
      process->socket = pair[0];
      if (failed == 0)
        {
          process->pidfd = (int) syscall (SYS_pidfd_open, process->pid, 0);
          return TRUE;
        }
      close (pair[0]);
    }
  process->socket = -1;
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "%s: %s", program, g_strerror (failed));
  return FALSE;
}

void
th_process_hang_up (ThProcess *process)
{
  if (process->socket >= 0)
    close (g_steal_fd (&process->socket));
}

void
th_process_kill (const ThProcess *process)
{
  if (process->pidfd >= 0)
    syscall (SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0);
  else
    kill (process->pid, SIGKILL);
}

gboolean
th_process_reap (ThProcess *process)
{
  siginfo_t info = { 0 };
  int result;

  do
    result = waitid (P_PID, (id_t) process->pid, &info, WEXITED | WNOHANG);
  while (result != 0 && errno == EINTR);
  /* ECHILD: somebody else has reaped it, or SIGCHLD is ignored. */
  if (result == 0 && info.si_pid != process->pid)
    return FALSE;
  th_process_abandon (process);
  return TRUE;
}

void
th_process_abandon (ThProcess *process)
{
  th_process_hang_up (process);
  if (process->pidfd >= 0)
    close (g_steal_fd (&process->pidfd));
}

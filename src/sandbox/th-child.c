/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sandbox/th-child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/th-error.h"
#include "base/th-spawn.h"

/* How often somebody who has lost interest is heard. */
#define TICK_MS 50
/* What has been killed, and what has been asked to end, is waited for so long. */
#define KILL_PATIENCE_MS 2000
#define ASK_PATIENCE_MS  1500
/* Descriptors are first put out of the way of the numbers that they are to have. */
#define HIGH_FD    32
#define MOST_FDS   8
#define SAID_BYTES 4096u
#define INFO_BYTES 4096u
#define LINE_CHARS 200

gboolean
th_child_fail (const char *what, int code, GError **error)
{
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "%s: %s", what, g_strerror (code));
  return FALSE;
}

static int
add_fds (posix_spawn_file_actions_t *actions, const int *high, guint n)
{
  int failed = 0;

  for (int fd = 0; fd < 3 && failed == 0; fd++)
    failed = posix_spawn_file_actions_addopen (actions, fd, "/dev/null", O_RDWR, 0);
  for (guint i = 0; i < n && failed == 0; i++)
    if (high[i] >= 0)
      failed = posix_spawn_file_actions_adddup2 (actions, high[i], (int) i + 2);
  for (guint i = 0; i < n && failed == 0; i++)
    if (high[i] < 0)
      failed = posix_spawn_file_actions_addopen (actions, (int) i + 2, "/dev/null", O_RDWR, 0);
  if (failed == 0)
    failed = posix_spawn_file_actions_addclosefrom_np (actions, (int) n + 2);
  return failed;
}

/* bubblewrap needs none, and gives the program one of its own. */
static GStrv
make_environment (const ThChildStart *how)
{
  if (how->folder == NULL)
    return g_strsplit ("PATH=/usr/local/bin:/usr/bin:/bin", "\n", 0);
  return g_environ_setenv (g_get_environ (), "TMPDIR", how->folder, TRUE);
}

static int
spawn_with (pid_t *pid, const ThChildStart *how, const int *high)
{
  g_auto (GStrv) environment = make_environment (how);
  posix_spawn_file_actions_t actions;
  int failed = posix_spawn_file_actions_init (&actions);

  if (failed != 0)
    return failed;
  failed = add_fds (&actions, high, how->n_fds);
  if (failed == 0)
    failed =
        posix_spawn_file_actions_addchdir_np (&actions, how->folder != NULL ? how->folder : "/");
  if (failed == 0)
    failed = th_spawn (pid, how->argv, environment, &actions);
  posix_spawn_file_actions_destroy (&actions);
  return failed;
}

static int
spawn (pid_t *pid, const ThChildStart *how)
{
  int high[MOST_FDS] = { 0 };
  int failed = 0;
  guint n;

  g_assert (how->n_fds <= MOST_FDS);
  for (n = 0; n < how->n_fds && failed == 0; n++)
    {
      high[n] = how->fds[n] >= 0 ? fcntl (how->fds[n], F_DUPFD_CLOEXEC, HIGH_FD) : -1;
      failed = how->fds[n] >= 0 && high[n] < 0 ? errno : 0;
    }
  if (failed == 0)
    failed = spawn_with (pid, how, high);
  for (guint i = 0; i < n; i++)
    if (high[i] >= 0)
      close (high[i]);
  return failed;
}

static int
open_pid (pid_t pid)
{
  return (int) syscall (SYS_pidfd_open, pid, 0);
}

gboolean
th_child_start (ThChild *child, const ThChildStart *how, GError **error)
{
  int failed;

  *child = (ThChild){ .pidfd = -1, .inner = -1, .status = -1 };
  failed = spawn (&child->pid, how);
  if (failed != 0)
    return th_child_fail (how->argv[0], failed, error);
  child->pidfd = open_pid (child->pid);
  if (child->pidfd < 0)
    {
      failed = errno;
      kill (child->pid, SIGKILL);
      waitpid (child->pid, NULL, 0);
      return th_child_fail ("a handle on a process", failed, error);
    }
  child->info = g_string_new (NULL);
  return TRUE;
}

/* FALSE: nothing more will come. */
static gboolean
take_in (int fd, GString *text, gsize most)
{
  char buffer[4096];
  gssize n = read (fd, buffer, sizeof buffer);

  if (n < 0)
    return errno == EAGAIN || errno == EINTR;
  /* The end of it is what counts. */
  if (n > 0)
    g_string_append_len (text, buffer, n);
  if (text->len > most)
    g_string_erase (text, 0, (gssize) (text->len - most));
  return n > 0;
}

/* While bubblewrap runs the number cannot be anybody else's: it has not reaped that process. */
static void
find_inner (ThChild *child)
{
  const char *key = strstr (child->info->str, "\"child-pid\":");
  gint64 pid = key != NULL ? g_ascii_strtoll (key + strlen ("\"child-pid\":"), NULL, 10) : 0;

  if (child->inner < 0 && pid > 1 && pid <= G_MAXINT && strchr (key, '\n') != NULL)
    child->inner = open_pid ((pid_t) pid);
}

gboolean
th_child_wait (ThChild *child, int said_fd, int info_fd, GString *said)
{
  /* One that has hung up would wake us again and again. */
  struct pollfd fds[] = { { child->pidfd, POLLIN, 0 },
                          { child->said_over ? -1 : said_fd, POLLIN, 0 },
                          { child->info_over ? -1 : info_fd, POLLIN, 0 } };

  if (poll (fds, G_N_ELEMENTS (fds), TICK_MS) <= 0)
    return FALSE;
  if (fds[2].revents != 0)
    {
      child->info_over = !take_in (info_fd, child->info, INFO_BYTES);
      find_inner (child);
    }
  if (fds[1].revents != 0)
    child->said_over = !take_in (said_fd, said, SAID_BYTES);
  return fds[0].revents != 0;
}

static gboolean
ends_within (int pidfd, int patience)
{
  struct pollfd fd = { pidfd, POLLIN, 0 };
  gint64 end = g_get_monotonic_time () + (gint64) patience * 1000;
  int result;

  do
    {
      gint64 left = (end - g_get_monotonic_time ()) / 1000;

      result = poll (&fd, 1, (int) MAX (left, 0));
    }
  while (result < 0 && errno == EINTR);
  return result > 0;
}

static void
send_signal (int pidfd, int number)
{
  if (pidfd >= 0)
    syscall (SYS_pidfd_send_signal, pidfd, number, NULL, 0);
}

static gpointer
reap (gpointer data)
{
  while (waitpid (GPOINTER_TO_INT (data), NULL, 0) < 0 && errno == EINTR)
    continue;
  return NULL;
}

static void
collect_status (ThChild *child)
{
  int status;
  pid_t result;

  do
    result = waitpid (child->pid, &status, 0);
  while (result < 0 && errno == EINTR);
  if (result == child->pid && WIFEXITED (status))
    child->status = WEXITSTATUS (status);
}

void
th_child_end (ThChild *child, gboolean gently)
{
  gboolean runs = !ends_within (child->pidfd, 0);

  if (gently && runs)
    {
      send_signal (child->pidfd, SIGTERM);
      ends_within (child->pidfd, ASK_PATIENCE_MS);
    }
  /* Once bubblewrap has ended of itself, so has what is below it, or it is killed by that. */
  if (runs)
    send_signal (child->inner, SIGKILL);
  send_signal (child->pidfd, SIGKILL);
  if (ends_within (child->pidfd, KILL_PATIENCE_MS))
    collect_status (child);
  else
    g_thread_unref (g_thread_new ("reaper", reap, GINT_TO_POINTER (child->pid)));
  /* The namespace has ended when its first process has: that one waits for all others. */
  if (child->inner >= 0)
    {
      ends_within (child->inner, KILL_PATIENCE_MS);
      close (g_steal_fd (&child->inner));
    }
  close (g_steal_fd (&child->pidfd));
  g_string_free (child->info, TRUE);
  child->info = NULL;
}

void
th_child_drain (int said_fd, GString *said)
{
  /* What is left in a pipe is no more than 64 KiB by default, and nobody writes any more. */
  for (guint i = 0; i < 16 && take_in (said_fd, said, SAID_BYTES); i++)
    continue;
}

char *
th_child_last_line (const GString *said)
{
  g_autofree char *text = g_utf8_make_valid (said->str, (gssize) said->len);
  const char *line;
  glong length;

  g_strchomp (text);
  line = strrchr (text, '\n');
  line = line != NULL ? line + 1 : text;
  if (*line == '\0')
    return NULL;
  length = g_utf8_strlen (line, -1);
  return g_utf8_substring (line, 0, MIN (length, LINE_CHARS));
}

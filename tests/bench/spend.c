/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a program costs that is started anew each time: spend RUNS COMMAND…
 *
 * Each run prints elapsed and CPU milliseconds and peak resident KiB of the largest of its
 * processes. Elapsed is until the program ends; CPU is its and that of all it started, also of what
 * outlives it. A small parent of its own, because a child's peak begins at what its parent has. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define MAX_RUNS 100000

typedef struct
{
  double ms;
  double cpu_ms;
  long peak_kib;
} Cost;

static double
milliseconds (const struct timeval *time)
{
  return (double) time->tv_sec * 1e3 + (double) time->tv_usec / 1e3;
}

/* Takes the end of one child; -1 where there is none. */
static pid_t
reap (int *status, Cost *cost)
{
  struct rusage usage;
  pid_t pid;

  do
    pid = wait4 (-1, status, 0, &usage);
  while (pid < 0 && errno == EINTR);
  if (pid < 0)
    return -1;
  cost->cpu_ms += milliseconds (&usage.ru_utime) + milliseconds (&usage.ru_stime);
  cost->peak_kib = MAX (cost->peak_kib, usage.ru_maxrss);
  return pid;
}

static gboolean
run (char **command, const posix_spawn_file_actions_t *actions, Cost *cost)
{
  const gint64 start = g_get_monotonic_time ();
  int status = 0, ignored;
  pid_t child, ended;

  *cost = (Cost){ 0 };
  if (posix_spawnp (&child, command[0], actions, NULL, command, environ) != 0)
    return FALSE;
  while ((ended = reap (&status, cost)) >= 0 && ended != child)
    ;
  cost->ms = (double) (g_get_monotonic_time () - start) / 1e3;
  while (reap (&ignored, cost) >= 0)
    ;
  return ended == child && WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

int
main (int argc, char **argv)
{
  posix_spawn_file_actions_t actions;
  gint64 runs;
  Cost cost;

  if (argc < 3 || !g_ascii_string_to_signed (argv[1], 10, 1, MAX_RUNS, &runs, NULL))
    {
      fprintf (stderr, "usage: spend RUNS COMMAND…\n");
      return 2;
    }
  prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_addopen (&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen (&actions, 2, "/dev/null", O_WRONLY, 0);
  for (gint64 i = 0; i < runs; i++)
    {
      if (!run (argv + 2, &actions, &cost))
        {
          fprintf (stderr, "spend: %s failed\n", argv[2]);
          return 1;
        }
      printf ("%.3f %.3f %ld\n", cost.ms, cost.cpu_ms, cost.peak_kib);
    }
  posix_spawn_file_actions_destroy (&actions);
  return 0;
}

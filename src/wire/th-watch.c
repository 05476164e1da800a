/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-watch.h"

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <time.h>

/* CPU time above the deadline after which the kernel kills by itself. */
#define BACKSTOP_SECONDS 2
/* A CPU deadline that is nearly reached is looked at this often. */
#define SHORTEST_WAIT_MS 5

/* CPU time of a process in µs; 0 where it is gone, which the socket will say. */
static gint64
cpu_time (pid_t pid)
{
  clockid_t clock;
  struct timespec used;

  if (clock_getcpuclockid (pid, &clock) != 0 || clock_gettime (clock, &used) != 0)
    return 0;
  return (gint64) used.tv_sec * G_USEC_PER_SEC + used.tv_nsec / 1000;
}

/* Sets a soft limit, as far as the hard one goes. Failing means that the process is gone. */
static void
set_soft_limit (pid_t pid, int resource, guint64 value)
{
  struct rlimit limit;

  if (prlimit (pid, resource, NULL, &limit) != 0)
    return;
  limit.rlim_cur = MIN (value, limit.rlim_max);
  prlimit (pid, resource, &limit, NULL);
}

void
th_watch_init (ThWatch *watch, int socket, pid_t pid, guint64 data_base, const ThLimits *limits)
{
  *watch = (ThWatch){
    .socket = socket,
    .pid = pid,
    .wall_end = g_get_monotonic_time () + (gint64) limits->wall_ms * 1000,
    .cpu_end = cpu_time (pid) + (gint64) limits->cpu_ms * 1000,
    .data_base = data_base,
  };
  set_soft_limit (pid, RLIMIT_CPU, (guint64) (watch->cpu_end / G_USEC_PER_SEC) + BACKSTOP_SECONDS);
}

void
th_watch_excuse (ThWatch *watch, gint64 microseconds)
{
  watch->wall_end += microseconds;
}

void
th_watch_grant (const ThWatch *watch, guint64 bytes)
{
  if (watch->data_base > 0)
    set_soft_limit (watch->pid, RLIMIT_DATA, watch->data_base + bytes);
}

gboolean
th_watch_wait (const ThWatch *watch)
{
  struct pollfd item = { .fd = watch->socket, .events = POLLIN };

  for (;;)
    {
      gint64 wall_left = watch->wall_end - g_get_monotonic_time ();
      gint64 cpu_left = watch->cpu_end - cpu_time (watch->pid);
      /* One thread uses no more CPU time than time passes, so that the deadline cannot be reached
       * before cpu_left is over. */
      gint64 wait_ms = MAX (MIN (wall_left, cpu_left) / 1000, SHORTEST_WAIT_MS);
      int n;

      if (wall_left <= 0 || cpu_left <= 0)
        wait_ms = 0;
      n = poll (&item, 1, (int) MIN (wait_ms, G_MAXINT));
      if (n > 0)
        return TRUE;
      if (n < 0 && errno != EINTR)
        return FALSE;
      if (wait_ms == 0)
        return FALSE;
    }
}

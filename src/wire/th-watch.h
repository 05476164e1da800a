/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deadlines of one job: elapsed time and the CPU time of another process, watched while waiting for
 * its socket. Knows no messages. */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "base/th-limits.h"

typedef struct
{
  int socket;
  pid_t pid;
  gint64 wall_end;   /* monotonic time, µs */
  gint64 cpu_end;    /* CPU time of pid, µs */
  guint64 data_base; /* bytes of RLIMIT_DATA without a grant; 0: leave it alone */
} ThWatch;

/* Starts the clocks. As a backstop for the case that the watcher dies, the kernel is told the CPU
 * deadline too. data_base as in ThExchange. */
void th_watch_init (ThWatch *watch, int socket, pid_t pid, guint64 data_base,
                    const ThLimits *limits);
/* Time that is not charged to the process. */
void th_watch_excuse (ThWatch *watch, gint64 microseconds);
/* TRUE: there is something to receive, or the other side is gone. FALSE: a deadline has passed. */
gboolean th_watch_wait (const ThWatch *watch);
/* Lets the process use so many bytes above its base; 0 takes the grant back. */
void th_watch_grant (const ThWatch *watch, guint64 bytes);

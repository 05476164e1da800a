/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-priority.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From linux/ioprio.h, which user space got only lately. */
#define IO_WHO_PROCESS 1
#define IO_CLASS_IDLE  (3 << 13)

void
th_priority_become_idle (void)
{
  struct sched_param none = { 0 };

  sched_setscheduler (0, SCHED_IDLE, &none);
  syscall (SYS_ioprio_set, IO_WHO_PROCESS, 0, IO_CLASS_IDLE);
}

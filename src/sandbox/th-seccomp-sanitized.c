/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <unistd.h>

#include "sandbox/th-seccomp.h"

/* What the run-time of the sanitizers does in between, and for a report on standard error. Such a
 * build is never installed. */
const ThSyscall th_seccomp_more[] = {
  { SCMP_SYS (write), { { G_MAXUINT32, STDERR_FILENO, 0 } } },
  { SCMP_SYS (rt_sigprocmask) },
  { SCMP_SYS (sigaltstack) },
  { SCMP_SYS (getpid) },
  { SCMP_SYS (gettid) },
  { SCMP_SYS (sched_yield) },
  { SCMP_SYS (madvise) },
  { TH_SYSCALLS_END },
};

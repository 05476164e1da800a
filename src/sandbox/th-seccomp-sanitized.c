/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <unistd.h>

#include "sandbox/th-seccomp.h"

/* What the run-time of the sanitizers does in between, and for a report on standard error. Such a
 * build is never installed. */
const ThSyscall th_seccomp_more[] = {
  { SCMP_SYS (write), 0, G_MAXUINT32, STDERR_FILENO },
  { SCMP_SYS (rt_sigprocmask), TH_ANY, 0, 0 },
  { SCMP_SYS (rt_sigaction), TH_ANY, 0, 0 },
  { SCMP_SYS (sigaltstack), TH_ANY, 0, 0 },
  { SCMP_SYS (getpid), TH_ANY, 0, 0 },
  { SCMP_SYS (gettid), TH_ANY, 0, 0 },
  { SCMP_SYS (sched_yield), TH_ANY, 0, 0 },
  { SCMP_SYS (madvise), TH_ANY, 0, 0 },
  { TH_ANY, TH_ANY, 0, 0 },
};

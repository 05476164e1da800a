/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sandbox/th-seccomp.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/th-error.h"

/* Stands for the number of the socket in a row. */
#define SOCKET G_MAXUINT64

/* All that a decoder, malloc and the wire need. No open, no stat by name, no fcntl, no ioctl, no
 * write, nothing that changes the file behind a read-only descriptor. */
static const ThSyscall calls[] = {
  { SCMP_SYS (pread64), TH_ANY, 0, 0 },
  { SCMP_SYS (lseek), TH_ANY, 0, 0 },
  { SCMP_SYS (recvmsg), 0, G_MAXUINT32, SOCKET },
  { SCMP_SYS (sendmsg), 0, G_MAXUINT32, SOCKET },
  { SCMP_SYS (close), TH_ANY, 0, 0 },
  { SCMP_SYS (mmap), 2, PROT_EXEC, 0 },
  { SCMP_SYS (mmap2), 2, PROT_EXEC, 0 },
  { SCMP_SYS (mprotect), 2, PROT_EXEC, 0 },
  { SCMP_SYS (munmap), TH_ANY, 0, 0 },
  { SCMP_SYS (mremap), TH_ANY, 0, 0 },
  { SCMP_SYS (brk), TH_ANY, 0, 0 },
  { SCMP_SYS (madvise), 2, G_MAXUINT32, MADV_DONTNEED },
  { SCMP_SYS (madvise), 2, G_MAXUINT32, MADV_FREE },
  { SCMP_SYS (madvise), 2, G_MAXUINT32, MADV_HUGEPAGE },
  { SCMP_SYS (madvise), 2, G_MAXUINT32, MADV_NOHUGEPAGE },
  { SCMP_SYS (futex), TH_ANY, 0, 0 },
  { SCMP_SYS (clock_gettime), TH_ANY, 0, 0 },
  { SCMP_SYS (gettimeofday), TH_ANY, 0, 0 },
  { SCMP_SYS (getrandom), TH_ANY, 0, 0 },
  { SCMP_SYS (restart_syscall), TH_ANY, 0, 0 },
  { SCMP_SYS (rt_sigreturn), TH_ANY, 0, 0 },
  { SCMP_SYS (exit), TH_ANY, 0, 0 },
  { SCMP_SYS (exit_group), TH_ANY, 0, 0 },
  { TH_ANY, TH_ANY, 0, 0 },
};

static int
add_row (scmp_filter_ctx filter, const ThSyscall *row, int socket)
{
  guint64 value = row->value == SOCKET ? (guint64) socket : row->value;

  if (row->argument == TH_ANY)
    return seccomp_rule_add (filter, SCMP_ACT_ALLOW, row->call, 0);
  return seccomp_rule_add (
      filter, SCMP_ACT_ALLOW, row->call, 1,
      SCMP_CMP ((unsigned int) row->argument, SCMP_CMP_MASKED_EQ, row->mask, value));
}

static int
add_rows (scmp_filter_ctx filter, const ThSyscall *rows, int socket)
{
  int result = 0;

  for (const ThSyscall *row = rows; row->call != TH_ANY && result == 0; row++)
    result = add_row (filter, row, socket);
  return result;
}

gboolean
th_seccomp_enter (int socket, GError **error)
{
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_KILL_PROCESS);
  int result = filter != NULL ? 0 : -ENOMEM;

  if (result == 0)
    result = seccomp_attr_set (filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  if (result == 0)
    result = add_rows (filter, calls, socket);
  if (result == 0)
    result = add_rows (filter, th_seccomp_more, socket);
  if (result == 0)
    result = seccomp_load (filter);
  if (filter != NULL)
    seccomp_release (filter);
  if (result != 0)
    g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "the system call filter cannot be installed: %s",
                 g_strerror (-result));
  return result == 0;
}

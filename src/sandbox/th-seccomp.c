/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sandbox/th-seccomp.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

#include "base/th-error.h"

/* Stands for the number of the socket in a condition. */
#define SOCKET 0xffffffffu

#define ALL 0xffffffffu
#define NO_EXEC                                                                                    \
  {                                                                                                \
    PROT_EXEC, 0, 2                                                                                \
  }
#define ADVICE(a)                                                                                  \
  {                                                                                                \
    SCMP_SYS (madvise),                                                                            \
    {                                                                                              \
      {                                                                                            \
        ALL, a, 2                                                                                  \
      }                                                                                            \
    }                                                                                              \
  }

/* All that a decoder, malloc and the wire need. No open, no stat by name, no fcntl, no ioctl, no
 * write, nothing that changes the file behind a read-only descriptor.
 *
 * RLIMIT_DATA counts neither shared anonymous memory nor anything that grows down like a stack, so
 * that both are forbidden, and mremap with them, which can enlarge the stack: realloc copies. */
static const ThSyscall calls[] = {
  { SCMP_SYS (pread64) },
  { SCMP_SYS (lseek) },
  /* Also from a source that comes in a wrapping (wire/th-wrap): it has no other sockets. */
  { SCMP_SYS (recvmsg) },
  { SCMP_SYS (sendmsg), { { ALL, SOCKET, 0 } } },
  { SCMP_SYS (close) },
  { SCMP_SYS (mmap), { NO_EXEC, { MAP_SHARED | MAP_GROWSDOWN, 0, 3 } } },
  { SCMP_SYS (mmap), { NO_EXEC, { MAP_ANONYMOUS | MAP_GROWSDOWN, 0, 3 } } },
  { SCMP_SYS (mmap2), { NO_EXEC, { MAP_SHARED | MAP_GROWSDOWN, 0, 3 } } },
  { SCMP_SYS (mmap2), { NO_EXEC, { MAP_ANONYMOUS | MAP_GROWSDOWN, 0, 3 } } },
  { SCMP_SYS (mprotect), { { PROT_EXEC | PROT_GROWSDOWN, 0, 2 } } },
  { SCMP_SYS (munmap) },
  { SCMP_SYS (mremap), .error = ENOMEM },
  { SCMP_SYS (brk) },
  ADVICE (MADV_DONTNEED),
  ADVICE (MADV_FREE),
  ADVICE (MADV_HUGEPAGE),
  ADVICE (MADV_NOHUGEPAGE),
  { SCMP_SYS (futex) },
  { SCMP_SYS (clock_gettime) },
  { SCMP_SYS (gettimeofday) },
  { SCMP_SYS (getrandom) },
  { SCMP_SYS (restart_syscall) },
  { SCMP_SYS (rt_sigreturn) },
  { SCMP_SYS (exit) },
  { SCMP_SYS (exit_group) },
  { TH_SYSCALLS_END },
};

/* What clone must have, and what it must not have, to make a thread and nothing else. */
#define THREAD_FLAGS (CLONE_VM | CLONE_SIGHAND | CLONE_THREAD)
#define OTHER_FLAGS                                                                                \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID      \
   | CLONE_NEWNET | CLONE_VFORK | CLONE_PTRACE)

/* Where clone has its flags. */
#if defined(__s390__) || defined(__CRIS__)
#define CLONE_ARGUMENT 1
#else
#define CLONE_ARGUMENT 0
#endif

/* What a thread needs to begin, wait and end. The flags of clone3 lie in memory, where no filter
 * sees them: the C library takes clone in its place. */
static const ThSyscall thread_calls[] = {
  { SCMP_SYS (clone), { { THREAD_FLAGS | OTHER_FLAGS, THREAD_FLAGS, CLONE_ARGUMENT } } },
  { SCMP_SYS (clone3), .error = ENOSYS },
  { SCMP_SYS (rseq) },
  { SCMP_SYS (rt_sigprocmask) },
  { SCMP_SYS (sched_yield) },
  { SCMP_SYS (set_robust_list) },
  { TH_SYSCALLS_END },
};

static int
add_row (scmp_filter_ctx filter, const ThSyscall *row, int socket)
{
  guint32 action = row->error != 0 ? SCMP_ACT_ERRNO (row->error) : SCMP_ACT_ALLOW;
  struct scmp_arg_cmp compare[TH_CONDITIONS];
  unsigned int n = 0;

  for (guint i = 0; i < TH_CONDITIONS; i++)
    {
      const ThCondition *condition = &row->conditions[i];
      guint32 value = condition->value == SOCKET ? (guint32) socket : condition->value;

      if (condition->mask != 0)
        compare[n++] = SCMP_CMP (condition->argument, SCMP_CMP_MASKED_EQ, condition->mask, value);
    }
  return seccomp_rule_add_array (filter, action, row->call, n, compare);
}

static int
add_rows (scmp_filter_ctx filter, const ThSyscall *rows, int socket)
{
  int result = 0;

  for (const ThSyscall *row = rows; row->call != TH_SYSCALLS_END && result == 0; row++)
    result = add_row (filter, row, socket);
  return result;
}

gboolean
th_seccomp_enter (int socket, gboolean threads, GError **error)
{
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_KILL_PROCESS);
  /* It does not say why; a system that refuses seccomp is the likely reason. */
  int result = filter != NULL ? 0 : -EPERM;

  if (result == 0)
    result = seccomp_attr_set (filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  if (result == 0)
    result = add_rows (filter, calls, socket);
  if (result == 0 && threads)
    result = add_rows (filter, thread_calls, socket);
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

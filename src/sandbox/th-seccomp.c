/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sandbox/th-seccomp.h"

#include <errno.h>
#include <fcntl.h>
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
  { SCMP_SYS (sched_getaffinity) }, /* how many there shall be */
  { SCMP_SYS (sched_yield) },
  { SCMP_SYS (set_robust_list) },
  { TH_SYSCALLS_END },
};

/* Of an open that only reads. A descriptor by O_PATH is one that landlock does not look at. */
#define WRITING (O_ACCMODE | O_CREAT | O_TRUNC | O_PATH)

/* What fontconfig and FreeType need to read files. A library that would like to write, such as a
 * cache, is told that it cannot; links are never read, or they would tell where they lead. */
static const ThSyscall reading_calls[] = {
  { SCMP_SYS (open), { { WRITING, O_RDONLY, 1 } } },
  { SCMP_SYS (open), { { O_ACCMODE, O_WRONLY, 1 } }, .error = EACCES },
  { SCMP_SYS (open), { { O_ACCMODE, O_RDWR, 1 } }, .error = EACCES },
  { SCMP_SYS (openat), { { WRITING, O_RDONLY, 2 } } },
  { SCMP_SYS (openat), { { O_ACCMODE, O_WRONLY, 2 } }, .error = EACCES },
  { SCMP_SYS (openat), { { O_ACCMODE, O_RDWR, 2 } }, .error = EACCES },
  { SCMP_SYS (read) },
  { SCMP_SYS (getdents64) },
  { SCMP_SYS (fstat) },
  { SCMP_SYS (fstat64) },
  { SCMP_SYS (newfstatat) },
  { SCMP_SYS (fstatat64) },
  { SCMP_SYS (stat) },
  { SCMP_SYS (stat64) },
  { SCMP_SYS (lstat) },
  { SCMP_SYS (lstat64) },
  { SCMP_SYS (statx) },
  { SCMP_SYS (access) },
  { SCMP_SYS (faccessat) },
  { SCMP_SYS (faccessat2) },
  { SCMP_SYS (fstatfs) },
  { SCMP_SYS (fstatfs64) },
  { SCMP_SYS (fadvise64) },
  { SCMP_SYS (fcntl), { { ALL, F_GETFD, 1 } } },
  { SCMP_SYS (fcntl), { { ALL, F_SETFD, 1 } } },
  { SCMP_SYS (fcntl), { { ALL, F_GETFL, 1 } } },
  { TH_SYSCALLS_END },
};

static const ThSyscall refused_opens[] = {
  { SCMP_SYS (open), .error = EACCES },
  { SCMP_SYS (openat), .error = EACCES },
  { SCMP_SYS (stat), .error = EACCES },
  { SCMP_SYS (stat64), .error = EACCES },
  { SCMP_SYS (lstat), .error = EACCES },
  { SCMP_SYS (lstat64), .error = EACCES },
  { SCMP_SYS (newfstatat), .error = EACCES },
  { SCMP_SYS (fstatat64), .error = EACCES },
  { SCMP_SYS (statx), .error = EACCES },
  { SCMP_SYS (access), .error = EACCES },
  { SCMP_SYS (faccessat), .error = EACCES },
  { SCMP_SYS (faccessat2), .error = EACCES },
  { TH_SYSCALLS_END },
};

/* In both cases. */
static const ThSyscall refused_changes[] = {
  { SCMP_SYS (readlink), .error = EINVAL },  { SCMP_SYS (readlinkat), .error = EINVAL },
  { SCMP_SYS (mkdir), .error = EACCES },     { SCMP_SYS (mkdirat), .error = EACCES },
  { SCMP_SYS (unlink), .error = EACCES },    { SCMP_SYS (unlinkat), .error = EACCES },
  { SCMP_SYS (link), .error = EACCES },      { SCMP_SYS (linkat), .error = EACCES },
  { SCMP_SYS (rename), .error = EACCES },    { SCMP_SYS (renameat), .error = EACCES },
  { SCMP_SYS (renameat2), .error = EACCES }, { TH_SYSCALLS_END },
};

static const ThSyscall no_calls[] = { { TH_SYSCALLS_END } };

static const ThSyscall *const file_calls[][2] = {
  [TH_FILES_KILL] = { no_calls, no_calls },
  [TH_FILES_REFUSE] = { refused_opens, refused_changes },
  [TH_FILES_READ] = { reading_calls, refused_changes },
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

static int
fill (scmp_filter_ctx filter, const ThSeccompProfile *profile)
{
  const ThSyscall *const lists[] = {
    calls,
    profile->threads ? thread_calls : no_calls,
    file_calls[profile->files][0],
    file_calls[profile->files][1],
    th_seccomp_more,
  };
  int result = seccomp_attr_set (filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

  for (gsize i = 0; i < G_N_ELEMENTS (lists) && result == 0; i++)
    result = add_rows (filter, lists[i], profile->socket);
  return result;
}

gboolean
th_seccomp_enter (const ThSeccompProfile *profile, GError **error)
{
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_KILL_PROCESS);
  /* It does not say why; a system that refuses seccomp is the likely reason. */
  int result = filter != NULL ? fill (filter, profile) : -EPERM;

  if (result == 0)
    result = seccomp_load (filter);
  if (filter != NULL)
    seccomp_release (filter);
  if (result != 0)
    g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "the system call filter cannot be installed: %s",
                 g_strerror (-result));
  return result == 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "hostile/evil-deeds.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define CREATED "/tmp/thimble-evil-was-here"
#define PAGE    4096

static gboolean
deed_open (pid_t victim)
{
  return open ("/", O_RDONLY | O_CLOEXEC) >= 0;
}

static gboolean
deed_open_fonts (pid_t victim)
{
  return open ("/usr/share/fonts", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0;
}

/* A descriptor by which other calls find their way. */
static gboolean
deed_open_path (pid_t victim)
{
  return open ("/", O_PATH | O_CLOEXEC) >= 0;
}

static gboolean
deed_stat (pid_t victim)
{
  struct stat st;

  return stat ("/", &st) == 0;
}

static gboolean
deed_create (pid_t victim)
{
  int fd = open (CREATED, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

  return fd >= 0 && unlink (CREATED) == 0;
}

/* A read-only descriptor of a writable file is a way to a writable one. */
static gboolean
deed_reopen (pid_t victim)
{
  int fd = open ("/proc/self/fd/0", O_WRONLY | O_CLOEXEC);

  return fd >= 0 && ftruncate (fd, 0) == 0;
}

static gboolean
deed_socket (pid_t victim)
{
  return socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0;
}

static gboolean
deed_exec (pid_t victim)
{
  execl ("/bin/true", "true", NULL);
  return FALSE;
}

static gboolean
deed_fork (pid_t victim)
{
  pid_t child = fork ();

  if (child == 0)
    _exit (0);
  return child > 0;
}

static gboolean
deed_kill (pid_t victim)
{
  return kill (victim, SIGURG) == 0;
}

static gboolean
deed_ptrace (pid_t victim)
{
  return ptrace (PTRACE_SEIZE, victim, NULL, NULL) == 0;
}

static gboolean
deed_chmod (pid_t victim)
{
  return fchmod (EVIL_SOURCE_FD, 0666) == 0;
}

static gboolean
deed_chown (pid_t victim)
{
  return fchown (EVIL_SOURCE_FD, getuid (), getgid ()) == 0;
}

static gboolean
deed_touch (pid_t victim)
{
  const struct timespec times[2] = { { 1, 0 }, { 1, 0 } };

  return futimens (EVIL_SOURCE_FD, times) == 0;
}

static gboolean
deed_xattr (pid_t victim)
{
  return fsetxattr (EVIL_SOURCE_FD, "user.evil", "1", 1, 0) == 0;
}

static gboolean
deed_flock (pid_t victim)
{
  return flock (EVIL_SOURCE_FD, LOCK_EX | LOCK_NB) == 0;
}

/* The flags belong to the open file, which the owner shares. */
static gboolean
deed_flags (pid_t victim)
{
  return fcntl (EVIL_SOURCE_FD, F_SETFL, O_NONBLOCK) == 0;
}

static gboolean
deed_ioctl (pid_t victim)
{
  int left;

  return ioctl (EVIL_SOURCE_FD, FIONREAD, &left) == 0;
}

static gboolean
deed_map_code (pid_t victim)
{
  return mmap (NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static gboolean
deed_protect_code (pid_t victim)
{
  void *page = mmap (NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  return page != MAP_FAILED && mprotect (page, PAGE, PROT_READ | PROT_EXEC) == 0;
}

/* Memory that RLIMIT_DATA does not count. */
static gboolean
deed_shared_memory (pid_t victim)
{
  return mmap (NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

static gboolean
deed_second_stack (pid_t victim)
{
  return mmap (NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1,
               0)
         != MAP_FAILED;
}

static gboolean
deed_memfd (pid_t victim)
{
  return memfd_create ("evil", MFD_CLOEXEC) >= 0;
}

static gboolean
deed_limit (pid_t victim)
{
  struct rlimit limit;

  return getrlimit (RLIMIT_DATA, &limit) == 0
         && setrlimit (RLIMIT_DATA, &(struct rlimit){ limit.rlim_max, limit.rlim_max }) == 0;
}

static gboolean
deed_handler (pid_t victim)
{
  return signal (SIGXCPU, SIG_IGN) != SIG_ERR;
}

static gboolean
deed_read (pid_t victim)
{
  char byte;

  return read (EVIL_SOURCE_FD, &byte, 1) == 1;
}

static gboolean
deed_pipe (pid_t victim)
{
  int ends[2];

  return pipe (ends) == 0;
}

#ifdef __x86_64__
/* getpid by the 32-bit door, which has other numbers. */
static gboolean
deed_other_abi (pid_t victim)
{
  int result;

  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
  return result > 0;
}
#else
static gboolean
deed_other_abi (pid_t victim)
{
  return syscall (SYS_getpid) > 0;
}
#endif

const EvilDeed evil_deeds[] = {
  { "open", deed_open },
  { "open-fonts", deed_open_fonts },
  { "open-path", deed_open_path },
  { "stat", deed_stat },
  { "create", deed_create },
  { "reopen", deed_reopen },
  { "socket", deed_socket },
  { "exec", deed_exec },
  { "fork", deed_fork },
  { "kill", deed_kill },
  { "ptrace", deed_ptrace },
  { "chmod", deed_chmod },
  { "chown", deed_chown },
  { "touch", deed_touch },
  { "xattr", deed_xattr },
  { "flock", deed_flock },
  { "flags", deed_flags },
  { "ioctl", deed_ioctl },
  { "map-code", deed_map_code },
  { "protect-code", deed_protect_code },
  { "shared-memory", deed_shared_memory },
  { "second-stack", deed_second_stack },
  { "memfd", deed_memfd },
  { "limit", deed_limit },
  { "handler", deed_handler },
  { "read", deed_read },
  { "pipe", deed_pipe },
  { "other-abi", deed_other_abi },
  { NULL, NULL },
};

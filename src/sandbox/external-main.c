/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimble-external: runs one thumbnailer of somebody else within limits and hands out what it
 * wrote. Lives inside the sandbox with it, so that nothing that it says is believed. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/th-external-report.h"

/* A person's own programs, and the picture workers, come first. */
#define NICENESS   10
#define OOM_SCORE  "1000"
#define OPEN_FILES 1024
/* For thread stacks and reserves that nobody touches, besides what is really used. */
#define ADDRESS_FACTOR 8
/* How long left-over processes are killed for, in steps. */
#define SWEEPS   200
#define SWEEP_NS 5000000L

static unsigned long long
number (char **argv, ThExternalArgument index)
{
  return strtoull (argv[index], NULL, 10);
}

static int
finish (ThExternalEnd end, int value)
{
  const ThExternalReport report = { (int32_t) end, value };

  /* Where nobody listens any more nobody needs it. */
  return write (TH_EXTERNAL_REPORT_FD, &report, sizeof report) == sizeof report ? 0 : 1;
}

static int
limit (int resource, unsigned long long value)
{
  struct rlimit limit;

  if (getrlimit (resource, &limit) != 0)
    return -1;
  if (value < limit.rlim_max)
    limit.rlim_max = (rlim_t) value;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit (resource, &limit);
}

static int
set_limits (char **argv)
{
  const unsigned long long memory = number (argv, TH_EXTERNAL_ARG_MEMORY);
  const unsigned long long processes = number (argv, TH_EXTERNAL_ARG_PROCESSES);

  /* 1, not 0: that also keeps it from a core pattern that is a pipe. */
  if (limit (RLIMIT_CORE, 1) != 0 || limit (RLIMIT_NOFILE, OPEN_FILES) != 0
      || limit (RLIMIT_FSIZE, number (argv, TH_EXTERNAL_ARG_FILE_BYTES)) != 0
      || limit (RLIMIT_CPU, number (argv, TH_EXTERNAL_ARG_CPU_S)) != 0
      || limit (RLIMIT_DATA, memory) != 0 || limit (RLIMIT_AS, memory * ADDRESS_FACTOR) != 0)
    return -1;
  return processes == 0 ? 0 : limit (RLIMIT_NPROC, processes);
}

/* Best effort: neither is a matter of safety. */
static void
stand_back (void)
{
  int fd = open ("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

  if (fd >= 0)
    {
      if (write (fd, OOM_SCORE, sizeof OOM_SCORE - 1) < 0)
        errno = 0;
      close (fd);
    }
  setpriority (PRIO_PROCESS, 0, NICENESS);
}

/* The path was looked up again when it was bound, or will be by the program: only here is it known
 * to be the file that was examined. */
static int
is_right_source (char **argv)
{
  unsigned long long device = number (argv, TH_EXTERNAL_ARG_DEVICE);
  unsigned long long inode = number (argv, TH_EXTERNAL_ARG_INODE);
  struct stat st;

  return stat (argv[TH_EXTERNAL_ARG_SOURCE], &st) == 0 && S_ISREG (st.st_mode)
         && ((device == 0 && inode == 0) || (st.st_dev == device && st.st_ino == inode));
}

static void
be_program (char **argv, int failed)
{
  int saved;

  signal (SIGTERM, SIG_DFL);
  execvp (argv[TH_EXTERNAL_ARG_PROGRAM], argv + TH_EXTERNAL_ARG_PROGRAM);
  saved = errno;
  if (write (failed, &saved, sizeof saved) < 0)
    _exit (126);
  _exit (127);
}

/* 0, or the errno of what failed; *ran tells whether the program was ever started. */
static int
start (char **argv, pid_t *program, int *ran)
{
  int failed[2];
  int code = 0;

  *ran = 0;
  if (pipe2 (failed, O_CLOEXEC) != 0)
    return errno;
  *program = fork ();
  if (*program < 0)
    return errno;
  if (*program == 0)
    be_program (argv, failed[1]);
  *ran = 1;
  close (failed[1]);
  if (read (failed[0], &code, sizeof code) != (ssize_t) sizeof code)
    code = 0;
  close (failed[0]);
  return code;
}

static int
copy (int from, unsigned long long room)
{
  char buffer[65536];
  ssize_t n;

  while ((n = read (from, buffer, sizeof buffer)) > 0)
    {
      if ((unsigned long long) n > room)
        return finish (TH_EXTERNAL_LARGE_OUTPUT, 0);
      room -= (unsigned long long) n;
      for (ssize_t done = 0, more; done < n; done += more)
        {
          more = write (TH_EXTERNAL_OUTPUT_FD, buffer + done, (size_t) (n - done));
          if (more <= 0)
            return finish (TH_EXTERNAL_SETUP_FAILED, errno);
        }
    }
  return n == 0 ? finish (TH_EXTERNAL_DONE, 0) : finish (TH_EXTERNAL_NO_OUTPUT, errno);
}

static int
hand_out (char **argv)
{
  const unsigned long long room = number (argv, TH_EXTERNAL_ARG_FILE_BYTES);
  struct stat st;
  int fd = open (argv[TH_EXTERNAL_ARG_OUTPUT], O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  int result;

  if (fd < 0)
    return errno == ELOOP ? finish (TH_EXTERNAL_BAD_OUTPUT, 0)
                          : finish (TH_EXTERNAL_NO_OUTPUT, errno);
  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode))
    result = finish (TH_EXTERNAL_BAD_OUTPUT, 0);
  else if (st.st_size == 0)
    result = finish (TH_EXTERNAL_NO_OUTPUT, 0);
  else
    result = copy (fd, room);
  close (fd);
  return result;
}

/* Kills the direct children that there are; theirs become ours. */
static void
kill_children (void)
{
  char text[4096];
  int fd = open ("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read (fd, text, sizeof text - 1) : 0;
  char *at = text;

  if (fd >= 0)
    close (fd);
  text[n > 0 ? n : 0] = '\0';
  for (char *end = at; *at != '\0'; at = end)
    {
      long pid = strtol (at, &end, 10);

      if (end == at)
        return;
      if (pid > 1)
        kill ((pid_t) pid, SIGKILL);
    }
}

/* Without a namespace nothing else ends what the program has left behind. */
static void
sweep (void)
{
  const struct timespec pause = { 0, SWEEP_NS };
  pid_t pid = 0;

  for (int i = 0; i < SWEEPS && pid >= 0; i++)
    {
      kill_children ();
      do
        pid = waitpid (-1, NULL, WNOHANG);
      while (pid > 0);
      if (pid == 0)
        nanosleep (&pause, NULL);
    }
}

static void
on_term (int number)
{
}

static void
become_reaper (void)
{
  struct sigaction action = { .sa_handler = on_term };

  sigemptyset (&action.sa_mask);
  sigaction (SIGTERM, &action, NULL);
  prctl (PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl (PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  setsid ();
}

/* Ends early, with a status of 0 exit codes, where it was told to end. */
static int
wait_for (pid_t program, int *status)
{
  return waitpid (program, status, 0) == program;
}

static int
conclude (char **argv, pid_t program)
{
  int status;

  if (!wait_for (program, &status))
    return finish (TH_EXTERNAL_SIGNALLED, SIGTERM);
  if (WIFSIGNALED (status))
    return finish (TH_EXTERNAL_SIGNALLED, WTERMSIG (status));
  if (WEXITSTATUS (status) != 0)
    return finish (TH_EXTERNAL_EXITED, WEXITSTATUS (status));
  return hand_out (argv);
}

static int
run (char **argv)
{
  pid_t program = -1;
  int ran;
  int code;

  if (!is_right_source (argv))
    return finish (TH_EXTERNAL_WRONG_SOURCE, 0);
  stand_back ();
  if (set_limits (argv) != 0)
    return finish (TH_EXTERNAL_SETUP_FAILED, errno);
  code = start (argv, &program, &ran);
  if (code != 0)
    return finish (ran ? TH_EXTERNAL_NOT_RUN : TH_EXTERNAL_SETUP_FAILED, code);
  return conclude (argv, program);
}

int
main (int argc, char **argv)
{
  int bare;
  int result;

  if (argc <= TH_EXTERNAL_ARG_PROGRAM || fcntl (TH_EXTERNAL_OUTPUT_FD, F_SETFD, FD_CLOEXEC) != 0
      || fcntl (TH_EXTERNAL_REPORT_FD, F_SETFD, FD_CLOEXEC) != 0)
    return 2;
  bare = number (argv, TH_EXTERNAL_ARG_BARE) != 0;
  if (bare)
    become_reaper ();
  result = run (argv);
  if (bare)
    sweep ();
  return result;
}

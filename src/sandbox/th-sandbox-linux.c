/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sandbox/th-sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/th-error.h"
#include "sandbox/th-landlock.h"
#include "sandbox/th-seccomp.h"

/* Under memory pressure a decoder goes before anything that a person works with. */
#define OOM_SCORE 800
#define OOM_PATH  "/proc/self/oom_score_adj"

/* The source, the results, and one to spare. */
#define EXTRA_FDS 3
/* Where folders may be read. */
#define READING_FDS 16

#define STACK_BYTES (8 * 1024 * 1024)

/* Far above what any picture may take. Memory that is only read is not part of RLIMIT_DATA, but its
 * page tables are memory too. */
#define ADDRESS_BYTES (G_GUINT64_CONSTANT (64) << 30)

/* Only kernels before 5.9 lack close_range. */
static void
close_above (int last)
{
  long n;

  if (close_range ((unsigned int) last + 1, G_MAXUINT32, 0) == 0)
    return;
  n = sysconf (_SC_OPEN_MAX);
  for (int fd = last + 1; fd < (int) CLAMP (n, 0, 1 << 20); fd++)
    close (fd);
}

/* Best effort: a system that hides /proc only loses the preference. Never lowers a score. */
static void
prefer_as_victim (void)
{
  char text[16] = { 0 };
  int fd = open (OOM_PATH, O_RDWR | O_CLOEXEC);
  int score;

  if (fd < 0)
    return;
  if (read (fd, text, sizeof text - 1) > 0 && strtol (text, NULL, 10) < OOM_SCORE)
    {
      score = g_snprintf (text, sizeof text, "%d", OOM_SCORE);
      /* Refused is as good as a /proc that is not there. */
      if (pwrite (fd, text, (gsize) score, 0) < 0)
        errno = 0;
    }
  close (fd);
}

/* The deadlines of the kernel must find their way, whatever this process has inherited. */
static void
reset_signals (void)
{
  sigset_t none;

  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  (void) signal (SIGXCPU, SIG_DFL);
}

typedef struct
{
  int resource;
  rlim_t soft; /* 0 for memory: leave it alone */
  gboolean hard_too;
} Limit;

static gboolean
is_memory (int resource)
{
  return resource == RLIMIT_DATA || resource == RLIMIT_AS;
}

static gboolean
set_limits (const ThSandboxPolicy *policy, GError **error)
{
  const rlim_t addresses = policy->data_bytes > 0 ? (rlim_t) ADDRESS_BYTES : 0;
  /* Threads count as processes do, of the whole user; the filter tells them apart. */
  const rlim_t processes = policy->threads ? RLIM_INFINITY : 0;
  const rlim_t files =
      (rlim_t) policy->socket + 1 + EXTRA_FDS + (policy->readable != NULL ? READING_FDS : 0);
  const Limit limits[] = {
    /* 1, not 0: that also keeps the picture from a core pattern that is a pipe. */
    { RLIMIT_CORE, 1, TRUE },
    { RLIMIT_NOFILE, files, TRUE },
    { RLIMIT_NPROC, processes, TRUE },
    { RLIMIT_FSIZE, 0, TRUE },
    /* The stack is not part of RLIMIT_DATA, and may have been set to grow without end. */
    { RLIMIT_STACK, STACK_BYTES, TRUE },
    { RLIMIT_AS, addresses, TRUE },
    { RLIMIT_DATA, policy->data_bytes, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      struct rlimit limit;

      if (limits[i].soft == 0 && is_memory (limits[i].resource))
        continue;
      if (getrlimit (limits[i].resource, &limit) != 0)
        limit = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
      limit.rlim_cur = MIN (limits[i].soft, limit.rlim_max);
      limit.rlim_max = limits[i].hard_too ? limit.rlim_cur : limit.rlim_max;
      if (setrlimit (limits[i].resource, &limit) != 0)
        {
          g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "a resource limit cannot be set: %s",
                       g_strerror (errno));
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
th_sandbox_enter (const ThSandboxPolicy *policy, ThSandboxState *state, GError **error)
{
  ThSeccompProfile profile = { .socket = policy->socket, .threads = policy->threads };

  *state = (ThSandboxState){ 0 };
  close_above (policy->socket);
  reset_signals ();
  prefer_as_victim ();
  if (!set_limits (policy, error))
    return FALSE;
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "no_new_privs cannot be set: %s",
                   g_strerror (errno));
      return FALSE;
    }
  if (!th_landlock_enter (policy->readable, &state->landlock_abi, error))
    return FALSE;
  close (STDIN_FILENO);
  close (STDOUT_FILENO);
  if (policy->readable != NULL)
    profile.files = state->landlock_abi > 0 ? TH_FILES_READ : TH_FILES_REFUSE;
  state->seccomp = th_seccomp_enter (&profile, error);
  return state->seccomp;
}

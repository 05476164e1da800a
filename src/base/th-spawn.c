/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-spawn.h"

#include <signal.h>

static int
set_attributes (posix_spawnattr_t *attributes)
{
  sigset_t none, all;
  int failed;

  sigemptyset (&none);
  sigfillset (&all);
  failed = posix_spawnattr_setsigmask (attributes, &none);
  if (failed == 0)
    failed = posix_spawnattr_setsigdefault (attributes, &all);
  if (failed == 0)
    failed = posix_spawnattr_setflags (attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  return failed;
}

int
th_spawn (pid_t *pid, char *const *argv, char *const *environment,
          const posix_spawn_file_actions_t *actions)
{
  posix_spawnattr_t attributes;
  int failed = posix_spawnattr_init (&attributes);

  if (failed != 0)
    return failed;
  failed = set_attributes (&attributes);
  if (failed == 0)
    failed = posix_spawn (pid, argv[0], actions, &attributes, argv, environment);
  posix_spawnattr_destroy (&attributes);
  return failed;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting another program with clean signals. Knows neither descriptors nor what the program is
 * for. */
#pragma once

#include <glib.h>
#include <spawn.h>

/* Starts argv[0], which is a path, in environment, after actions. No signal is blocked or ignored
 * in it, whatever the calling thread has. 0, or an errno. */
int th_spawn (pid_t *pid, char *const *argv, char *const *environment,
              const posix_spawn_file_actions_t *actions);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One process of ours: starting it with its socket and nothing else. Knows no job. */
#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct
{
  pid_t pid;
  int pidfd;  /* -1 where the kernel has none */
  int socket; /* ours, close-on-exec; -1 once closed */
} ThProcess;

typedef enum
{
  TH_PROCESS_BARE,      /* an environment of next to nothing */
  TH_PROCESS_AS_CALLER, /* our environment: it finds the session and the user's folders */
} ThProcessSetting;

/* Starts program with one end of a socket pair as TH_WIRE_FD and no other descriptor but the
 * standard three. The child has the priority of the calling thread. FALSE: TH_ERROR_OTHER. */
gboolean th_process_start (ThProcess *process, const char *program, ThProcessSetting setting,
                           GError **error);
/* Closes our end: a healthy process ends by itself. */
void th_process_hang_up (ThProcess *process);
/* Only before it was reaped. */
void th_process_kill (const ThProcess *process);
/* TRUE once it has ended and was reaped, and nothing of it is left open; never waits. */
gboolean th_process_reap (ThProcess *process);
/* Closes what of it is open here and leaves it to whoever reaps our children after us. */
void th_process_abandon (ThProcess *process);

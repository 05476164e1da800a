/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The locked-down side: lock down, say HELLO, then serve jobs until the socket closes. */
#pragma once

#include "sandbox/th-sandbox.h"

typedef struct
{
  int socket; /* every descriptor above it is closed */
} ThServe;

/* Enters the sandbox and serves. Returns the exit status for _exit: 0 after a clean end of the
 * socket. A process that cannot lock down says so in HELLO and returns 1 without serving anything.
 */
int th_serve (const ThServe *serve);

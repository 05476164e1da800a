/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The allow-list of system calls. Knows nothing of the rest of the lock-down. */
#pragma once

#include <glib.h>
#include <seccomp.h>

/* A call that is allowed, where argument is not negative only while (argument & mask) == value. */
typedef struct
{
  int call;
  int argument; /* index, or TH_ANY */
  guint64 mask;
  guint64 value;
} ThSyscall;

#define TH_ANY (-1)

/* Further calls that this kind of build needs; ends with a row whose call is TH_ANY. */
extern const ThSyscall th_seccomp_more[];

/* Installs the filter; messages go over socket only. From then on every other call, and every call
 * through another ABI, kills the process. Needs no_new_privs. */
gboolean th_seccomp_enter (int socket, GError **error);

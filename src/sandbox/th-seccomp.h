/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The allow-list of system calls. Knows nothing of the rest of the lock-down. */
#pragma once

#include <glib.h>
#include <seccomp.h>

#define TH_CONDITIONS 2

/* Holds while (argument & mask) == value; a mask of 0 always holds. */
typedef struct
{
  guint32 mask;
  guint32 value;
  guint argument; /* index */
} ThCondition;

/* A call that is allowed while all its conditions hold; several rows for one call add up. With an
 * error number it is not carried out but answered with that. */
typedef struct
{
  int call; /* SCMP_SYS (name) */
  ThCondition conditions[TH_CONDITIONS];
  guint16 error;
} ThSyscall;

/* Ends a list. */
#define TH_SYSCALLS_END (-1)

/* Further calls that this kind of build needs; ends with TH_SYSCALLS_END. */
extern const ThSyscall th_seccomp_more[];

typedef enum
{
  TH_FILES_KILL,   /* who opens a file is killed */
  TH_FILES_REFUSE, /* is told that it may not */
  TH_FILES_READ,   /* may read it, as far as somebody else does not forbid it: landlock must */
} ThSeccompFiles;

typedef struct
{
  int socket;       /* messages go over it only */
  gboolean threads; /* may be started */
  ThSeccompFiles files;
} ThSeccompProfile;

/* Installs the filter. From then on every other call, and every call through another ABI, kills the
 * process. Needs no_new_privs. */
gboolean th_seccomp_enter (const ThSeccompProfile *profile, GError **error);

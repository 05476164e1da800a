/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locking this process down for good, before the first byte of a picture is read. Never fails open:
 * whoever gets FALSE must not decode. */
#pragma once

#include <glib.h>

typedef struct
{
  gboolean seccomp;
  int landlock_abi; /* 0: this kernel has none; allowed, and reported */
} ThSandboxState;

typedef struct
{
  /* The only descriptor that may be sent and received on. Those above it are closed first, and
   * standard input and output too; what lies between stays open. */
  int socket;
  /* Soft RLIMIT_DATA to begin with; the hard one stays, the owning side raises the soft one. 0: no
   * limit on memory at all. */
  guint64 data_bytes;
  /* NULL-terminated folders that may be read (fonts), or NULL for nothing at all. Where landlock is
   * missing nothing may be read, but opening is then refused, not punished. With
   * landlock, whether a file exists, its size and its times can be asked of all files. */
  const char *const *readable;
  /* Threads may be started, which are locked down alike; processes still may not. */
  gboolean threads;
} ThSandboxPolicy;

/* In this order: descriptors closed, oom_score_adj, no core dumps, few descriptors, no processes,
 * no written files, no_new_privs, landlock (no file system, no network), the seccomp allow-list.
 * Anything not on the list kills the process. TH_ERROR_OTHER where the filter cannot be installed;
 * landlock is used as far as the kernel knows it. Call with one thread only.
 *
 * What seccomp cannot forbid: sendmsg with a descriptor in it. The only socket leads to the owning
 * side, whose receiver takes none (th_wire_receive). */
gboolean th_sandbox_enter (const ThSandboxPolicy *policy, ThSandboxState *state, GError **error);

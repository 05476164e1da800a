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
  /* Descriptors up to and including this one stay open, all above are closed first. */
  int last_fd;
  /* Soft RLIMIT_DATA to begin with, 0 leaves it alone; the hard one stays, the owning side raises
   * the soft one. */
  guint64 data_bytes;
  /* NULL-terminated folders that may be read (fonts), or NULL for nothing at all. */
  const char *const *readable;
} ThSandboxPolicy;

/* In this order: oom_score_adj, no core dumps, few descriptors, no_new_privs, landlock (no file
 * system, no network), the seccomp allow-list. Anything not on the list kills the process.
 * TH_ERROR_OTHER where the filter cannot be installed. Call with one thread only. */
gboolean th_sandbox_enter (const ThSandboxPolicy *policy, ThSandboxState *state, GError **error);

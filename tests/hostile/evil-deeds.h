/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a taken-over decoder would try on the system it runs on. Run in a free process each deed
 * succeeds; that is how the test of the lock-down shows that it can fail. */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* Where the descriptor of the source is found: the lowest free one in a locked-down worker. */
#define EVIL_SOURCE_FD 0

typedef struct
{
  const char *name;
  /* TRUE: done. victim: the process that watches over this one. */
  gboolean (*run) (pid_t victim);
} EvilDeed;

extern const EvilDeed evil_deeds[]; /* ends with a NULL name */

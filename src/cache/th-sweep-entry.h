/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One file of a cache that is swept: what is to become of it, and removing it. */
#pragma once

#include <sys/stat.h>

#include "cache/th-stray.h"
#include "cache/th-sweep-ages.h"
#include "cache/th-sweep.h"

typedef struct
{
  const ThSweepOptions *options;
  gint64 now;
  int folder;
  gboolean outdated; /* all in it goes */
} ThSweepJudge;

typedef struct
{
  ThStray kind; /* NONE: not to be looked at */
  ThSweepVerdict verdict;
  guint rank;
  guint64 bytes;
  struct stat st;
  ThPngText *text; /* or NULL */
} ThSweepEntry;

/* Caller clears the entry. */
void th_sweep_entry_judge (const ThSweepJudge *judge, const char *name, ThSweepEntry *entry);
/* The same by its times alone; the verdict is KEPT. */
void th_sweep_entry_glance (const ThSweepJudge *judge, const char *name, ThSweepEntry *entry);
void th_sweep_entry_clear (ThSweepEntry *entry);
const char *th_sweep_entry_uri (const ThSweepEntry *entry);

typedef enum
{
  TH_SWEEP_REMOVED,
  TH_SWEEP_CHANGED, /* it is another file by now, or gone */
  TH_SWEEP_REFUSED,
} ThSweepRemoval;

ThSweepRemoval th_sweep_entry_remove (int folder, const char *name, const ThSweepEntry *entry);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThSweepEntry, th_sweep_entry_clear)

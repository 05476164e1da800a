/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps a cache within a size and an age: everybody's thumbnails and failure entries, since they
 * share its folders. Knows no mount: whoever calls says which sources are gone.
 *
 * One walk, in steps of a sixteenth of a folder, whose progress is kept in the cache, so that the
 * next call goes on where this one was stopped or killed. What a step has seen is counted by age
 * and not listed: memory is the same for any number of files. Where there is too much, a second
 * walk removes what was not used for the longest time.
 *
 * Used is what was read or written, whichever is later. Whoever shows a thumbnail reads it, which
 * the kernel notes once a day at least (relatime), and the service asks without leaving a trace.
 * Where the file system notes no reading that comes to the order in which they were made. */
#pragma once

#include "cache/th-cache.h"

typedef enum
{
  TH_SWEEP_KEPT,
  TH_SWEEP_TEMPORARY, /* begun by somebody who was killed: hours old, and open nowhere */
  TH_SWEEP_OUTDATED,  /* a failure entry of another version of ours */
  TH_SWEEP_DAMAGED,   /* for more than an hour no whole PNG */
  TH_SWEEP_ORPHAN,    /* its source is gone */
  TH_SWEEP_UNUSED,    /* not used for longer than max_age */
  TH_SWEEP_EXCESS,    /* beyond max_bytes: nameless ones first, then the longest unused */
  TH_SWEEP_N_VERDICTS
} ThSweepVerdict;

/* A word for programs. */
const char *th_sweep_verdict_name (ThSweepVerdict verdict);

typedef struct
{
  guint64 max_bytes; /* that they take on the disk, default 1 GiB */
  guint32 max_age;   /* days, default 180 */
} ThSweepBudget;

void th_sweep_budget_init (ThSweepBudget *budget);

typedef struct
{
  const char *uri;
  const ThPngText *text;
  gint64 made; /* when the entry was written, in seconds */
} ThSweepSource;

typedef struct
{
  const char *path; /* of the entry */
  const char *uri;  /* of its source, or NULL */
  guint64 bytes;
  ThSweepVerdict verdict;
} ThSwept;

typedef struct
{
  ThSweepBudget budget;
  gboolean dry_run; /* nothing is written or removed, and no unfinished walk is resumed */
  /* Whether the source is provably gone, not just absent. NULL: none is. */
  gboolean (*is_gone) (const ThSweepSource *source, gpointer data);
  /* Each that went, or would. NULL: nobody wants to know. */
  void (*removed) (const ThSwept *swept, gpointer data);
  gpointer data;
  gint64 now;       /* seconds since 1970; 0: by the clock */
  const gint *stop; /* at any time not 0: no further entry is looked at */
} ThSweepOptions;

typedef struct
{
  guint64 files;
  guint64 bytes;
} ThSweepSum;

/* Of this call. */
typedef struct
{
  ThSweepSum left; /* in the cache at last; what was seen of it, unless DONE */
  ThSweepSum verdicts[TH_SWEEP_N_VERDICTS];
  guint64 failed; /* that should have gone and could not be removed */
  gboolean resumed;
} ThSweepTally;

typedef enum
{
  TH_SWEEP_DONE,
  TH_SWEEP_STOPPED, /* goes on with the next call */
  TH_SWEEP_BUSY,    /* somebody else is at it */
  TH_SWEEP_FAILED,  /* error is set: the cache is another user's, or cannot be written */
} ThSweepEnd;

/* Only regular files of the effective user, with the names that thumbnails and their temporaries
 * have, in the folders of flavors and of failure entries, which must not be symlinks. One that was
 * written to after it was judged stays. No cache is none to sweep: DONE. */
ThSweepEnd th_sweep (const ThCache *cache, const ThSweepOptions *options, ThSweepTally *tally,
                     GError **error);

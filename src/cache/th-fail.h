/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failure markers (thumbnail standard, failures): what is remembered of a file that no thumbnail
 * could be made of, and when that memory is void. Knows nothing of how it failed. */
#pragma once

#include "base/th-error.h"
#include "base/th-limits.h"
#include "cache/th-cache.h"

/* Our folders in ROOT/fail begin so. */
#define TH_FAIL_PREFIX "thimble-"
/* This version's. */
#define TH_FAIL_FOLDER TH_FAIL_PREFIX TH_VERSION

/* What a failure hangs on besides the file. */
typedef struct
{
  const char *handler;    /* who tries, in a spelling that changes when it does; from " #" on it is
                             not for people */
  const ThLimits *limits; /* only those count that the cause is about */
} ThFailBasis;

typedef struct
{
  ThStatus cause;
  guint tries;   /* how often in a row */
  guint32 box;   /* pixels; it failed for thumbnails of this size, and so it will for larger ones */
  char *handler; /* all of it */
  char *limit;   /* "cpu-ms=10000 …"; empty where none is to blame */
  char *message; /* what was said then */
} ThFailure;

void th_failure_clear (ThFailure *failure);
/* Whether a valid marker speaks against trying again for this size. A first timeout does not: the
 * machine may have been busy. */
gboolean th_failure_forbids (const ThFailure *failure, guint32 box);

typedef enum
{
  TH_FAIL_NONE,    /* no marker, or none that can be understood */
  TH_FAIL_VALID,   /* of the file as it is */
  TH_FAIL_FILE,    /* void: the file has changed */
  TH_FAIL_HANDLER, /* void: another handler, or another build of it, would try now */
  TH_FAIL_LIMIT,   /* void: the limit was changed */
} ThFailState;

/* ROOT/fail/thimble-VERSION/MD5.png. Caller frees. */
char *th_fail_path (const ThCache *cache, const char *uri);
/* *failure is filled unless NONE; stamp may come from th_stamp_for_lookup. */
ThFailState th_fail_lookup (const ThCache *cache, const char *uri, const ThStamp *stamp,
                            const ThFailBasis *basis, ThFailure *failure);
/* Whether this outcome is one of the file and not of the moment: CORRUPT, CRASHED, TOO_LARGE and
 * TIMEOUT. */
gboolean th_fail_lasts (ThStatus status);
/* Remembers that the largest thumbnail asked for, of so many pixels, came to nothing; counts on
 * where the same is remembered already. cause must be one that lasts. */
gboolean th_fail_store (const ThCache *cache, const char *uri, const ThStamp *stamp,
                        const ThFailBasis *basis, ThStatus cause, guint32 box, const char *message,
                        GError **error);
/* Forgets what a thumbnail of so many pixels, just made, disproves; G_MAXUINT32: everything. */
void th_fail_forget (const ThCache *cache, const char *uri, guint32 box);
/* Removes what other versions have remembered, some thousand markers at a time, and stale
 * temporaries of this one. Other programs' folders are left alone. */
void th_fail_sweep (const ThCache *cache);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThFailure, th_failure_clear)

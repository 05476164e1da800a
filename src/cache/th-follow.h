/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps the cache in step with files that were moved or copied: thumbnails go with them, without a
 * decode, and so do our failure entries. Called after the files were; what the disk says counts,
 * not what the caller believes. Knows nothing of the bus. */
#pragma once

#include "cache/th-cache.h"
#include "cache/th-look.h"

typedef enum
{
  TH_FOLLOW_MOVE,
  TH_FOLLOW_COPY,
} ThFollowKind;

typedef struct
{
  ThFollowKind kind;
  /* Whether a file of this path and size may have a thumbnail. NULL: all may. */
  gboolean (*allowed) (const char *path, guint64 size, gpointer data);
  gpointer data;
  const ThLooker *looker; /* NULL: nothing may fail to answer */
  const gint *stop;       /* see th_cache_place_scan */
} ThFollowOptions;

/* For each pair (from[i], to[i]), in each flavor and for failure entries:
 *
 * what there is of from             becomes that of to, with its mtime, size and stamp, where it
 *                                   provably shows to (below); nothing stale is made to look fresh
 * what there is of to already       stays where it is valid; else goes, also where nothing follows,
 *                                   for clients show what is there without asking
 * what there is of from after Move  goes, unless it is valid for a file that is at from now
 *
 * to is a folder: that and everything below from, found by the Thumb::URI in the files; all such
 *                 pairs share one scan of the cache. Each file is dealt with as a pair of its own.
 * nobody answers for one of them: nothing changes.
 *
 * to does not exist, cannot be looked at, or lies in the cache: nothing follows. After Move what
 * there is of from goes if its source is provably gone (its folder is there, it is not): such files
 * would be orphans. Else, as after Copy, nothing changes.
 *
 * to may have none: nothing new is made of what there is of from; else as above.
 *
 * An old thumbnail shows to if it is a whole PNG with Thumb::URI = from, and
 *
 * Move, in one file system  MTime, Size (where present) and all of our stamp (where present) are
 *                           to's now: a rename keeps mtime, size and inode
 * Move, across              the same but for the inode, and the mtime may have lost digits of its
 *                           fraction of a second on the way
 * Copy, from exists         it is valid for from; the sizes of both are equal; to is not older than
 *                           from, which would have been changed after it was copied
 * Copy, from is gone        as for a move across
 *
 * A file that changes while it is looked at makes a thumbnail that is not valid, as always. Files
 * appear whole or not at all. */
void th_follow (const ThCache *cache, const ThFollowOptions *options, const char *const *from,
                const char *const *to, guint n);

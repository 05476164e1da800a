/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The XDG thumbnail cache (thumbnail standard 0.9): where thumbnails lie, whether one is valid,
 * storing one. */
#pragma once

#include <glib.h>

#include "base/th-flavor.h"
#include "cache/th-png-write.h"
#include "cache/th-stamp.h"

typedef struct _ThCache ThCache;

/* root: the folder that holds normal/, large/ …; NULL for $XDG_CACHE_HOME/thumbnails (unset, empty
 * or relative:
 * ~/.cache). software goes into the Software key. Nothing is created yet. */
ThCache *th_cache_new (const char *root, const char *software);
void th_cache_free (ThCache *cache);

const char *th_cache_root (const ThCache *cache);
/* ROOT/FLAVOR/MD5.png. Caller frees. */
char *th_cache_path (const ThCache *cache, const char *uri, ThFlavor flavor);

typedef enum
{
  TH_CACHE_VALID,
  TH_CACHE_MISSING,
  TH_CACHE_STALE,   /* of another state of the source */
  TH_CACHE_CORRUPT, /* not a whole PNG head, not a regular file (a symlink counts), or of another
                       URI */
} ThCacheState;

/* Whether the thumbnail at the path of uri shows the source as stamp describes it. With our own
 * stamp key all of it must match; without, the standard's rule: URI equal, MTime equal in seconds
 * (a fraction, as tumbler writes it, equal to the microsecond), Size equal where present. */
ThCacheState th_cache_lookup (const ThCache *cache, const char *uri, ThFlavor flavor,
                              const ThStamp *stamp);

/* TRUE where path lies in this repository, or in a flavor folder of any .sh_thumbnails: it is a
 * thumbnail itself and gets none. path is absolute and canonical. */
gboolean th_cache_contains (const ThCache *cache, const char *path);

/* FALSE where nothing may be written: the nearest existing parent of the root does not belong to
 * the effective user (as after sudo), or is not writable. Checked once before work is begun on a
 * file. */
gboolean th_cache_check_writable (const ThCache *cache, GError **error);

typedef struct
{
  const char *uri;
  const char *mime_type; /* what the data are; NULL leaves the key out */
  ThSize full;           /* of the source as seen */
  ThStamp stamp;
  guint pages;     /* written where above 1 */
  double duration; /* seconds, written where above 0 */
} ThThumbnailInfo;

/* Writes body under the path of info->uri: folders 0700, file 0600, atomically.
 * TH_ERROR_SAVE_FAILED. */
gboolean th_cache_store (const ThCache *cache, ThFlavor flavor, const ThPngBody *body,
                         const ThThumbnailInfo *info, GError **error);

/* The same bytes for a file outside the cache (thimble-thumbnailer): uri may be NULL, then URI and
 * stamp are left out. */
GBytes *th_thumbnail_file (const ThPngBody *body, const ThThumbnailInfo *info,
                           const char *software);

/* Removes temporary files of ours that are older than an hour. Bounded: looks at the four folders'
 * names only. */
void th_cache_remove_stale_temporaries (const ThCache *cache);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThCache, th_cache_free)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The XDG thumbnail cache (thumbnail standard 0.9): where thumbnails lie, whether one is valid,
 * storing one. Knows nothing of decoding, of the bus and of where a source comes from. All
 * functions may be called from several threads at once. */
#pragma once

#include <glib.h>

#include "base/th-flavor.h"
#include "cache/th-png-text.h"
#include "cache/th-png-write.h"
#include "cache/th-stamp.h"

typedef struct _ThCache ThCache;

/* root: the folder that holds normal/, large/ …; NULL for $XDG_CACHE_HOME/thumbnails (unset, empty
 * or relative: ~/.cache). software goes into the Software key. Nothing is created yet. */
ThCache *th_cache_new (const char *root, const char *software);
void th_cache_free (ThCache *cache);

const char *th_cache_root (const ThCache *cache);
/* ROOT/FLAVOR/MD5.png. Caller frees. */
char *th_cache_path (const ThCache *cache, const char *uri, ThFlavor flavor);

typedef enum
{
  TH_CACHE_VALID,
  TH_CACHE_MISSING, /* there is none, or it cannot be read */
  TH_CACHE_STALE,   /* of another state of the source */
  TH_CACHE_CORRUPT, /* not a whole PNG, not a regular file (a symlink is none), without the keys of
                       the standard or with a malformed one, or of another URI */
} ThCacheState;

/* Whether the thumbnail at the path of uri shows the source as stamp describes it; stamp may come
 * from th_stamp_for_lookup. The standard's rule: URI equal, MTime equal in seconds (one with a
 * fraction, as tumbler writes it, less than a microsecond away), Size equal where present. Where
 * our own stamp key is present, all of it must match too. */
ThCacheState th_cache_lookup (const ThCache *cache, const char *uri, ThFlavor flavor,
                              const ThStamp *stamp);

/* The same for the text of a thumbnail; never MISSING. */
ThCacheState th_cache_judge (const ThPngText *text, const char *uri, const ThStamp *stamp);
/* What Thumb::MTime says, in whole seconds, rounded up; FALSE where it says nothing. */
gboolean th_cache_recorded_mtime (const ThPngText *text, gint64 *seconds);
/* The same with the reason: *key is the text key that differs or is malformed, NULL where it is
 * none of them; error is set where there is no text to look at (G_FILE_ERROR_NOENT: no file). */
ThCacheState th_cache_examine (const ThCache *cache, const char *uri, ThFlavor flavor,
                               const ThStamp *stamp, const char **key, GError **error);

/* TRUE where path lies in this repository, or in a flavor folder of any .sh_thumbnails: it is a
 * thumbnail itself and gets none. path is absolute and canonical. */
gboolean th_cache_contains (const ThCache *cache, const char *path);

/* FALSE and TH_ERROR_SAVE_FAILED where nothing may be written: the nearest existing one of the root
 * and its parents is not a folder, does not belong to the effective user (as after sudo), or is not
 * writable. Symlinks are followed: a root or flavor folder may lie elsewhere, as long as what it
 * leads to is a folder of the effective user. Checked once before work is begun on a file;
 * th_cache_store checks again. */
gboolean th_cache_check_writable (const ThCache *cache, GError **error);

typedef struct
{
  const char *uri;
  const char *mime_type; /* what the data are; NULL leaves the key out */
  ThSize full;           /* of the source as seen; 0 × 0: not known */
  ThStamp stamp;
  guint pages;     /* written where above 1 */
  double duration; /* seconds, written where above 0 */
} ThThumbnailInfo;

/* Writes body under the path of info->uri: folders 0700, file 0600, atomically. A MIME type that is
 * none, as a client may send, is left out. TH_ERROR_SAVE_FAILED, also for a URI that is not
 * recordable (th-uri.h). */
gboolean th_cache_store (const ThCache *cache, ThFlavor flavor, const ThPngBody *body,
                         const ThThumbnailInfo *info, GError **error);

/* The same bytes for a file outside the cache (thimble-thumbnailer): uri may be NULL, then the keys
 * that tell whose thumbnail it is (URI, MTime, Size, stamp) are left out. */
GBytes *th_thumbnail_file (const ThPngBody *body, const ThThumbnailInfo *info,
                           const char *software);

/* Removes temporary files of ours that are older than an hour, as a killed process leaves them.
 * Looks at the names in the four folders only. */
void th_cache_remove_stale_temporaries (const ThCache *cache);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThCache, th_cache_free)

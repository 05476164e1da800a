/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/th-error.h"
#include "cache/th-atomic.h"
#include "cache/th-decimal.h"
#include "cache/th-folder.h"
#include "cache/th-uri.h"

#define USEC_NS 1000
#define SEC_NS  1000000000

#define SHARED_REPOSITORY "/.sh_thumbnails/"

struct _ThCache
{
  char *root;
  char *real_root; /* without symlinks, as far as it existed */
  char *software;
};

static char *
default_root (void)
{
  const char *home = g_getenv ("XDG_CACHE_HOME");

  /* GLib would take a relative one. */
  if (home && home[0] != '\0' && !g_path_is_absolute (home))
    return g_build_filename (g_get_home_dir (), ".cache", "thumbnails", NULL);
  return g_build_filename (g_get_user_cache_dir (), "thumbnails", NULL);
}

/* path without symlinks, as far as it exists. */
static char *
resolve (const char *path)
{
  char *real = realpath (path, NULL);
  g_autofree char *parent = NULL;
  g_autofree char *real_parent = NULL;
  g_autofree char *name = NULL;

  if (real)
    {
      char *copy = g_strdup (real);

      free (real);
      return copy;
    }
  if (strcmp (path, "/") == 0)
    return g_strdup (path);
  parent = g_path_get_dirname (path);
  name = g_path_get_basename (path);
  real_parent = resolve (parent);
  return g_build_filename (real_parent, name, NULL);
}

ThCache *
th_cache_new (const char *root, const char *software)
{
  g_autofree char *chosen = root ? g_strdup (root) : default_root ();
  ThCache *cache = g_new (ThCache, 1);

  cache->root = g_canonicalize_filename (chosen, NULL);
  cache->real_root = resolve (cache->root);
  cache->software = g_strdup (software);
  return cache;
}

void
th_cache_free (ThCache *cache)
{
  if (!cache)
    return;
  g_free (cache->root);
  g_free (cache->real_root);
  g_free (cache->software);
  g_free (cache);
}

const char *
th_cache_root (const ThCache *cache)
{
  return cache->root;
}

char *
th_cache_path (const ThCache *cache, const char *uri, ThFlavor flavor)
{
  g_autofree char *md5 = th_uri_md5 (uri);

  return g_strconcat (cache->root, "/", th_flavor_name (flavor), "/", md5, ".png", NULL);
}

typedef struct
{
  gint64 seconds;
  guint32 ns; /* added to the seconds, also to negative ones */
  gboolean has_fraction;
} MTime;

/* As a decimal number: -1.5 lies half a second before -1. */
static gboolean
parse_mtime (const char *text, MTime *mtime)
{
  gboolean negative = text[0] == '-';
  const char *at = negative ? text + 1 : text;
  MTime read = { 0 };
  guint64 magnitude;

  if (!th_decimal_u64 (&at, &magnitude) || magnitude >= G_MAXINT64)
    return FALSE;
  read.has_fraction = *at == '.';
  if (read.has_fraction)
    at++;
  if (read.has_fraction && !th_decimal_fraction (&at, &read.ns))
    return FALSE;
  read.seconds = negative ? -(gint64) magnitude : (gint64) magnitude;
  if (negative && read.ns > 0)
    {
      read.seconds--;
      read.ns = SEC_NS - read.ns;
    }
  *mtime = read;
  return *at == '\0';
}

/* tumbler cuts to microseconds, others may round. */
static gboolean
mtime_matches (const MTime *mtime, const ThStamp *stamp)
{
  gint64 apart, ns;

  if (!mtime->has_fraction)
    return mtime->seconds == stamp->mtime;
  /* Some file systems take any number for a time. */
  if (__builtin_sub_overflow (mtime->seconds, stamp->mtime, &apart) || apart < -1 || apart > 1)
    return FALSE;
  ns = apart * SEC_NS + (gint64) mtime->ns - (gint64) stamp->mtime_ns;
  return ns > -USEC_NS && ns < USEC_NS;
}

gboolean
th_cache_recorded_mtime (const ThPngText *text, gint64 *seconds)
{
  const char *value = th_png_text_get (text, "Thumb::MTime");
  MTime mtime;

  if (!value || !parse_mtime (value, &mtime))
    return FALSE;
  *seconds = mtime.seconds + (mtime.ns > 0);
  return TRUE;
}

static ThCacheState
check_mtime (const ThPngText *text, const ThStamp *stamp)
{
  const char *value = th_png_text_get (text, "Thumb::MTime");
  MTime mtime;

  if (!value || !parse_mtime (value, &mtime))
    return TH_CACHE_CORRUPT;
  return mtime_matches (&mtime, stamp) ? TH_CACHE_VALID : TH_CACHE_STALE;
}

static ThCacheState
check_size (const ThPngText *text, const ThStamp *stamp)
{
  const char *value = th_png_text_get (text, "Thumb::Size");
  guint64 size;

  if (!value)
    return TH_CACHE_VALID;
  if (!th_decimal_u64 (&value, &size) || *value != '\0')
    return TH_CACHE_CORRUPT;
  return size == stamp->size ? TH_CACHE_VALID : TH_CACHE_STALE;
}

/* One that another version wrote differently matches nothing: the thumbnail is made again once. */
static ThCacheState
check_stamp (const ThPngText *text, const ThStamp *stamp)
{
  const char *value = th_png_text_get (text, TH_STAMP_KEY);
  ThStamp own;

  if (!value || (th_stamp_from_text (value, &own) && th_stamp_equal (&own, stamp)))
    return TH_CACHE_VALID;
  return TH_CACHE_STALE;
}

static ThCacheState
check_uri (const ThPngText *text, const char *uri)
{
  const char *of = th_png_text_get (text, "Thumb::URI");

  return of && strcmp (of, uri) == 0 ? TH_CACHE_VALID : TH_CACHE_CORRUPT;
}

/* The worst that any key says counts, and the first key that says it. */
static ThCacheState
check_text (const ThPngText *text, const char *uri, const ThStamp *stamp, const char **key)
{
  const struct
  {
    const char *key;
    ThCacheState state;
  } findings[] = {
    { "Thumb::URI", check_uri (text, uri) },
    { "Thumb::MTime", check_mtime (text, stamp) },
    { "Thumb::Size", check_size (text, stamp) },
    { TH_STAMP_KEY, check_stamp (text, stamp) },
  };
  gsize worst = 0;

  for (gsize i = 1; i < G_N_ELEMENTS (findings); i++)
    {
      if (findings[i].state > findings[worst].state)
        worst = i;
    }
  *key = findings[worst].state != TH_CACHE_VALID ? findings[worst].key : NULL;
  return findings[worst].state;
}

ThCacheState
th_cache_judge (const ThPngText *text, const char *uri, const ThStamp *stamp)
{
  const char *key;

  return check_text (text, uri, stamp, &key);
}

ThCacheState
th_cache_examine (const ThCache *cache, const char *uri, ThFlavor flavor, const ThStamp *stamp,
                  const char **key, GError **error)
{
  g_autofree char *path = th_cache_path (cache, uri, flavor);
  g_autoptr (GError) local = NULL;
  g_autoptr (ThPngText) text = th_png_text_read (path, &local);
  gboolean corrupt;

  *key = NULL;
  if (text)
    return check_text (text, uri, stamp, key);
  corrupt = g_error_matches (local, TH_ERROR, TH_ERROR_INVALID_FORMAT);
  g_propagate_error (error, g_steal_pointer (&local));
  return corrupt ? TH_CACHE_CORRUPT : TH_CACHE_MISSING;
}

ThCacheState
th_cache_lookup (const ThCache *cache, const char *uri, ThFlavor flavor, const ThStamp *stamp)
{
  const char *key;

  return th_cache_examine (cache, uri, flavor, stamp, &key, NULL);
}

static gboolean
lies_below (const char *path, const char *folder)
{
  gsize length = strlen (folder);

  return strncmp (path, folder, length) == 0 && path[length] == '/';
}

/* name/ at the beginning of rest. */
static gboolean
begins_with_folder (const char *rest, const char *name)
{
  gsize length = strlen (name);

  return strncmp (rest, name, length) == 0 && rest[length] == '/';
}

static gboolean
lies_in_shared (const char *path)
{
  const char *at = path;

  while ((at = strstr (at, SHARED_REPOSITORY)) != NULL)
    {
      at += strlen (SHARED_REPOSITORY);
      for (ThFlavor flavor = 0; flavor < TH_N_FLAVORS; flavor++)
        {
          if (begins_with_folder (at, th_flavor_name (flavor)))
            return TRUE;
        }
      /* The slash may begin the next one. */
      at--;
    }
  return FALSE;
}

gboolean
th_cache_contains (const ThCache *cache, const char *path)
{
  return lies_below (path, cache->root) || lies_below (path, cache->real_root)
         || lies_in_shared (path);
}

gboolean
th_cache_check_writable (const ThCache *cache, GError **error)
{
  return th_folder_check (cache->root, error);
}

gboolean
th_cache_store (const ThCache *cache, ThFlavor flavor, const ThPngBody *body,
                const ThThumbnailInfo *info, GError **error)
{
  g_autofree char *path = NULL;
  g_autofree char *parent = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gboolean written;
  int folder;

  if (!info->uri || !th_uri_is_recordable (info->uri))
    {
      g_set_error_literal (error, TH_ERROR, TH_ERROR_SAVE_FAILED,
                           "Could not save thumbnail: the URI cannot be recorded");
      return FALSE;
    }
  path = th_cache_path (cache, info->uri, flavor);
  parent = g_path_get_dirname (path);
  folder = th_folder_open (cache->root, parent, error);
  if (folder < 0)
    return FALSE;
  bytes = th_thumbnail_file (body, info, cache->software);
  written = th_atomic_write_at (folder, path, bytes, error);
  th_folder_close (folder);
  return written;
}

void
th_cache_remove_stale_temporaries (const ThCache *cache)
{
  for (ThFlavor flavor = 0; flavor < TH_N_FLAVORS; flavor++)
    {
      g_autofree char *folder = g_build_filename (cache->root, th_flavor_name (flavor), NULL);

      th_folder_remove_stale_temporaries (folder);
    }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-forget.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cache/th-places.h"
#include "cache/th-uri.h"

typedef struct
{
  GHashTable *bases; /* set of th_uri_as_folder; NULL: all URIs */
  gboolean any_age;
  gint64 since;
} Sweep;

static guint32
bit_of (const ThCachePlace *place)
{
  g_autofree char *name = g_path_get_basename (place->path);
  ThFlavor flavor;

  return th_flavor_from_name (name, &flavor) ? TH_FLAVOR_BIT (flavor) : TH_FORGOT_FAILURE;
}

void
th_forget_uris (const ThCache *cache, const char *const *uris, guint n, guint32 *had,
                const gint *stop)
{
  g_autoptr (GArray) places = th_places_open (cache);

  for (guint i = 0; i < n && !g_atomic_int_get (stop); i++)
    {
      guint32 bits = 0;

      for (guint k = 0; k < places->len; k++)
        {
          const ThCachePlace *place = &g_array_index (places, ThCachePlace, k);

          bits |= th_cache_place_remove (place, uris[i]) ? bit_of (place) : 0;
        }
      if (had != NULL)
        had[i] = bits;
    }
}

static gboolean
lies_below (const Sweep *sweep, const char *uri)
{
  g_autofree char *at = NULL;

  if (!sweep->bases)
    return TRUE;
  at = th_uri_as_folder (uri);
  do
    {
      if (g_hash_table_contains (sweep->bases, at))
        return TRUE;
    }
  while (th_uri_cut_to_folder (at));
  return FALSE;
}

static gboolean
is_old (const Sweep *sweep, const ThPngText *text)
{
  gint64 mtime;

  return sweep->any_age || (th_cache_recorded_mtime (text, &mtime) && mtime <= sweep->since);
}

static void
sweep_file (const ThCachePlace *place, const char *name, const ThPngText *text, gpointer data)
{
  const Sweep *sweep = data;
  const char *uri = th_png_text_get (text, "Thumb::URI");

  if (uri && is_old (sweep, text) && lies_below (sweep, uri))
    unlinkat (place->folder, name, 0);
}

static void
sweep_all (const ThCache *cache, Sweep *sweep, const gint *stop)
{
  g_autoptr (GArray) places = th_places_open (cache);

  for (guint i = 0; i < places->len; i++)
    th_cache_place_scan (&g_array_index (places, ThCachePlace, i), sweep_file, sweep, stop);
}

static GHashTable *
make_set (const char *const *bases, guint n)
{
  GHashTable *set = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < n; i++)
    {
      if (bases[i][0] != '\0')
        g_hash_table_add (set, th_uri_as_folder (bases[i]));
    }
  return set;
}

/* Nothing lies below a file. */
static gboolean
is_file (const ThLooker *looker, const char *uri)
{
  g_autofree char *path = th_uri_to_path (uri, NULL);
  ThStamp stamp;
  struct stat st;

  return path && th_look (looker, path, &stamp, &st) == TH_LOOK_FOUND && !S_ISDIR (st.st_mode);
}

void
th_forget_below (const ThCache *cache, const char *const *bases, guint n, const ThLooker *looker,
                 const gint *stop)
{
  g_autoptr (GHashTable) set = make_set (bases, n);
  Sweep sweep = { .bases = set, .any_age = TRUE };
  gboolean all_files = TRUE;

  th_forget_uris (cache, bases, n, NULL, stop);
  for (guint i = 0; i < n && all_files && !g_atomic_int_get (stop); i++)
    all_files = is_file (looker, bases[i]);
  if (!all_files)
    sweep_all (cache, &sweep, stop);
}

void
th_forget_older (const ThCache *cache, const char *const *bases, guint n, gint64 since,
                 const gint *stop)
{
  g_autoptr (GHashTable) set = n > 0 ? make_set (bases, n) : NULL;
  Sweep sweep = { .bases = set, .since = since };

  sweep_all (cache, &sweep, stop);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-follow.h"

#include <string.h>
#include <unistd.h>

#include "cache/th-atomic.h"
#include "cache/th-places.h"
#include "cache/th-png-rewrite.h"
#include "cache/th-restamp.h"
#include "cache/th-uri.h"

/* What is at a URI now. */
typedef struct
{
  char *path;       /* or URI; NULL: it cannot be looked at, or is a thumbnail itself */
  gboolean unknown; /* nobody answers for it */
  gboolean exists;
  gboolean gone; /* though its folder is there */
  gboolean is_folder;
  gboolean has_device;
  dev_t device; /* of the file, or of the nearest folder above where it was */
  ThStamp stamp;
} Seen;

typedef struct
{
  const char *from;
  const char *to;
  const Seen *at_from;
  const Seen *at_to;
  gboolean one_device; /* the inode must have stayed */
} Pair;

typedef struct
{
  char *to;      /* without a slash at its end, also where it is the root */
  gboolean gone; /* what it was made of */
  gboolean one_device;
  guint next; /* the next with the same from, plus one */
} FolderPair;

typedef struct
{
  const ThCache *cache;
  const ThFollowOptions *options;
  GArray *places;
  GHashTable *folders; /* from, th_uri_as_folder → index of FolderPair, plus one */
  GArray *folder_pairs;
} Follow;

static void
seen_clear (Seen *seen)
{
  g_free (seen->path);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Seen, seen_clear)

static void
look_above (const Follow *follow, Seen *seen)
{
  gboolean nearest;
  struct stat st;

  g_free (th_look_above (follow->options->looker, seen->path, &st, &nearest));
  seen->has_device = st.st_mode != 0;
  seen->device = st.st_dev;
  seen->gone = seen->gone && nearest && S_ISDIR (st.st_mode);
}

/* What has no path is looked at by its URI, where somebody can. */
static char *
find_where (const Follow *follow, const char *uri)
{
  g_autofree char *path = th_uri_to_path (uri, NULL);

  if (path && th_cache_contains (follow->cache, path))
    return NULL;
  if (!path && follow->options->looker && !g_str_has_prefix (uri, "file:"))
    return g_strdup (uri);
  return g_steal_pointer (&path);
}

/* Of what has no path it is not known whether its folder is there. */
static void
look (const Follow *follow, const char *uri, Seen *seen)
{
  struct stat st;
  ThLook found;

  *seen = (Seen){ .path = find_where (follow, uri) };
  if (!seen->path)
    return;
  found = th_look (follow->options->looker, seen->path, &seen->stamp, &st);
  seen->exists = found == TH_LOOK_FOUND;
  seen->unknown = found == TH_LOOK_UNKNOWN;
  seen->gone = found == TH_LOOK_MISSING && seen->path[0] == '/';
  seen->has_device = st.st_dev != 0;
  seen->device = st.st_dev;
  seen->is_folder = S_ISDIR (st.st_mode);
  if (!seen->exists && !seen->unknown && seen->path[0] == '/')
    look_above (follow, seen);
}

/* The same time with fewer digits: file systems and those who copy cut to 100 ns, to microseconds,
 * milliseconds, or whole seconds. */
static gboolean
is_cut (guint32 cut, guint32 whole)
{
  static const guint32 steps[] = { 100, 1000, 1000 * 1000, 1000 * 1000 * 1000 };

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      if (cut == whole - whole % steps[i])
        return TRUE;
    }
  return FALSE;
}

/* The state that a thumbnail of what to was made of would have, where that came from another file
 * system. */
static ThStamp
before_crossing (const ThStamp *now, const ThPngText *text)
{
  const char *value = th_png_text_get (text, TH_STAMP_KEY);
  ThStamp stamp = *now;
  ThStamp own;

  stamp.inode = 0;
  if (value && th_stamp_from_text (value, &own) && own.mtime == now->mtime
      && is_cut (now->mtime_ns, own.mtime_ns))
    stamp.mtime_ns = own.mtime_ns;
  return stamp;
}

/* Whether to can be an untouched copy of what is at from. */
static gboolean
may_be_copy (const ThStamp *from, const ThStamp *to)
{
  if (from->size != to->size || to->mtime < from->mtime)
    return FALSE;
  return to->mtime > from->mtime || to->mtime_ns >= from->mtime_ns
         || is_cut (to->mtime_ns, from->mtime_ns);
}

static gboolean
is_allowed (const Follow *follow, const Seen *seen)
{
  const ThFollowOptions *options = follow->options;

  return !options->allowed || options->allowed (seen->path, seen->stamp.size, options->data);
}

static gboolean
shows (const Follow *follow, const ThPngText *text, const Pair *pair)
{
  ThStamp stamp = pair->at_to->stamp;

  if (follow->options->kind == TH_FOLLOW_COPY && pair->at_from->exists)
    return may_be_copy (&pair->at_from->stamp, &stamp)
           && th_cache_judge (text, pair->from, &pair->at_from->stamp) == TH_CACHE_VALID;
  if (follow->options->kind == TH_FOLLOW_COPY || !pair->one_device)
    stamp = before_crossing (&stamp, text);
  return th_cache_judge (text, pair->from, &stamp) == TH_CACHE_VALID;
}

/* What becomes the file of to, or NULL. Judged and copied from one reading. */
static GBytes *
make_next (const Follow *follow, const ThCachePlace *place, const Pair *pair)
{
  g_autofree char *path = th_cache_place_path (place, pair->from);
  g_autoptr (GBytes) bytes = th_png_load (path, NULL);
  g_autoptr (ThPngText) text = NULL;
  const guint8 *data;
  gsize size;

  if (!bytes)
    return NULL;
  data = g_bytes_get_data (bytes, &size);
  text = th_png_text_parse (data, size, NULL);
  if (!text || !shows (follow, text, pair) || !is_allowed (follow, pair->at_to))
    return NULL;
  return th_restamp (data, size, pair->to, &pair->at_to->stamp, NULL);
}

static gboolean
is_valid (const ThCachePlace *place, const char *uri, const Seen *seen)
{
  g_autofree char *path = th_cache_place_path (place, uri);
  g_autoptr (ThPngText) text = seen->exists ? th_png_text_read (path, NULL) : NULL;

  return text && th_cache_judge (text, uri, &seen->stamp) == TH_CACHE_VALID;
}

static void
remove_unless_valid (const ThCachePlace *place, const char *uri, const Seen *seen)
{
  if (!is_valid (place, uri, seen))
    th_cache_place_remove (place, uri);
}

static void
follow_in_place (const Follow *follow, const ThCachePlace *place, const Pair *pair)
{
  gboolean valid = is_valid (place, pair->to, pair->at_to);
  g_autoptr (GBytes) next = valid ? NULL : make_next (follow, place, pair);

  if (next)
    {
      g_autofree char *path = th_cache_place_path (place, pair->to);

      valid = th_atomic_write_at (place->folder, path, next, NULL);
    }
  if (!valid)
    remove_unless_valid (place, pair->to, pair->at_to);
  if (follow->options->kind == TH_FOLLOW_MOVE)
    remove_unless_valid (place, pair->from, pair->at_from);
}

static void
add_folders (Follow *follow, const Pair *pair)
{
  char *from = th_uri_as_folder (pair->from);
  gpointer first = g_hash_table_lookup (follow->folders, from);
  FolderPair folder = {
    .to = th_uri_as_folder (pair->to),
    .gone = pair->at_from->gone,
    .one_device = pair->one_device,
    .next = GPOINTER_TO_UINT (first),
  };

  if (g_str_has_suffix (folder.to, "/"))
    folder.to[strlen (folder.to) - 1] = '\0';
  g_array_append_val (follow->folder_pairs, folder);
  g_hash_table_replace (follow->folders, from, GUINT_TO_POINTER (follow->folder_pairs->len));
}

static void
forget_orphans (const Follow *follow, const char *uri)
{
  for (guint i = 0; i < follow->places->len; i++)
    th_cache_place_remove (&g_array_index (follow->places, ThCachePlace, i), uri);
}

static void
follow_pair (Follow *follow, const char *from, const char *to)
{
  g_auto (Seen) at_from = { 0 };
  g_auto (Seen) at_to = { 0 };
  Pair pair = { from, to, &at_from, &at_to, FALSE };

  if (strcmp (from, to) == 0)
    return;
  look (follow, from, &at_from);
  look (follow, to, &at_to);
  if (at_from.unknown || at_to.unknown)
    return;
  if (!at_to.exists)
    {
      if (follow->options->kind == TH_FOLLOW_MOVE && at_from.gone)
        forget_orphans (follow, from);
      return;
    }
  pair.one_device = at_from.has_device && at_from.device == at_to.device;
  for (guint i = 0; i < follow->places->len; i++)
    follow_in_place (follow, &g_array_index (follow->places, ThCachePlace, i), &pair);
  if (at_to.is_folder)
    add_folders (follow, &pair);
}

/* FALSE: nothing is where the folder's file would be now, as far as that can be told. */
static gboolean
follow_below (const Follow *follow, const ThCachePlace *place, const FolderPair *folder,
              const char *uri, const char *rest)
{
  g_autofree char *to = g_strconcat (folder->to, rest, NULL);
  g_auto (Seen) at_from = { 0 };
  g_auto (Seen) at_to = { 0 };
  Pair pair = { uri, to, &at_from, &at_to, folder->one_device };

  if (strcmp (uri, to) == 0)
    return FALSE;
  look (follow, to, &at_to);
  look (follow, uri, &at_from);
  if (at_from.unknown || at_to.unknown)
    return TRUE;
  if (at_to.exists)
    follow_in_place (follow, place, &pair);
  else if (follow->options->kind == TH_FOLLOW_MOVE && folder->gone && at_to.gone && !at_from.exists)
    th_cache_place_remove (place, uri);
  return at_to.exists;
}

/* All pairs of one folder. */
static gboolean
follow_chain (const Follow *follow, const ThCachePlace *place, guint first, const char *uri,
              const char *rest)
{
  gboolean followed = FALSE;

  for (guint i = first; i != 0;)
    {
      const FolderPair *folder = &g_array_index (follow->folder_pairs, FolderPair, i - 1);

      followed |= follow_below (follow, place, folder, uri, rest);
      i = folder->next;
    }
  return followed;
}

static gboolean
has_its_name (const char *name, const char *uri)
{
  g_autofree char *md5 = th_uri_md5 (uri);

  return g_str_has_prefix (name, md5);
}

/* The innermost folder first: it may have left before the outer one did. */
static void
follow_file (const ThCachePlace *place, const char *name, const ThPngText *text, gpointer data)
{
  const Follow *follow = data;
  const char *uri = th_png_text_get (text, "Thumb::URI");
  g_autofree char *at = g_strdup (uri);

  while (at && th_uri_cut_to_folder (at))
    {
      gsize length = strlen (at);
      guint first = GPOINTER_TO_UINT (g_hash_table_lookup (follow->folders, at));

      /* The root's own slash counts as the one between. */
      length -= at[length - 1] == '/';
      if (first == 0)
        continue;
      if (!has_its_name (name, uri) || follow_chain (follow, place, first, uri, uri + length))
        return;
    }
}

static void
clear_folder_pair (gpointer data)
{
  g_free (((FolderPair *) data)->to);
}

static void
follow_init (Follow *follow, const ThCache *cache, const ThFollowOptions *options)
{
  *follow = (Follow){ .cache = cache, .options = options };
  follow->places = th_places_open (cache);
  follow->folders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  follow->folder_pairs = g_array_new (FALSE, FALSE, sizeof (FolderPair));
  g_array_set_clear_func (follow->folder_pairs, clear_folder_pair);
}

static void
follow_clear (Follow *follow)
{
  g_array_unref (follow->places);
  g_hash_table_unref (follow->folders);
  g_array_unref (follow->folder_pairs);
}

void
th_follow (const ThCache *cache, const ThFollowOptions *options, const char *const *from,
           const char *const *to, guint n)
{
  Follow follow;

  follow_init (&follow, cache, options);
  for (guint i = 0; i < n && !g_atomic_int_get (options->stop); i++)
    follow_pair (&follow, from[i], to[i]);
  for (guint i = 0; i < follow.places->len && follow.folder_pairs->len > 0; i++)
    th_cache_place_scan (&g_array_index (follow.places, ThCachePlace, i), follow_file, &follow,
                         options->stop);
  follow_clear (&follow);
}

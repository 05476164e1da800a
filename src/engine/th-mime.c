/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-mime.h"

#include <gio/gio.h>

#include "base/th-modules.h"
#include "engine/th-manifests.h"
#include "engine/th-watched.h"

/* Answers that are remembered; clients invent no end of types. */
#define MEMO_ENTRIES 512u

struct _ThMime
{
  char *folder; /* of the manifests */
  ThEntries *entries;

  /* What th_mime_types gave, and what it was made of. */
  ThManifests *listed;
  GStrv external;
  GHashTable *all;      /* as known, with the types of entries; NULL: not made yet */
  GPtrArray *supported; /* the same strings, sorted, NULL-terminated */

  GMutex lock;
  ThWatched *watched;
  ThManifests *manifests; /* as last read; never NULL */
  GHashTable *memo;       /* type → th_mime_codec, without the entries */
};

/* Types that say nothing about the data. */
static const char *const blank_types[] = { "", "application/octet-stream", "application/x-zerosize",
                                           NULL };

ThMime *
th_mime_new (const char *manifest_dir, ThEntries *entries, GError **error)
{
  static const char *const endings[] = { TH_MODULES_ENDING, NULL };
  const char *const folders[] = { manifest_dir, NULL };
  g_autoptr (ThWatched) watched = th_watched_new (folders, endings);
  g_autoptr (GPtrArray) before = th_watched_changed (watched); /* what is read now is no change */
  ThManifests *manifests = th_manifests_read (manifest_dir, error);
  ThMime *mime;

  g_assert (before != NULL);
  if (manifests == NULL)
    return NULL;
  mime = g_new0 (ThMime, 1);
  g_mutex_init (&mime->lock);
  mime->folder = g_strdup (manifest_dir);
  mime->watched = g_steal_pointer (&watched);
  mime->entries = entries;
  mime->manifests = manifests;
  mime->memo = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return mime;
}

static void
drop_list (ThMime *mime)
{
  g_clear_pointer (&mime->listed, th_manifests_unref);
  g_clear_pointer (&mime->external, g_strfreev);
  g_clear_pointer (&mime->supported, g_ptr_array_unref);
  g_clear_pointer (&mime->all, g_hash_table_unref);
}

void
th_mime_free (ThMime *mime)
{
  drop_list (mime);
  th_watched_free (mime->watched);
  th_manifests_unref (mime->manifests);
  g_hash_table_unref (mime->memo);
  g_mutex_clear (&mime->lock);
  g_free (mime->folder);
  g_free (mime);
}

/* Under the lock. A folder that holds nothing for a moment, as in an upgrade, is not believed. */
static void
refresh (ThMime *mime)
{
  g_autoptr (GPtrArray) changed = th_watched_changed (mime->watched);
  ThManifests *now = changed != NULL ? th_manifests_read (mime->folder, NULL) : NULL;

  if (now == NULL)
    return;
  th_manifests_unref (mime->manifests);
  mime->manifests = now;
  g_hash_table_remove_all (mime->memo);
}

static ThManifests *
current (ThMime *mime)
{
  ThManifests *manifests;

  g_mutex_lock (&mime->lock);
  refresh (mime);
  manifests = th_manifests_ref (mime->manifests);
  g_mutex_unlock (&mime->lock);
  return manifests;
}

void
th_mime_expire (ThMime *mime)
{
  g_mutex_lock (&mime->lock);
  th_watched_expire (mime->watched);
  g_mutex_unlock (&mime->lock);
}

static gboolean
is_listed (const ThMime *mime, const ThManifests *manifests, const char *const *external)
{
  return mime->listed == manifests && g_strv_equal (external, (const char *const *) mime->external);
}

static void
merge (ThMime *mime)
{
  GHashTableIter iter;
  gpointer type, codec;

  mime->all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_iter_init (&iter, mime->listed->known);
  while (g_hash_table_iter_next (&iter, &type, &codec))
    th_manifests_add_type (mime->all, type, codec);
  for (guint i = 0; mime->external[i] != NULL; i++)
    th_manifests_add_type (mime->all, mime->external[i], TH_MIME_EXTERNAL);
  th_manifests_add_aliases (mime->all);
  mime->supported = th_manifests_sorted (mime->all);
}

const char *const *
th_mime_types (ThMime *mime)
{
  g_autoptr (ThManifests) manifests = current (mime);
  g_auto (GStrv) external =
      mime->entries != NULL ? th_entries_types (mime->entries) : g_new0 (char *, 1);

  if (!is_listed (mime, manifests, (const char *const *) external))
    {
      drop_list (mime);
      mime->listed = g_steal_pointer (&manifests);
      mime->external = g_steal_pointer (&external);
      merge (mime);
    }
  return (const char *const *) mime->supported->pdata;
}

const char **
th_mime_codecs (ThMime *mime)
{
  g_autoptr (ThManifests) manifests = current (mime);
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer codec;

  g_hash_table_iter_init (&iter, manifests->known);
  while (g_hash_table_iter_next (&iter, NULL, &codec))
    g_hash_table_add (names, codec);
  return (const char **) g_hash_table_get_keys_as_array (names, NULL);
}

/* The database knows that image/x-apple-ios-png is a kind of image/png. A type that everything is a
 * kind of is no evidence. */
static const char *
codec_of_parent (const ThManifests *manifests, const char *type)
{
  for (guint i = 0; i + 1 < manifests->types->len; i++)
    if (g_content_type_is_a (type, manifests->types->pdata[i]))
      return g_hash_table_lookup (manifests->known, manifests->types->pdata[i]);
  return NULL;
}

static const char *
decide (const ThManifests *manifests, const char *type)
{
  g_autofree char *lower = NULL;
  const char *codec;

  if (g_strv_contains (blank_types, type))
    return "";
  lower = th_manifests_normalize (type);
  if (lower == NULL)
    return NULL;
  codec = g_hash_table_lookup (manifests->known, lower);
  return codec != NULL ? codec : codec_of_parent (manifests, lower);
}

/* Of our own; under the lock. */
static const char *
recall (ThMime *mime, const char *mime_type)
{
  gpointer found;
  const char *codec;

  if (g_hash_table_lookup_extended (mime->memo, mime_type, NULL, &found))
    return found;
  codec = decide (mime->manifests, mime_type);
  if (g_hash_table_size (mime->memo) >= MEMO_ENTRIES)
    g_hash_table_remove_all (mime->memo);
  g_hash_table_insert (mime->memo, g_strdup (mime_type), (gpointer) codec);
  return codec;
}

const char *
th_mime_codec (ThMime *mime, const char *mime_type)
{
  const char *codec;

  g_mutex_lock (&mime->lock);
  refresh (mime);
  codec = recall (mime, mime_type);
  g_mutex_unlock (&mime->lock);
  if (codec == NULL && mime->entries != NULL && th_entries_serve (mime->entries, mime_type))
    return TH_MIME_EXTERNAL;
  return codec;
}

const char *
th_mime_module (ThMime *mime, const char *mime_type)
{
  const char *codec, *module;

  g_mutex_lock (&mime->lock);
  refresh (mime);
  codec = recall (mime, mime_type);
  module = codec != NULL ? g_hash_table_lookup (mime->manifests->modules, codec) : NULL;
  g_mutex_unlock (&mime->lock);
  return module;
}

gboolean
th_mime_tries (ThMime *mime, const char *mime_type)
{
  return th_mime_codec (mime, mime_type) != NULL;
}

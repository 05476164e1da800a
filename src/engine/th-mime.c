/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-mime.h"

#include <gio/gio.h>
#include <string.h>

#include "base/th-error.h"

#define GROUP "Codec "
#define KEY   "MimeTypes"
/* Answers that are remembered; clients invent no end of types. */
#define MEMO_ENTRIES 512u
/* The longest type that is worth a look: RFC 6838 allows 127 bytes on each side. */
#define TYPE_BYTES 255u

struct _ThMime
{
  GPtrArray *types;  /* sorted, NULL-terminated */
  GHashTable *known; /* the same strings → codec, interned */
  ThEntries *entries;
  GStrv external;       /* types of the entries when the next two were made */
  GHashTable *all;      /* as known, with theirs; NULL: not made yet */
  GPtrArray *supported; /* the same strings, sorted, NULL-terminated */
  GMutex lock;
  GHashTable *memo; /* type → th_mime_codec, without the entries */
};

/* Types that say nothing about the data. */
static const char *const blank_types[] = { "", "application/octet-stream", "application/x-zerosize",
                                           NULL };

static gboolean
well_formed (const char *type)
{
  const char *slash = strchr (type, '/');

  return slash != NULL && slash != type && slash[1] != '\0' && strlen (type) <= TYPE_BYTES
         && g_str_is_ascii (type) && strpbrk (type, " \t\r\n;") == NULL;
}

/* The first codec that names a type has it. */
static void
add_type (GHashTable *known, const char *type, const char *codec)
{
  g_autofree char *lower = well_formed (type) ? g_ascii_strdown (type, -1) : NULL;

  if (lower != NULL && !g_hash_table_contains (known, lower))
    g_hash_table_insert (known, g_steal_pointer (&lower), (gpointer) codec);
}

static void
read_codec (GHashTable *known, GKeyFile *file, const char *group)
{
  g_auto (GStrv) types = NULL;

  if (!g_str_has_prefix (group, GROUP))
    return;
  types = g_key_file_get_string_list (file, group, KEY, NULL, NULL);
  for (guint i = 0; types != NULL && types[i] != NULL; i++)
    add_type (known, g_strstrip (types[i]), g_intern_string (group + strlen (GROUP)));
}

static void
read_manifest (GHashTable *known, const char *path)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_auto (GStrv) groups = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)
      || !g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return;
  groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    read_codec (known, file, groups[i]);
}

static gboolean
read_folder (GHashTable *known, const char *folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  const char *name;

  if (dir == NULL)
    return FALSE;
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".manifest"))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        read_manifest (known, path);
      }
  if (g_hash_table_size (known) > 0)
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "“%s” holds no manifest of any format", folder);
  return FALSE;
}

/* One line of the database's aliases: "ALIAS CANONICAL". */
static void
add_alias (GHashTable *known, GHashTable *aliases, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 3);

  if (g_strv_length (words) != 2)
    return;
  if (g_hash_table_contains (known, words[1]))
    add_type (aliases, words[0], g_hash_table_lookup (known, words[1]));
  /* A manifest may use the older name. */
  else if (g_hash_table_contains (known, words[0]))
    add_type (aliases, words[1], g_hash_table_lookup (known, words[0]));
}

static void
read_aliases (GHashTable *known, GHashTable *aliases, const char *data_dir)
{
  g_autofree char *path = g_build_filename (data_dir, "mime", "aliases", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR) || !g_file_get_contents (path, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    add_alias (known, aliases, lines[i]);
}

static void
add_aliases (GHashTable *known)
{
  g_autoptr (GHashTable) aliases = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const char *const *dirs = g_get_system_data_dirs ();
  GHashTableIter iter;
  gpointer type, codec;

  read_aliases (known, aliases, g_get_user_data_dir ());
  for (guint i = 0; dirs[i] != NULL; i++)
    read_aliases (known, aliases, dirs[i]);
  g_hash_table_iter_init (&iter, aliases);
  while (g_hash_table_iter_next (&iter, &type, &codec))
    add_type (known, type, codec);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static GPtrArray *
sorted (GHashTable *known)
{
  GPtrArray *types = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer type;

  g_hash_table_iter_init (&iter, known);
  while (g_hash_table_iter_next (&iter, &type, NULL))
    g_ptr_array_add (types, type);
  g_ptr_array_sort (types, by_name);
  g_ptr_array_add (types, NULL);
  return types;
}

ThMime *
th_mime_new (const char *manifest_dir, ThEntries *entries, GError **error)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  ThMime *mime;

  if (!read_folder (known, manifest_dir, error))
    return NULL;
  add_aliases (known);
  mime = g_new0 (ThMime, 1);
  g_mutex_init (&mime->lock);
  mime->entries = entries;
  mime->types = sorted (known);
  mime->known = g_steal_pointer (&known);
  mime->memo = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return mime;
}

void
th_mime_free (ThMime *mime)
{
  g_ptr_array_unref (mime->types);
  g_hash_table_unref (mime->known);
  g_hash_table_unref (mime->memo);
  g_strfreev (mime->external);
  g_clear_pointer (&mime->all, g_hash_table_unref);
  g_clear_pointer (&mime->supported, g_ptr_array_unref);
  g_mutex_clear (&mime->lock);
  g_free (mime);
}

static void
merge (ThMime *mime)
{
  GHashTableIter iter;
  gpointer type, codec;

  g_clear_pointer (&mime->all, g_hash_table_unref);
  g_clear_pointer (&mime->supported, g_ptr_array_unref);
  mime->all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_iter_init (&iter, mime->known);
  while (g_hash_table_iter_next (&iter, &type, &codec))
    add_type (mime->all, type, codec);
  for (guint i = 0; mime->external[i] != NULL; i++)
    add_type (mime->all, mime->external[i], TH_MIME_EXTERNAL);
  add_aliases (mime->all);
  mime->supported = sorted (mime->all);
}

const char *const *
th_mime_types (ThMime *mime)
{
  g_auto (GStrv) external = NULL;

  if (mime->entries == NULL)
    return (const char *const *) mime->types->pdata;
  external = th_entries_types (mime->entries);
  if (mime->external == NULL
      || !g_strv_equal ((const char *const *) external, (const char *const *) mime->external))
    {
      g_strfreev (mime->external);
      mime->external = g_steal_pointer (&external);
      merge (mime);
    }
  return (const char *const *) mime->supported->pdata;
}

const char **
th_mime_codecs (const ThMime *mime)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer codec;

  g_hash_table_iter_init (&iter, mime->known);
  while (g_hash_table_iter_next (&iter, NULL, &codec))
    g_hash_table_add (names, codec);
  return (const char **) g_hash_table_get_keys_as_array (names, NULL);
}

/* The database knows that image/x-apple-ios-png is a kind of image/png. A type that everything is a
 * kind of is no evidence. */
static const char *
codec_of_parent (const ThMime *mime, const char *type)
{
  for (guint i = 0; i + 1 < mime->types->len; i++)
    if (g_content_type_is_a (type, mime->types->pdata[i]))
      return g_hash_table_lookup (mime->known, mime->types->pdata[i]);
  return NULL;
}

static const char *
decide (const ThMime *mime, const char *type)
{
  g_autofree char *lower = NULL;
  const char *codec;

  if (g_strv_contains (blank_types, type))
    return "";
  if (!well_formed (type))
    return NULL;
  lower = g_ascii_strdown (type, -1);
  codec = g_hash_table_lookup (mime->known, lower);
  return codec != NULL ? codec : codec_of_parent (mime, lower);
}

/* Of our own. */
static const char *
recall (ThMime *mime, const char *mime_type)
{
  gpointer found;
  const char *codec;

  g_mutex_lock (&mime->lock);
  if (g_hash_table_lookup_extended (mime->memo, mime_type, NULL, &found))
    codec = found;
  else
    {
      codec = decide (mime, mime_type);
      if (g_hash_table_size (mime->memo) >= MEMO_ENTRIES)
        g_hash_table_remove_all (mime->memo);
      g_hash_table_insert (mime->memo, g_strdup (mime_type), (gpointer) codec);
    }
  g_mutex_unlock (&mime->lock);
  return codec;
}

const char *
th_mime_codec (ThMime *mime, const char *mime_type)
{
  const char *codec = recall (mime, mime_type);

  if (codec == NULL && mime->entries != NULL && th_entries_serve (mime->entries, mime_type))
    return TH_MIME_EXTERNAL;
  return codec;
}

gboolean
th_mime_tries (ThMime *mime, const char *mime_type)
{
  return th_mime_codec (mime, mime_type) != NULL;
}

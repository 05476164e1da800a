/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-manifests.h"

#include <string.h>

#include "base/th-error.h"
#include "base/th-modules.h"

#define BUILTIN "builtin"
#define GROUP   "Codec "
#define KEY     "MimeTypes"
/* The longest type that is worth a look: RFC 6838 allows 127 bytes on each side. */
#define TYPE_BYTES 255u

static gboolean
well_formed (const char *type)
{
  const char *slash = strchr (type, '/');

  return slash != NULL && slash != type && slash[1] != '\0' && strlen (type) <= TYPE_BYTES
         && g_str_is_ascii (type) && strpbrk (type, " \t\r\n;") == NULL;
}

char *
th_manifests_normalize (const char *type)
{
  return well_formed (type) ? g_ascii_strdown (type, -1) : NULL;
}

void
th_manifests_add_type (GHashTable *known, const char *type, const char *codec)
{
  g_autofree char *lower = th_manifests_normalize (type);

  if (lower != NULL && !g_hash_table_contains (known, lower))
    g_hash_table_insert (known, g_steal_pointer (&lower), (gpointer) codec);
}

/* module is NULL for the built-in ones. The first who names a codec has it. */
static void
read_codec (ThManifests *manifests, GKeyFile *file, const char *group, const char *module)
{
  const char *codec;
  g_auto (GStrv) types = NULL;

  if (!g_str_has_prefix (group, GROUP))
    return;
  codec = g_intern_string (group + strlen (GROUP));
  types = g_key_file_get_string_list (file, group, KEY, NULL, NULL);
  for (guint i = 0; types != NULL && types[i] != NULL; i++)
    th_manifests_add_type (manifests->known, g_strstrip (types[i]), codec);
  if (module != NULL && !g_hash_table_contains (manifests->modules, codec))
    g_hash_table_insert (manifests->modules, (gpointer) codec, (gpointer) module);
}

static void
read_manifest (ThManifests *manifests, const char *folder, const char *name, const char *module)
{
  g_autofree char *file_name = g_strconcat (name, TH_MODULES_ENDING, NULL);
  g_autofree char *path = g_build_filename (folder, file_name, NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_auto (GStrv) groups = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)
      || !g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return;
  groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    read_codec (manifests, file, groups[i], module);
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static ThManifests *
make_empty (void)
{
  ThManifests *manifests = g_atomic_rc_box_new0 (ThManifests);

  manifests->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  manifests->modules = g_hash_table_new (NULL, NULL);
  return manifests;
}

ThManifests *
th_manifests_read (const char *folder, GError **error)
{
  g_autoptr (GPtrArray) names = th_modules_list (folder);
  g_autoptr (ThManifests) manifests = make_empty ();

  read_manifest (manifests, folder, BUILTIN, NULL);
  for (guint i = 0; i < names->len; i++)
    read_manifest (manifests, folder, names->pdata[i], g_intern_string (names->pdata[i]));
  if (g_hash_table_size (manifests->known) == 0)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "“%s” holds no manifest of any format", folder);
      return NULL;
    }
  th_manifests_add_aliases (manifests->known);
  manifests->types = th_manifests_sorted (manifests->known);
  return g_steal_pointer (&manifests);
}

ThManifests *
th_manifests_ref (ThManifests *manifests)
{
  return g_atomic_rc_box_acquire (manifests);
}

static void
clear (gpointer data)
{
  ThManifests *manifests = data;

  g_hash_table_unref (manifests->known);
  g_hash_table_unref (manifests->modules);
  g_clear_pointer (&manifests->types, g_ptr_array_unref);
}

void
th_manifests_unref (ThManifests *manifests)
{
  g_atomic_rc_box_release_full (manifests, clear);
}

/* One line of the database's aliases: "ALIAS CANONICAL". */
static void
add_alias (GHashTable *known, GHashTable *aliases, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 3);

  if (g_strv_length (words) != 2)
    return;
  if (g_hash_table_contains (known, words[1]))
    th_manifests_add_type (aliases, words[0], g_hash_table_lookup (known, words[1]));
  /* A manifest may use the older name. */
  else if (g_hash_table_contains (known, words[0]))
    th_manifests_add_type (aliases, words[1], g_hash_table_lookup (known, words[0]));
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

void
th_manifests_add_aliases (GHashTable *known)
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
    th_manifests_add_type (known, type, codec);
}

GPtrArray *
th_manifests_sorted (GHashTable *known)
{
  GPtrArray *types = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer type;

  g_hash_table_iter_init (&iter, known);
  while (g_hash_table_iter_next (&iter, &type, NULL))
    g_ptr_array_add (types, type);
  g_ptr_array_sort (types, by_text);
  g_ptr_array_add (types, NULL);
  return types;
}

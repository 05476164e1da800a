/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-specialists.h"

#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/th-watched.h"

#define GROUP     "Specialized Thumbnailer"
#define OVERRIDES "overrides"
/* Where one that has registered has its object. */
#define OBJECT_PATH "/org/freedesktop/thumbnails/SpecializedThumbnailer1"
/* Longer ones are no schemes and types. */
#define MAX_SCHEME 64u
#define MAX_TYPE   255u

struct _ThSpecialists
{
  GMutex lock; /* of all below */
  ThWatched *watched;
  GHashTable *registered; /* pair → GPtrArray of ThSpecialist, last first */
  GHashTable *owners;     /* name → GHashTable, the set of its pairs */
  guint n_registered;     /* pairs of all owners */
  GHashTable *described;  /* pair → GPtrArray of ThSpecialist, newest file first */
  GHashTable *overrides;  /* pair → name of the one to be preferred */
};

ThSpecialist *
th_specialist_ref (ThSpecialist *specialist)
{
  g_atomic_ref_count_inc (&specialist->refs);
  return specialist;
}

void
th_specialist_unref (ThSpecialist *specialist)
{
  if (!g_atomic_ref_count_dec (&specialist->refs))
    return;
  g_free (specialist->name);
  g_free (specialist->path);
  g_free (specialist->file);
  g_free (specialist);
}

static ThSpecialist *
specialist_new (const char *name, const char *path, const char *file)
{
  ThSpecialist *specialist = g_new0 (ThSpecialist, 1);

  g_atomic_ref_count_init (&specialist->refs);
  specialist->name = g_strdup (name);
  specialist->path = g_strdup (path);
  specialist->file = g_strdup (file);
  return specialist;
}

static GHashTable *
table_of_lists (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                (GDestroyNotify) g_ptr_array_unref);
}

ThSpecialists *
th_specialists_new (const char *const *folders)
{
  static const char *const endings[] = { ".service", OVERRIDES, NULL };
  ThSpecialists *specialists = g_new0 (ThSpecialists, 1);

  g_mutex_init (&specialists->lock);
  specialists->watched = th_watched_new (folders, endings);
  specialists->registered = table_of_lists ();
  specialists->described = table_of_lists ();
  specialists->owners =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_hash_table_unref);
  specialists->overrides = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return specialists;
}

void
th_specialists_free (ThSpecialists *specialists)
{
  th_watched_free (specialists->watched);
  g_hash_table_unref (specialists->registered);
  g_hash_table_unref (specialists->described);
  g_hash_table_unref (specialists->owners);
  g_hash_table_unref (specialists->overrides);
  g_mutex_clear (&specialists->lock);
  g_free (specialists);
}

/* A scheme has no space. Upper and lower case are the same in both. */
static char *
pair_of (const char *scheme, const char *mime_type)
{
  g_autofree char *text = g_strconcat (scheme, " ", mime_type, NULL);

  return g_ascii_strdown (text, -1);
}

static gboolean
is_scheme (const char *text)
{
  gsize n = strlen (text);

  if (n == 0 || n > MAX_SCHEME || !g_ascii_isalpha (text[0]))
    return FALSE;
  for (gsize i = 1; i < n; i++)
    if (!g_ascii_isalnum (text[i]) && strchr ("+-.", text[i]) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
is_type (const char *text)
{
  const char *slash = strchr (text, '/');

  return slash != NULL && slash != text && slash[1] != '\0' && strlen (text) <= MAX_TYPE
         && g_str_is_ascii (text) && strpbrk (text, " \t\r\n;") == NULL;
}

static void
add (GHashTable *table, const char *pair, ThSpecialist *specialist, int place)
{
  GPtrArray *list = g_hash_table_lookup (table, pair);

  if (list == NULL)
    {
      list = g_ptr_array_new_with_free_func ((GDestroyNotify) th_specialist_unref);
      g_hash_table_insert (table, g_strdup (pair), list);
    }
  g_ptr_array_insert (list, place, th_specialist_ref (specialist));
}

static void
remove_owner (GHashTable *table, const char *pair, const char *owner)
{
  GPtrArray *list = g_hash_table_lookup (table, pair);

  for (guint i = list != NULL ? list->len : 0; i-- > 0;)
    if (g_str_equal (((const ThSpecialist *) list->pdata[i])->name, owner))
      g_ptr_array_remove_index (list, i);
  if (list != NULL && list->len == 0)
    g_hash_table_remove (table, pair);
}

/* Those that are well-formed, each once, and no more than one too many. */
static GPtrArray *
pick (const char *const *texts, gboolean (*is_one) (const char *text), guint most)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *picked = g_ptr_array_new ();

  for (guint i = 0; texts[i] != NULL && picked->len <= most; i++)
    if (is_one (texts[i]) && g_hash_table_add (seen, (gpointer) texts[i]))
      g_ptr_array_add (picked, (gpointer) texts[i]);
  return picked;
}

/* Each scheme with each type, no more than one too many. */
static GPtrArray *
make_pairs (const char *const *schemes, const char *const *mime_types, guint most)
{
  g_autoptr (GPtrArray) good_schemes = pick (schemes, is_scheme, most);
  g_autoptr (GPtrArray) good_types = pick (mime_types, is_type, most);
  GPtrArray *pairs = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < good_schemes->len && pairs->len <= most; i++)
    for (guint j = 0; j < good_types->len && pairs->len <= most; j++)
      g_ptr_array_add (pairs, pair_of (good_schemes->pdata[i], good_types->pdata[j]));
  return pairs;
}

/* How many of them the owner has not registered so far. */
static guint
count_new (GHashTable *own, const GPtrArray *pairs)
{
  guint n = 0;

  for (guint i = 0; i < pairs->len; i++)
    n += own == NULL || !g_hash_table_contains (own, pairs->pdata[i]);
  return n;
}

/* Under the lock. */
static GHashTable *
pairs_of_owner (ThSpecialists *specialists, const char *owner)
{
  GHashTable *own = g_hash_table_lookup (specialists->owners, owner);

  if (own != NULL)
    return own;
  own = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_insert (specialists->owners, g_strdup (owner), own);
  return own;
}

/* Under the lock. A pair that it has registered before moves to the front. */
static void
register_all (ThSpecialists *specialists, const char *owner, GPtrArray *pairs)
{
  g_autoptr (ThSpecialist) specialist = specialist_new (owner, OBJECT_PATH, NULL);
  GHashTable *own = pairs_of_owner (specialists, owner);

  for (guint i = 0; i < pairs->len; i++)
    {
      const char *pair = pairs->pdata[i];

      remove_owner (specialists->registered, pair, owner);
      add (specialists->registered, pair, specialist, 0);
      specialists->n_registered += g_hash_table_add (own, g_strdup (pair));
    }
}

gboolean
th_specialists_register (ThSpecialists *specialists, const char *owner, const char *const *schemes,
                         const char *const *mime_types, GError **error)
{
  g_autoptr (GPtrArray) pairs = make_pairs (schemes, mime_types, TH_SPECIALISTS_EACH);
  const char *why = NULL;
  GHashTable *own;
  guint more;

  g_mutex_lock (&specialists->lock);
  own = g_hash_table_lookup (specialists->owners, owner);
  more = count_new (own, pairs);
  if (pairs->len == 0)
    why = "No scheme and type among these";
  else if (more + (own != NULL ? g_hash_table_size (own) : 0) > TH_SPECIALISTS_EACH
           || more + specialists->n_registered > TH_SPECIALISTS_ALL)
    why = "Too many schemes and types";
  else
    register_all (specialists, owner, pairs);
  g_mutex_unlock (&specialists->lock);
  if (why != NULL)
    g_set_error_literal (error, TH_ERROR, TH_ERROR_OTHER, why);
  return why == NULL;
}

void
th_specialists_forget (ThSpecialists *specialists, const char *owner)
{
  GHashTable *own;
  GHashTableIter iter;
  gpointer pair;

  g_mutex_lock (&specialists->lock);
  own = g_hash_table_lookup (specialists->owners, owner);
  if (own != NULL)
    {
      g_hash_table_iter_init (&iter, own);
      while (g_hash_table_iter_next (&iter, &pair, NULL))
        remove_owner (specialists->registered, pair, owner);
      specialists->n_registered -= g_hash_table_size (own);
      g_hash_table_remove (specialists->owners, owner);
    }
  g_mutex_unlock (&specialists->lock);
}

/* A description file that makes no sense serves nothing, but masks those of its name. */
static void
load_description (ThSpecialists *specialists, const char *path)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = NULL;
  g_autofree char *object = NULL;
  g_auto (GStrv) types = NULL;
  g_auto (GStrv) schemes = NULL;
  const char *const default_schemes[] = { "file", NULL };
  g_autoptr (GPtrArray) pairs = NULL;
  g_autoptr (ThSpecialist) specialist = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)
      || !g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return;
  name = g_key_file_get_string (file, GROUP, "Name", NULL);
  object = g_key_file_get_string (file, GROUP, "ObjectPath", NULL);
  types = g_key_file_get_string_list (file, GROUP, "MimeTypes", NULL, NULL);
  schemes = g_key_file_get_string_list (file, GROUP, "UriSchemes", NULL, NULL);
  if (name == NULL || object == NULL || types == NULL || !g_dbus_is_name (name)
      || !g_variant_is_object_path (object))
    return;
  pairs = make_pairs (schemes != NULL ? (const char *const *) schemes : default_schemes,
                      (const char *const *) types, TH_SPECIALISTS_EACH);
  specialist = specialist_new (name, object, base);
  for (guint i = 0; i < pairs->len; i++)
    add (specialists->described, pairs->pdata[i], specialist, -1);
}

/* Groups are called SCHEME-TYPE, and say so again. */
static void
load_overrides (ThSpecialists *specialists, const char *path)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_auto (GStrv) groups = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)
      || !g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    return;
  groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    {
      g_autofree char *name = g_key_file_get_string (file, groups[i], "Name", NULL);
      g_autofree char *scheme = g_key_file_get_string (file, groups[i], "UriScheme", NULL);
      g_autofree char *type = g_key_file_get_string (file, groups[i], "MimeType", NULL);
      g_autofree char *expected = NULL;
      g_autofree char *pair = NULL;

      if (name == NULL || scheme == NULL || type == NULL)
        continue;
      expected = g_strconcat (scheme, "-", type, NULL);
      pair = pair_of (scheme, type);
      if (g_str_equal (expected, groups[i])
          && !g_hash_table_contains (specialists->overrides, pair))
        g_hash_table_insert (specialists->overrides, g_steal_pointer (&pair),
                             g_steal_pointer (&name));
    }
}

typedef struct
{
  const char *path;
  gint64 mtime;
} Description;

static int
newest_first (gconstpointer a, gconstpointer b)
{
  const Description *x = a;
  const Description *y = b;

  return x->mtime > y->mtime ? -1 : x->mtime < y->mtime;
}

/* The first of a name counts, even where it cannot be used. */
static void
load_all (ThSpecialists *specialists, const GPtrArray *paths)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Description));

  g_hash_table_remove_all (specialists->described);
  g_hash_table_remove_all (specialists->overrides);
  for (guint i = 0; i < paths->len; i++)
    {
      g_autofree char *name = g_path_get_basename (paths->pdata[i]);
      Description one = { paths->pdata[i], 0 };
      struct stat st;

      if (g_str_equal (name, OVERRIDES))
        load_overrides (specialists, paths->pdata[i]);
      else if (g_hash_table_add (names, g_steal_pointer (&name)))
        {
          if (stat (one.path, &st) == 0)
            one.mtime = st.st_mtim.tv_sec;
          g_array_append_val (found, one);
        }
    }
  g_array_sort (found, newest_first);
  for (guint i = 0; i < found->len; i++)
    load_description (specialists, g_array_index (found, Description, i).path);
}

/* Under the lock. */
static void
look (ThSpecialists *specialists)
{
  g_autoptr (GPtrArray) paths = th_watched_changed (specialists->watched);

  if (paths != NULL)
    load_all (specialists, paths);
}

static void
append_all (GPtrArray *out, const GPtrArray *list)
{
  for (guint i = 0; list != NULL && i < list->len; i++)
    g_ptr_array_add (out, th_specialist_ref (list->pdata[i]));
}

static void
prefer (GPtrArray *list, const char *name)
{
  for (guint i = 1; name != NULL && i < list->len; i++)
    if (g_str_equal (((const ThSpecialist *) list->pdata[i])->name, name))
      {
        g_ptr_array_insert (list, 0, g_ptr_array_steal_index (list, i));
        return;
      }
}

GPtrArray *
th_specialists_find (ThSpecialists *specialists, const char *scheme, const char *mime_type)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) th_specialist_unref);
  g_autofree char *pair = pair_of (scheme, mime_type);

  g_mutex_lock (&specialists->lock);
  look (specialists);
  append_all (found, g_hash_table_lookup (specialists->registered, pair));
  append_all (found, g_hash_table_lookup (specialists->described, pair));
  prefer (found, g_hash_table_lookup (specialists->overrides, pair));
  g_mutex_unlock (&specialists->lock);
  return found;
}

gboolean
th_specialists_serve (ThSpecialists *specialists, const char *scheme, const char *mime_type)
{
  g_autofree char *pair = NULL;
  gboolean served;

  g_mutex_lock (&specialists->lock);
  look (specialists);
  served = g_hash_table_size (specialists->registered) > 0
           || g_hash_table_size (specialists->described) > 0;
  if (served)
    {
      pair = pair_of (scheme, mime_type);
      served = g_hash_table_contains (specialists->registered, pair)
               || g_hash_table_contains (specialists->described, pair);
    }
  g_mutex_unlock (&specialists->lock);
  return served;
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
collect_keys (GHashTable *from, GHashTable *seen, GPtrArray *out)
{
  GHashTableIter iter;
  gpointer pair;

  g_hash_table_iter_init (&iter, from);
  while (g_hash_table_iter_next (&iter, &pair, NULL))
    if (g_hash_table_add (seen, pair))
      g_ptr_array_add (out, g_strdup (pair));
}

void
th_specialists_pairs (ThSpecialists *specialists,
                      void (*pair) (const char *scheme, const char *mime_type, gpointer data),
                      gpointer data)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_free);

  g_mutex_lock (&specialists->lock);
  look (specialists);
  collect_keys (specialists->registered, seen, all);
  collect_keys (specialists->described, seen, all);
  g_mutex_unlock (&specialists->lock);
  g_ptr_array_sort (all, by_text);
  for (guint i = 0; i < all->len; i++)
    {
      char *space = strchr (all->pdata[i], ' ');

      *space = '\0';
      pair (all->pdata[i], space + 1, data);
    }
}

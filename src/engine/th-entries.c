/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-entries.h"

#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/th-watched.h"

/* Our own entry, and our own program under any entry: we would call ourselves. */
#define OWN_ENTRY   "thimble.thumbnailer"
#define OWN_PROGRAM "thimble-thumbnailer"
/* Answers that are remembered; clients invent no end of types. */
#define MEMO_ENTRIES 512u
/* Of which everything is a kind, and that therefore say nothing. */
#define ANYTHING "application/octet-stream"

struct _ThEntries
{
  GMutex lock; /* of all below */
  ThWatched *watched;
  GPtrArray *all;
  GHashTable *memo; /* type → GPtrArray of ThEntry, installed or not */
};

ThEntries *
th_entries_new (const char *const *folders)
{
  static const char *const endings[] = { ".thumbnailer", NULL };
  ThEntries *entries = g_new0 (ThEntries, 1);

  g_mutex_init (&entries->lock);
  entries->watched = th_watched_new (folders, endings);
  entries->all = g_ptr_array_new_with_free_func ((GDestroyNotify) th_entry_unref);
  entries->memo =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  return entries;
}

void
th_entries_free (ThEntries *entries)
{
  th_watched_free (entries->watched);
  g_ptr_array_unref (entries->all);
  g_hash_table_unref (entries->memo);
  g_mutex_clear (&entries->lock);
  g_free (entries);
}

static gboolean
is_own (const ThEntry *entry)
{
  for (guint i = 0; entry->words[i] != NULL; i++)
    {
      g_autofree char *name = g_path_get_basename (entry->words[i]);

      if (g_str_equal (name, OWN_PROGRAM))
        return TRUE;
    }
  return g_str_equal (entry->name, OWN_ENTRY);
}

/* Says why one is left out. A file that is empty, or none (a link to /dev/null), is a usual way to
 * switch another off. */
static void
tell_broken (const char *path, const GError *error)
{
  struct stat st;

  if (stat (path, &st) == 0 && S_ISREG (st.st_mode) && st.st_size > 0)
    g_message ("the thumbnailer entry %s is left out: %s", path, error->message);
}

/* The first of a name counts, even where it cannot be used. */
static void
load_all (ThEntries *entries, const GPtrArray *paths)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  g_ptr_array_set_size (entries->all, 0);
  g_hash_table_remove_all (entries->memo);
  for (guint i = 0; i < paths->len; i++)
    {
      g_autoptr (ThEntry) entry = NULL;
      g_autoptr (GError) error = NULL;

      if (!g_hash_table_add (names, g_path_get_basename (paths->pdata[i])))
        continue;
      entry = th_entry_load (paths->pdata[i], &error);
      if (entry == NULL)
        tell_broken (paths->pdata[i], error);
      else if (!entry->rules.disabled && !is_own (entry))
        g_ptr_array_add (entries->all, g_steal_pointer (&entry));
    }
}

/* Under the lock. */
static void
look (ThEntries *entries)
{
  g_autoptr (GPtrArray) paths = th_watched_changed (entries->watched);

  if (paths != NULL)
    load_all (entries, paths);
}

void
th_entries_expire (ThEntries *entries)
{
  g_mutex_lock (&entries->lock);
  th_watched_expire (entries->watched);
  g_mutex_unlock (&entries->lock);
}

typedef enum
{
  UNRELATED,
  KIND, /* the type is a kind of what the entry names */
  SAME, /* by another name */
  EXACT,
} Kinship;

static Kinship
kinship (const char *type, const char *named)
{
  if (g_str_equal (type, named))
    return EXACT;
  if (g_str_equal (named, ANYTHING))
    return UNRELATED;
  if (g_content_type_equals (type, named))
    return SAME;
  return g_content_type_is_a (type, named) ? KIND : UNRELATED;
}

typedef struct
{
  ThEntry *entry;
  Kinship kinship;
  guint place;
} Candidate;

static int
best_first (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a;
  const Candidate *y = b;

  if (x->entry->rules.priority != y->entry->rules.priority)
    return x->entry->rules.priority > y->entry->rules.priority ? -1 : 1;
  if (x->kinship != y->kinship)
    return x->kinship > y->kinship ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static Kinship
best_kinship (const ThEntry *entry, const char *type)
{
  Kinship best = UNRELATED;

  for (guint i = 0; entry->types[i] != NULL; i++)
    {
      Kinship one = kinship (type, entry->types[i]);

      best = MAX (best, one);
    }
  return best;
}

static GPtrArray *
search (ThEntries *entries, const char *type)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Candidate));
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) th_entry_unref);

  for (guint i = 0; i < entries->all->len; i++)
    {
      ThEntry *entry = entries->all->pdata[i];
      Candidate candidate = { entry, best_kinship (entry, type), i };

      if (candidate.kinship != UNRELATED)
        g_array_append_val (found, candidate);
    }
  g_array_sort (found, best_first);
  for (guint i = 0; i < found->len; i++)
    g_ptr_array_add (list, th_entry_ref (g_array_index (found, Candidate, i).entry));
  return list;
}

/* Under the lock; owned by the memo. */
static GPtrArray *
recall (ThEntries *entries, const char *mime_type)
{
  g_autofree char *type = g_ascii_strdown (mime_type, -1);
  GPtrArray *list = g_hash_table_lookup (entries->memo, type);

  if (list != NULL)
    return list;
  if (g_hash_table_size (entries->memo) >= MEMO_ENTRIES)
    g_hash_table_remove_all (entries->memo);
  list = search (entries, type);
  g_hash_table_insert (entries->memo, g_steal_pointer (&type), list);
  return list;
}

GPtrArray *
th_entries_find (ThEntries *entries, const char *mime_type)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) th_entry_unref);
  const GPtrArray *list;

  g_mutex_lock (&entries->lock);
  look (entries);
  list = recall (entries, mime_type);
  for (guint i = 0; i < list->len; i++)
    if (th_entry_is_installed (list->pdata[i]))
      g_ptr_array_add (found, th_entry_ref (list->pdata[i]));
  g_mutex_unlock (&entries->lock);
  return found;
}

GPtrArray *
th_entries_list (ThEntries *entries, const char *const *mime_types)
{
  GPtrArray *list = g_ptr_array_new_with_free_func ((GDestroyNotify) th_entry_unref);

  for (guint i = 0; mime_types[i] != NULL; i++)
    {
      g_autoptr (GPtrArray) some = th_entries_find (entries, mime_types[i]);

      for (guint j = 0; j < some->len; j++)
        if (!g_ptr_array_find (list, some->pdata[j], NULL))
          g_ptr_array_add (list, th_entry_ref (some->pdata[j]));
    }
  return list;
}

gboolean
th_entries_serve (ThEntries *entries, const char *mime_type)
{
  gboolean served = FALSE;
  const GPtrArray *list;

  g_mutex_lock (&entries->lock);
  look (entries);
  list = recall (entries, mime_type);
  for (guint i = 0; i < list->len && !served; i++)
    served = th_entry_is_installed (list->pdata[i]);
  g_mutex_unlock (&entries->lock);
  return served;
}

static int
by_name (gconstpointer a, gconstpointer b, gpointer unused)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

char **
th_entries_types (ThEntries *entries)
{
  g_autoptr (GHashTable) types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GStrv sorted;
  guint n;

  g_mutex_lock (&entries->lock);
  look (entries);
  for (guint i = 0; i < entries->all->len; i++)
    {
      const ThEntry *entry = entries->all->pdata[i];

      for (guint j = 0; th_entry_is_installed (entry) && entry->types[j] != NULL; j++)
        g_hash_table_add (types, g_strdup (entry->types[j]));
    }
  g_mutex_unlock (&entries->lock);
  sorted = (GStrv) g_hash_table_get_keys_as_array (types, &n);
  g_hash_table_steal_all (types);
  g_qsort_with_data (sorted, (gint) n, sizeof *sorted, by_name, NULL);
  return sorted;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-watched.h"

#include <string.h>
#include <sys/stat.h>

/* How long what was seen is believed. */
#define FRESH_FOR (1 * G_USEC_PER_SEC)

struct _ThWatched
{
  char **folders;
  const char *const *endings;
  guint64 signature;
  gint64 looked_at; /* 0: never */
};

static char **
default_folders (void)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const char *const *dirs = g_get_system_data_dirs ();
  g_autofree char *own = g_build_filename (g_get_user_data_dir (), "thumbnailers", NULL);

  g_strv_builder_add (builder, own);
  for (guint i = 0; dirs[i] != NULL; i++)
    {
      g_autofree char *folder = g_build_filename (dirs[i], "thumbnailers", NULL);

      g_strv_builder_add (builder, folder);
    }
  return g_strv_builder_end (builder);
}

ThWatched *
th_watched_new (const char *const *folders, const char *const *endings)
{
  ThWatched *watched = g_new0 (ThWatched, 1);

  watched->folders = folders != NULL ? g_strdupv ((char **) folders) : default_folders ();
  watched->endings = endings;
  return watched;
}

void
th_watched_free (ThWatched *watched)
{
  g_strfreev (watched->folders);
  g_free (watched);
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static gboolean
counts (const ThWatched *watched, const char *name)
{
  for (guint i = 0; watched->endings[i] != NULL; i++)
    if (g_str_has_suffix (name, watched->endings[i]))
      return TRUE;
  return FALSE;
}

/* Sorted: what readdir says first is chance. */
static GPtrArray *
list_folder (const ThWatched *watched, const char *folder)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (counts (watched, name))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, by_text);
  return paths;
}

static GPtrArray *
list_all (const ThWatched *watched)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; watched->folders[i] != NULL; i++)
    {
      GPtrArray *some = list_folder (watched, watched->folders[i]);

      g_ptr_array_extend_and_steal (paths, some);
    }
  return paths;
}

static guint64
mix (guint64 hash, guint64 value)
{
  return (hash ^ value) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + (hash >> 29);
}

/* Changes whenever a file comes, goes or is written to. */
static guint64
sign (const GPtrArray *paths)
{
  guint64 hash = paths->len + 1;

  for (guint i = 0; i < paths->len; i++)
    {
      struct stat st = { 0 };

      hash = mix (hash, g_str_hash (paths->pdata[i]));
      if (stat (paths->pdata[i], &st) != 0)
        continue;
      hash = mix (hash, (guint64) st.st_ino);
      hash = mix (hash, (guint64) st.st_size);
      hash = mix (hash, (guint64) st.st_mtim.tv_sec);
      hash = mix (hash, (guint64) st.st_mtim.tv_nsec);
      hash = mix (hash, (guint64) st.st_ctim.tv_nsec);
    }
  return hash;
}

GPtrArray *
th_watched_changed (ThWatched *watched)
{
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GPtrArray) paths = NULL;
  gboolean first = watched->looked_at == 0;
  guint64 signature;

  if (!first && now - watched->looked_at < FRESH_FOR)
    return NULL;
  paths = list_all (watched);
  signature = sign (paths);
  watched->looked_at = now;
  if (!first && signature == watched->signature)
    return NULL;
  watched->signature = signature;
  return g_steal_pointer (&paths);
}

void
th_watched_expire (ThWatched *watched)
{
  if (watched->looked_at != 0)
    watched->looked_at = 1;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-types.h"

#include <gio/gio.h>
#include <unistd.h>

#include "base/th-open.h"

#define SNIFF_BYTES 4096u
#define MAX_CHAIN   32u
#define BLANK       "application/octet-stream"

/* Appends what the lines "TYPE WORD" of a file of the database say about a type. */
static void
add_words (GPtrArray *chain, const char *data_dir, const char *name, const char *type)
{
  g_autofree char *path = g_build_filename (data_dir, "mime", name, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (lines[i], " ", 3);

      if (g_strv_length (words) == 2 && g_str_equal (words[0], type)
          && !g_ptr_array_find_with_equal_func (chain, words[1], g_str_equal, NULL)
          && chain->len < MAX_CHAIN)
        g_ptr_array_add (chain, g_strdup (words[1]));
    }
}

static void
add_from_all (GPtrArray *chain, const char *name, const char *type)
{
  const char *const *dirs = g_get_system_data_dirs ();

  add_words (chain, g_get_user_data_dir (), name, type);
  for (guint i = 0; dirs[i] != NULL; i++)
    add_words (chain, dirs[i], name, type);
}

static void
add_implied (GPtrArray *chain, const char *type)
{
  if (!g_ptr_array_find_with_equal_func (chain, type, g_str_equal, NULL))
    g_ptr_array_add (chain, g_strdup (type));
}

GStrv
th_types_chain (const char *mime_type)
{
  GPtrArray *chain = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (chain, g_strdup (mime_type));
  for (guint i = 0; i < chain->len; i++)
    {
      g_autofree char *type = g_strdup (chain->pdata[i]);

      add_from_all (chain, "aliases", type);
      add_from_all (chain, "subclasses", type);
    }
  if (g_str_has_prefix (mime_type, "text/"))
    add_implied (chain, "text/plain");
  if (!g_str_has_prefix (mime_type, "inode/"))
    add_implied (chain, BLANK);
  g_ptr_array_add (chain, NULL);
  return (GStrv) g_ptr_array_free (chain, FALSE);
}

static char *
say_type (char *content_type)
{
  g_autofree char *own = content_type;
  g_autofree char *mime_type = g_content_type_get_mime_type (own);

  if (mime_type == NULL || g_str_equal (mime_type, BLANK))
    return NULL;
  return g_steal_pointer (&mime_type);
}

char *
th_types_by_name (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);

  return say_type (g_content_type_guess (name, NULL, 0, NULL));
}

char *
th_types_by_data (const char *path)
{
  guint8 head[SNIFF_BYTES];
  int fd = th_open_regular (path, NULL);
  gssize n;

  if (fd < 0)
    return NULL;
  n = pread (fd, head, sizeof head, 0);
  close (fd);
  return n > 0 ? say_type (g_content_type_guess (NULL, head, (gsize) n, NULL)) : NULL;
}

void
th_types_sniff (int fd, const char *path, char *types[2])
{
  const char *const names[] = { path, NULL };
  guint8 head[SNIFF_BYTES];
  gssize n = pread (fd, head, sizeof head, 0);

  types[0] = n > 0 ? NULL : th_types_by_name (path);
  types[1] = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (names) && n > 0; i++)
    {
      g_autofree char *guess = g_content_type_guess (names[i], head, (gsize) n, NULL);

      types[i] = g_content_type_get_mime_type (guess);
    }
}

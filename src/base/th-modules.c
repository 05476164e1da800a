/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-modules.h"

#include <string.h>

#define BUILTIN "builtin"

gboolean
th_modules_is_name (const char *text)
{
  return text[0] != '\0' && text[strspn (text, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0'
         && !g_str_equal (text, BUILTIN);
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
th_modules_list (const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *file;

  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (file, TH_MODULES_ENDING))
      {
        g_autofree char *name = g_strndup (file, strlen (file) - strlen (TH_MODULES_ENDING));

        if (th_modules_is_name (name))
          g_ptr_array_add (names, g_steal_pointer (&name));
      }
  g_ptr_array_sort (names, by_text);
  return names;
}

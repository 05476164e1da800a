/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who a failure is remembered of. */
#include "config.h"

#include "engine/th-check.h"

#include "base/th-paths.h"

char *
th_check_handler (const char *worker_path)
{
  g_autofree char *build = NULL;
  g_autofree char *name = NULL;
  ThStamp stamp;

  if (th_stamp_from_path (worker_path, &stamp, NULL, NULL))
    build = th_stamp_to_text (&stamp);
  name = g_path_get_basename (worker_path);
  return g_strdup_printf ("%s %s #%s", name, TH_VERSION, build != NULL ? build : "");
}

char *
th_check_handler_for (const ThCheckTools *tools, const char *mime_type)
{
  const char *module = th_mime_module (tools->mime, mime_type);
  g_autofree char *worker = NULL;

  if (module == NULL)
    return NULL;
  worker = th_paths_module (tools->module_dir, module);
  return th_check_handler (worker);
}

/* What was written down of a failure is void once one of them is another. */
char *
th_check_programs (ThEntries *entries, const char *mime_type)
{
  g_autoptr (GPtrArray) found = th_entries_find (entries, mime_type);
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GString) builds = g_string_new (" #");

  for (guint i = 0; i < found->len; i++)
    {
      const ThEntry *entry = found->pdata[i];
      g_autofree char *name = th_entry_program (entry);
      g_autofree char *path = g_find_program_in_path (entry->words[0]);
      g_autofree char *build = NULL;
      ThStamp stamp;

      if (path != NULL && th_stamp_from_path (path, &stamp, NULL, NULL))
        build = th_stamp_to_text (&stamp);
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", name);
      g_string_append_printf (builds, "%s;", build != NULL ? build : "");
      if (th_stamp_from_path (entry->path, &stamp, NULL, NULL))
        {
          g_autofree char *written = th_stamp_to_text (&stamp);

          g_string_append_printf (builds, "%s;", written);
        }
    }
  g_string_append (names, builds->str);
  return g_string_free (g_steal_pointer (&names), FALSE);
}

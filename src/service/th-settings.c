/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-settings.h"

#define GROUP        "service"
#define IDLE_KEY     "idle-seconds"
#define IDLE_DEFAULT 300u
#define IDLE_MAX     (7 * 24 * 3600)

/* An empty key file where there is none; NULL where there is one that cannot be parsed. */
static GKeyFile *
load_file (GError **error)
{
  g_autoptr (GPtrArray) folders = g_ptr_array_new ();
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) local = NULL;

  g_ptr_array_add (folders, (gpointer) g_get_user_config_dir ());
  for (const char *const *dir = g_get_system_config_dirs (); *dir != NULL; dir++)
    g_ptr_array_add (folders, (gpointer) *dir);
  g_ptr_array_add (folders, NULL);
  if (!g_key_file_load_from_dirs (file, "thimble/thimble.conf", (const char **) folders->pdata,
                                  NULL, G_KEY_FILE_NONE, &local)
      && !g_error_matches (local, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_NOT_FOUND))
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&local), "thimble.conf: ");
      return NULL;
    }
  return g_steal_pointer (&file);
}

gboolean
th_settings_load (ThSettings *settings, GError **error)
{
  g_autoptr (GKeyFile) file = NULL;
  g_autofree char *text = NULL;
  guint64 seconds;

  settings->idle_seconds = IDLE_DEFAULT;
  file = load_file (error);
  if (file == NULL)
    return FALSE;
  text = g_key_file_get_value (file, GROUP, IDLE_KEY, NULL);
  if (text == NULL)
    return TRUE;
  if (g_ascii_string_to_unsigned (text, 10, 0, IDLE_MAX, &seconds, NULL))
    settings->idle_seconds = (guint) seconds;
  else
    g_warning ("thimble.conf: [" GROUP "] " IDLE_KEY "=%s is not a number from 0 to %d; %u is used",
               text, IDLE_MAX, IDLE_DEFAULT);
  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-settings.h"

#include "engine/th-config.h"

#define GROUP        "service"
#define IDLE_KEY     "idle-seconds"
#define IDLE_DEFAULT 300u
#define IDLE_MAX     (7 * 24 * 3600)

gboolean
th_settings_load (ThSettings *settings, GError **error)
{
  g_autofree char *path = th_config_find ();
  g_autoptr (GKeyFile) file = NULL;
  g_autofree char *text = NULL;
  guint64 seconds;

  settings->idle_seconds = IDLE_DEFAULT;
  if (path == NULL)
    return TRUE;
  file = th_config_load (path, error);
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

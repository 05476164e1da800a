/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-entry-rules.h"

#include "engine/th-place.h"

/* TRUE where the list names anything, understood or not. */
static gboolean
read_places (GKeyFile *file, const char *group, const char *key, GPtrArray **places)
{
  g_auto (GStrv) list = g_key_file_get_string_list (file, group, key, NULL, NULL);
  gboolean any = FALSE;

  *places = g_ptr_array_new_with_free_func ((GDestroyNotify) th_place_free);
  for (guint i = 0; list != NULL && list[i] != NULL; i++)
    {
      const char *written = g_strstrip (list[i]);
      ThPlace *place = *written != '\0' ? th_place_new (written) : NULL;

      any = any || *written != '\0';
      if (place != NULL)
        g_ptr_array_add (*places, place);
    }
  return any;
}

void
th_entry_rules_read (ThEntryRules *rules, GKeyFile *file, const char *group)
{
  gint64 bytes = g_key_file_get_int64 (file, group, "MaxFileSize", NULL);

  *rules = (ThEntryRules){
    .disabled = g_key_file_get_boolean (file, group, "Disabled", NULL),
    .priority = g_key_file_get_integer (file, group, "Priority", NULL),
    .max_bytes = bytes > 0 ? (guint64) bytes : 0,
  };
  rules->restricted = read_places (file, group, "Locations", &rules->locations);
  read_places (file, group, "Excludes", &rules->excludes);
}

void
th_entry_rules_clear (ThEntryRules *rules)
{
  g_clear_pointer (&rules->locations, g_ptr_array_unref);
  g_clear_pointer (&rules->excludes, g_ptr_array_unref);
}

static gboolean
is_in_any (const char *path, const GPtrArray *places)
{
  for (guint i = 0; i < places->len; i++)
    if (th_place_holds (places->pdata[i], path))
      return TRUE;
  return FALSE;
}

gboolean
th_entry_rules_allow (const ThEntryRules *rules, const char *path, guint64 bytes)
{
  if (rules->disabled || (rules->max_bytes != 0 && bytes > rules->max_bytes)
      || is_in_any (path, rules->excludes))
    return FALSE;
  return !rules->restricted || is_in_any (path, rules->locations);
}

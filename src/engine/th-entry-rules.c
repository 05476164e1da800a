/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-entry-rules.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "cache/th-uri.h"

#define PASSWD_BYTES 4096

static char *
home_of (const char *user)
{
  char buffer[PASSWD_BYTES];
  struct passwd record;
  struct passwd *found = NULL;

  if (*user == '\0')
    return g_strdup (g_get_home_dir ());
  if (getpwnam_r (user, &record, buffer, sizeof buffer, &found) != 0 || found == NULL)
    return NULL;
  return g_strdup (found->pw_dir);
}

/* NULL: no such user. */
static char *
expand_home (const char *text)
{
  g_autofree char *user = NULL;
  g_autofree char *home = NULL;
  gsize n;

  if (*text != '~')
    return g_strdup (text);
  n = strcspn (text, "/");
  user = g_strndup (text + 1, n - 1);
  home = home_of (user);
  return home != NULL ? g_strconcat (home, text + n, NULL) : NULL;
}

/* The length of a variable's reference at text, 0: none. */
static gsize
variable_at (const char *text, char **name)
{
  gboolean braces = text[1] == '{';
  const char *start = text + (braces ? 2 : 1);
  gsize n = 0;

  while (g_ascii_isalnum (start[n]) || start[n] == '_')
    n++;
  if (n == 0 || (braces && start[n] != '}'))
    return 0;
  *name = g_strndup (start, n);
  return (gsize) (start - text) + n + (braces ? 1 : 0);
}

static char *
expand_variables (const char *text)
{
  GString *out = g_string_new (NULL);

  while (*text != '\0')
    {
      g_autofree char *name = NULL;
      gsize n = *text == '$' ? variable_at (text, &name) : 0;

      if (n == 0)
        g_string_append_c (out, *text);
      else
        g_string_append (out, g_getenv (name) != NULL ? g_getenv (name) : "");
      text += MAX (n, 1);
    }
  return g_string_free (out, FALSE);
}

char *
th_entry_rules_expand (const char *folder)
{
  g_autofree char *home = expand_home (folder);
  g_autofree char *text = home != NULL ? expand_variables (home) : NULL;
  g_autofree char *path = NULL;

  if (text != NULL && g_str_has_prefix (text, "file:"))
    path = th_uri_to_path (text, NULL);
  else
    path = g_steal_pointer (&text);
  if (path == NULL || !g_path_is_absolute (path))
    return NULL;
  return g_canonicalize_filename (path, "/");
}

static char **
read_folders (GKeyFile *file, const char *group, const char *key)
{
  g_auto (GStrv) list = g_key_file_get_string_list (file, group, key, NULL, NULL);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; list != NULL && list[i] != NULL; i++)
    {
      g_autofree char *path = th_entry_rules_expand (g_strstrip (list[i]));

      if (path != NULL)
        g_strv_builder_add (builder, path);
    }
  return g_strv_builder_end (builder);
}

void
th_entry_rules_read (ThEntryRules *rules, GKeyFile *file, const char *group)
{
  gint64 bytes = g_key_file_get_int64 (file, group, "MaxFileSize", NULL);

  *rules = (ThEntryRules){
    .disabled = g_key_file_get_boolean (file, group, "Disabled", NULL),
    .priority = g_key_file_get_integer (file, group, "Priority", NULL),
    .max_bytes = bytes > 0 ? (guint64) bytes : 0,
    .locations = read_folders (file, group, "Locations"),
    .excludes = read_folders (file, group, "Excludes"),
  };
}

void
th_entry_rules_clear (ThEntryRules *rules)
{
  g_clear_pointer (&rules->locations, g_strfreev);
  g_clear_pointer (&rules->excludes, g_strfreev);
}

static gboolean
is_below_any (const char *path, char **folders)
{
  for (guint i = 0; folders != NULL && folders[i] != NULL; i++)
    {
      gsize n = strlen (folders[i]);

      /* The root ends with its slash already. */
      if (n == 1 || (strncmp (path, folders[i], n) == 0 && path[n] == '/'))
        return TRUE;
    }
  return FALSE;
}

gboolean
th_entry_rules_allow (const ThEntryRules *rules, const char *path, guint64 bytes)
{
  if (rules->disabled || (rules->max_bytes != 0 && bytes > rules->max_bytes)
      || is_below_any (path, rules->excludes))
    return FALSE;
  return rules->locations == NULL || rules->locations[0] == NULL
         || is_below_any (path, rules->locations);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-entry.h"

#include <string.h>
#include <sys/stat.h>

#include "base/th-error.h"
#include "cache/th-uri.h"

#define GROUP       "Thumbnailer Entry"
#define RULES_GROUP "X-Tumbler Settings"
/* An entry is a few lines. */
#define MAX_BYTES (256 * 1024)

static gboolean
fail (GError **error, const char *text)
{
  g_set_error_literal (error, TH_ERROR, TH_ERROR_OTHER, text);
  return FALSE;
}

static gboolean
has_macro (char **words, const char *letters)
{
  for (guint i = 0; words[i] != NULL; i++)
    for (const char *at = words[i]; (at = strchr (at, '%')) != NULL && at[1] != '\0'; at += 2)
      if (strchr (letters, at[1]) != NULL)
        return TRUE;
  return FALSE;
}

static gboolean
read_command (ThEntry *entry, GKeyFile *file, GError **error)
{
  g_autofree char *command = g_key_file_get_string (file, GROUP, "Exec", error);

  if (command == NULL || !g_shell_parse_argv (command, NULL, &entry->words, error))
    return FALSE;
  if (!has_macro (entry->words, "ui"))
    return fail (error, "its Exec has neither %u nor %i");
  return has_macro (entry->words, "o") || fail (error, "its Exec has no %o");
}

/* Folders have no data that a thumbnail could show. */
static gboolean
is_usable_type (const char *type)
{
  const char *slash = strchr (type, '/');

  return slash != NULL && slash != type && slash[1] != '\0' && g_str_is_ascii (type)
         && strlen (type) < 256 && strpbrk (type, " \t\r\n*") == NULL
         && !g_str_has_prefix (type, "inode/");
}

static gboolean
read_types (ThEntry *entry, GKeyFile *file, GError **error)
{
  g_auto (GStrv) list = g_key_file_get_string_list (file, GROUP, "MimeType", NULL, error);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (list == NULL)
    return FALSE;
  for (guint i = 0; list[i] != NULL; i++)
    {
      g_autofree char *type = g_ascii_strdown (g_strstrip (list[i]), -1);

      if (is_usable_type (type))
        g_strv_builder_add (builder, type);
    }
  entry->types = g_strv_builder_end (builder);
  return entry->types[0] != NULL || fail (error, "it has no type of files");
}

static gboolean
load_file (GKeyFile *file, const char *path, GError **error)
{
  struct stat st;

  if (stat (path, &st) == 0 && (!S_ISREG (st.st_mode) || st.st_size > MAX_BYTES))
    return fail (error, "it is no small regular file");
  return g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, error);
}

static void
clear_entry (gpointer data)
{
  ThEntry *entry = data;

  g_free (entry->name);
  g_free (entry->path);
  g_free (entry->try_exec);
  g_strfreev (entry->words);
  g_strfreev (entry->types);
  th_entry_rules_clear (&entry->rules);
}

ThEntry *
th_entry_load (const char *path, GError **error)
{
  g_autoptr (ThEntry) entry = g_atomic_rc_box_new0 (ThEntry);
  g_autoptr (GKeyFile) file = g_key_file_new ();

  if (!load_file (file, path, error) || !read_command (entry, file, error)
      || !read_types (entry, file, error))
    return NULL;
  entry->path = g_strdup (path);
  entry->name = g_path_get_basename (path);
  entry->try_exec = g_key_file_get_string (file, GROUP, "TryExec", NULL);
  th_entry_rules_read (&entry->rules, file, RULES_GROUP);
  return g_steal_pointer (&entry);
}

ThEntry *
th_entry_ref (ThEntry *entry)
{
  return g_atomic_rc_box_acquire (entry);
}

void
th_entry_unref (ThEntry *entry)
{
  g_atomic_rc_box_release_full (entry, clear_entry);
}

static void
append_macro (GString *out, char letter, const ThEntryValues *values)
{
  g_autofree char *uri = NULL;

  switch (letter)
    {
    case 'u':
      uri = th_uri_from_path (values->input);
      g_string_append (out, uri);
      return;
    case 'i':
      g_string_append (out, values->input);
      return;
    case 'o':
      g_string_append (out, values->output);
      return;
    case 's':
      g_string_append_printf (out, "%u", values->size);
      return;
    case 'm':
    case '\0':
      return;
    default:
      g_string_append_c (out, letter);
    }
}

static char *
expand_word (const char *word, const ThEntryValues *values)
{
  GString *out = g_string_new (NULL);

  for (; *word != '\0'; word++)
    if (*word != '%')
      g_string_append_c (out, *word);
    else
      {
        append_macro (out, word[1], values);
        word += word[1] != '\0' ? 1 : 0;
      }
  return g_string_free (out, FALSE);
}

char **
th_entry_expand (const ThEntry *entry, const ThEntryValues *values)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; entry->words[i] != NULL; i++)
    {
      g_autofree char *word = expand_word (entry->words[i], values);

      if (!g_str_equal (entry->words[i], "%m"))
        g_strv_builder_add (builder, word);
    }
  return g_strv_builder_end (builder);
}

gboolean
th_entry_is_installed (const ThEntry *entry)
{
  g_autofree char *found = NULL;

  if (entry->try_exec == NULL || *entry->try_exec == '\0')
    return TRUE;
  found = g_find_program_in_path (entry->try_exec);
  return found != NULL;
}

char *
th_entry_program (const ThEntry *entry)
{
  g_autofree char *name = g_path_get_basename (entry->words[0]);

  return g_utf8_make_valid (name, -1);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-conf.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/th-open.h"

#define MAX_BYTES (1024u * 1024u)
#define BOM       "\xef\xbb\xbf"

struct _ThConf
{
  GKeyFile *keys;
  GHashTable *where; /* "group", "group\nkey" → "FILE:LINE" */
  GPtrArray *files;
  GPtrArray *problems;
  char *fault;
};

/* Where in which text. */
typedef struct
{
  ThConf *conf;
  const char *name;
  guint line;
  char *group;     /* NULL: before the first */
  gboolean astray; /* behind a heading that makes no sense */
} Cursor;

ThConf *
th_conf_new (void)
{
  ThConf *conf = g_new0 (ThConf, 1);

  conf->keys = g_key_file_new ();
  conf->where = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  conf->files = g_ptr_array_new_with_free_func (g_free);
  conf->problems = g_ptr_array_new_with_free_func (g_free);
  return conf;
}

void
th_conf_free (ThConf *conf)
{
  g_key_file_unref (conf->keys);
  g_hash_table_unref (conf->where);
  g_ptr_array_unref (conf->files);
  g_ptr_array_unref (conf->problems);
  g_free (conf->fault);
  g_free (conf);
}

static void
add_fault (ThConf *conf, char *problem)
{
  if (conf->fault == NULL)
    conf->fault = g_strdup (problem);
  g_ptr_array_add (conf->problems, problem);
}

static char *
place_of (const Cursor *at)
{
  return at->name != NULL ? g_strdup_printf ("%s:%u", at->name, at->line) : NULL;
}

static void
fault_here (const Cursor *at, const char *what)
{
  g_autofree char *place = place_of (at);

  add_fault (at->conf, g_strdup_printf ("%s%s%s", place != NULL ? place : "",
                                        place != NULL ? ": " : "", what));
}

static void
note_place (const Cursor *at, const char *key)
{
  g_autofree char *id = key != NULL ? g_strconcat (at->group, "\n", key, NULL) : NULL;
  char *place = place_of (at);

  if (place != NULL)
    g_hash_table_replace (at->conf->where,
                          id != NULL ? g_steal_pointer (&id) : g_strdup (at->group), place);
}

/* line begins with a bracket. */
static void
take_heading (Cursor *at, const char *line)
{
  const char *end = strchr (line, ']');

  at->astray = end == NULL || end[1] != '\0' || end == line + 1;
  if (at->astray)
    {
      fault_here (at,
                  "this is no heading of a group, as [rules] is; what follows it does not count");
      return;
    }
  g_free (at->group);
  at->group = g_strndup (line + 1, (gsize) (end - line - 1));
  note_place (at, NULL);
}

static void
take_line (Cursor *at, char *line)
{
  char *equals = strchr (line, '=');

  if (line[0] == '\0' || line[0] == '#')
    return;
  if (line[0] == '[')
    take_heading (at, line);
  else if (equals == NULL || equals == line)
    fault_here (at, "this line is neither “key=value” nor the heading of a group");
  else if (at->group == NULL && !at->astray)
    fault_here (at, "this key stands before the first heading of a group");
  else if (!at->astray)
    {
      *equals = '\0';
      g_strchomp (line);
      g_key_file_set_value (at->conf->keys, at->group, line, g_strchug (equals + 1));
      note_place (at, line);
    }
}

void
th_conf_add_text (ThConf *conf, const char *name, const char *text)
{
  Cursor at = { .conf = conf, .name = name };
  g_auto (GStrv) lines =
      g_strsplit (g_str_has_prefix (text, BOM) ? text + strlen (BOM) : text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      at.line = i + 1;
      if (g_utf8_validate (lines[i], -1, NULL))
        take_line (&at, g_strstrip (lines[i]));
      else
        fault_here (&at, "this line is not in UTF-8");
    }
  g_free (at.group);
}

static char *
read_all (int fd, GError **error)
{
  g_autofree char *text = g_malloc (MAX_BYTES + 1);
  gsize length = 0;

  for (;;)
    {
      gssize n = read (fd, text + length, MAX_BYTES + 1 - length);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s",
                     g_strerror (errno));
      if (n < 0)
        return NULL;
      length += (gsize) n;
      if (n == 0 || length > MAX_BYTES)
        break;
    }
  if (length <= MAX_BYTES && memchr (text, '\0', length) == NULL)
    return g_strndup (text, length);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "this is no text of at most %u bytes",
               MAX_BYTES);
  return NULL;
}

void
th_conf_add_file (ThConf *conf, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_filename_display_name (path);
  g_autofree char *text = NULL;
  struct stat st;
  int fd;

  if (stat (path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return;
  g_ptr_array_add (conf->files, g_strdup (name));
  fd = th_open_regular (path, &error);
  if (fd >= 0)
    {
      text = read_all (fd, &error);
      close (fd);
    }
  if (text != NULL)
    th_conf_add_text (conf, name, text);
  else
    add_fault (conf, g_strdup_printf ("%s: %s", name, error->message));
}

const char *
th_conf_fault (const ThConf *conf)
{
  return conf->fault;
}

const GPtrArray *
th_conf_files (const ThConf *conf)
{
  return conf->files;
}

GKeyFile *
th_conf_keys (const ThConf *conf)
{
  return conf->keys;
}

const char *
th_conf_where (const ThConf *conf, const char *group, const char *key)
{
  g_autofree char *id = g_strjoin (key != NULL ? "\n" : NULL, group, key, NULL);

  return g_hash_table_lookup (conf->where, id);
}

void
th_conf_complain (ThConf *conf, const char *group, const char *key, const char *format, ...)
{
  const char *where = th_conf_where (conf, group, key);
  g_autofree char *what = NULL;
  va_list arguments;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_ptr_array_add (conf->problems,
                   g_strdup_printf ("%s%s[%s]%s%s: %s", where != NULL ? where : "",
                                    where != NULL ? ": " : "", group, key != NULL ? " " : "",
                                    key != NULL ? key : "", what));
}

GPtrArray *
th_conf_problems (const ThConf *conf)
{
  return conf->problems;
}

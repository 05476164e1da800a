/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-json.h"

#include <string.h>

struct _ThJson
{
  GString *text;
  GString *closers; /* of what is open, the innermost last */
  gboolean first;   /* nothing stands in the innermost one */
};

ThJson *
th_json_new (void)
{
  ThJson *json = g_new (ThJson, 1);

  *json = (ThJson){ g_string_new (NULL), g_string_new (NULL), TRUE };
  return json;
}

void
th_json_free (ThJson *json)
{
  g_string_free (json->text, TRUE);
  g_string_free (json->closers, TRUE);
  g_free (json);
}

const char *
th_json_text (const ThJson *json)
{
  return json->text->str;
}

static void
append_ascii (GString *out, char c)
{
  static const char plain[] = "\"\\\b\f\n\r\t";
  static const char escaped[] = "\"\\bfnrt";
  const char *special = c != '\0' ? strchr (plain, c) : NULL;

  if (special != NULL)
    g_string_append_printf (out, "\\%c", escaped[special - plain]);
  else if (g_ascii_iscntrl (c))
    g_string_append_printf (out, "\\u%04x", (guint) (guchar) c);
  else
    g_string_append_c (out, c);
}

static void
append_string (GString *out, const char *value)
{
  g_string_append_c (out, '"');
  for (const char *at = value; *at != '\0';)
    {
      gunichar c = g_utf8_get_char_validated (at, -1);

      if (c == (gunichar) -1 || c == (gunichar) -2)
        g_string_append_printf (out, "\\\\x%02x", (guint) (guchar) *at++);
      else if (c < 0x80)
        append_ascii (out, *at++);
      else
        {
          g_string_append_unichar (out, c);
          at = g_utf8_next_char (at);
        }
    }
  g_string_append_c (out, '"');
}

static void
begin_value (ThJson *json, const char *key)
{
  if (!json->first)
    g_string_append_c (json->text, ',');
  json->first = FALSE;
  if (key == NULL)
    return;
  append_string (json->text, key);
  g_string_append_c (json->text, ':');
}

static void
begin (ThJson *json, const char *key, char opener, char closer)
{
  begin_value (json, key);
  g_string_append_c (json->text, opener);
  g_string_append_c (json->closers, closer);
  json->first = TRUE;
}

void
th_json_begin_object (ThJson *json, const char *key)
{
  begin (json, key, '{', '}');
}

void
th_json_begin_array (ThJson *json, const char *key)
{
  begin (json, key, '[', ']');
}

void
th_json_end (ThJson *json)
{
  gsize last;

  g_return_if_fail (json->closers->len > 0);
  last = json->closers->len - 1;
  g_string_append_c (json->text, json->closers->str[last]);
  g_string_truncate (json->closers, last);
  json->first = FALSE;
}

void
th_json_null (ThJson *json, const char *key)
{
  begin_value (json, key);
  g_string_append (json->text, "null");
}

void
th_json_string (ThJson *json, const char *key, const char *value)
{
  if (value == NULL)
    {
      th_json_null (json, key);
      return;
    }
  begin_value (json, key);
  append_string (json->text, value);
}

void
th_json_integer (ThJson *json, const char *key, gint64 value)
{
  begin_value (json, key);
  g_string_append_printf (json->text, "%" G_GINT64_FORMAT, value);
}

void
th_json_size (ThJson *json, const char *key, guint64 value)
{
  begin_value (json, key);
  g_string_append_printf (json->text, "%" G_GUINT64_FORMAT, value);
}

void
th_json_boolean (ThJson *json, const char *key, gboolean value)
{
  begin_value (json, key);
  g_string_append (json->text, value ? "true" : "false");
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-text.h"

#include <string.h>

/* What turns the direction of the rest of the line, or ends it. */
static gboolean
is_turning (gunichar c)
{
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e)
         || (c >= 0x2066 && c <= 0x2069);
}

char *
th_text_for_people (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *out = g_string_new (NULL);

  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      if (g_unichar_iscntrl (c))
        g_string_append_printf (out, "\\x%02x", c);
      else if (is_turning (c))
        g_string_append_printf (out, "\\u%04x", c);
      else
        g_string_append_unichar (out, c);
    }
  return g_string_free (out, FALSE);
}

char *
th_text_for_field (const char *text)
{
  static const char plain[] = "\\\t\r\n";
  static const char escaped[] = "\\trn";
  GString *out = g_string_new (NULL);

  for (const char *at = text; *at != '\0'; at++)
    {
      const char *special = strchr (plain, *at);

      if (special != NULL)
        g_string_append_printf (out, "\\%c", escaped[special - plain]);
      else if (g_ascii_iscntrl (*at))
        g_string_append_printf (out, "\\%03o", (guint) *at);
      else
        g_string_append_c (out, *at);
    }
  return g_string_free (out, FALSE);
}

char *
th_text_about (const char *message, const char *uri, const char *path)
{
  g_autofree char *by_uri = g_strdup_printf ("“%s”: ", uri);
  g_autofree char *by_path = g_strdup_printf ("%s: ", path != NULL ? path : uri);
  const char *found = strstr (message, by_uri);

  if (found == NULL)
    return g_strdup (message);
  found += strlen (by_uri);
  if (g_str_has_prefix (found, by_path))
    found += strlen (by_path);
  return g_strndup (found, strcspn (found, "\n"));
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-message.h"

#include <gio/gio.h>
#include <string.h>

/* A URI is as long as its client likes, and is in the event anyway. */
#define SHOWN_BYTES 2048u

ThError
th_message_code (const GError *error)
{
  if (error->domain == TH_ERROR && error->code >= 0 && error->code <= TH_ERROR_OTHER)
    return (ThError) error->code;
  return TH_ERROR_OTHER;
}

/* Names of files are bytes. */
static char *
shown (const char *text)
{
  g_autofree char *valid = NULL;
  gsize length = strlen (text);

  if (length <= SHOWN_BYTES)
    return g_utf8_make_valid (text, (gssize) length);
  /* Not in the middle of a character: back over its continuation bytes. */
  for (length = SHOWN_BYTES; length > 0 && ((guint8) text[length] & 0xc0) == 0x80;)
    length--;
  valid = g_utf8_make_valid (text, (gssize) length);
  return g_strconcat (valid, "…", NULL);
}

char *
th_message_text (const char *uri, const GError *error)
{
  g_autofree char *said = shown (error->message);
  g_autofree char *name = shown (uri);
  GQuark domain = error->domain;
  int code = error->code;

  if (th_message_code (error) != TH_ERROR_OTHER)
    return g_strdup_printf ("“%s”: %s", name, said);
  if (domain == G_FILE_ERROR)
    {
      code = g_io_error_from_file_error ((GFileError) code);
      domain = G_IO_ERROR;
    }
  return g_strdup_printf ("(domain %s, code %d) “%s”: %s", g_quark_to_string (domain), code, name,
                          said);
}

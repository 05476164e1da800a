/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-message.h"

#include <gio/gio.h>

ThError
th_message_code (const GError *error)
{
  if (error->domain == TH_ERROR && error->code >= 0 && error->code <= TH_ERROR_OTHER)
    return (ThError) error->code;
  return TH_ERROR_OTHER;
}

char *
th_message_text (const char *uri, const GError *error)
{
  /* Names of files are bytes. */
  g_autofree char *said = g_utf8_make_valid (error->message, -1);
  g_autofree char *name = g_utf8_make_valid (uri, -1);
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/tiff-client.h"

#include <stdio.h>

/* Read only, not mapped, strips as they are, and of their lists only what is asked for. */
#define MODE "rmcO"

static tmsize_t
read_bytes (thandle_t handle, void *buffer, tmsize_t size)
{
  ThTiffClient *client = handle;
  gssize got;

  if (size < 0)
    return -1;
  got = th_input_read (client->input, client->position, buffer, (gsize) size);
  if (got > 0)
    th_tiff_overlay_apply (&client->overlay, client->position, buffer, (gsize) got);
  client->position += (guint64) MAX (got, 0);
  return got;
}

static tmsize_t
write_nothing (thandle_t handle, void *buffer, tmsize_t size)
{
  return -1;
}

static toff_t
seek_to (thandle_t handle, toff_t offset, int whence)
{
  ThTiffClient *client = handle;
  guint64 base = 0;

  if (whence == SEEK_CUR)
    base = client->position;
  else if (whence == SEEK_END)
    base = th_input_size (client->input);
  /* libtiff seeks forward and from the start only; a sum that wraps is its own check's matter. */
  client->position = base + offset;
  return client->position;
}

static int
close_nothing (thandle_t handle)
{
  return 0;
}

static toff_t
size_of (thandle_t handle)
{
  const ThTiffClient *client = handle;

  return th_input_size (client->input);
}

G_GNUC_PRINTF (4, 0)
static int
keep_error (TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
  ThTiffClient *client = user;
  g_autofree char *valid = NULL;

  if (client->text[0] == '\0')
    {
      (void) vsnprintf (client->text, sizeof client->text, format, arguments);
      valid = g_utf8_make_valid (client->text, -1);
      g_strlcpy (client->text, valid, sizeof client->text);
    }
  return 1;
}

static int
drop_warning (TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
  return 1;
}

static TIFF *
open_library (ThTiffClient *client, guint64 max_bytes)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();
  TIFF *tiff;

  if (options == NULL)
    return NULL;
  TIFFOpenOptionsSetMaxSingleMemAlloc (options, (tmsize_t) MIN (max_bytes, G_MAXSSIZE));
  TIFFOpenOptionsSetErrorHandlerExtR (options, keep_error, client);
  TIFFOpenOptionsSetWarningHandlerExtR (options, drop_warning, client);
  tiff = TIFFClientOpenExt ("TIFF", MODE, client, read_bytes, write_nothing, seek_to, close_nothing,
                            size_of, NULL, NULL, options);
  TIFFOpenOptionsFree (options);
  return tiff;
}

gboolean
th_tiff_client_open (ThTiffClient *client, ThInput *input, guint64 directory, guint64 max_bytes)
{
  *client = (ThTiffClient){ .input = input };
  if (!th_tiff_overlay_init (&client->overlay, input, directory))
    return FALSE;
  client->tiff = open_library (client, max_bytes);
  if (client->tiff == NULL)
    return FALSE;
  /* It complained of what it can do without. */
  client->text[0] = '\0';
  return TRUE;
}

void
th_tiff_client_close (ThTiffClient *client)
{
  g_clear_pointer (&client->tiff, TIFFClose);
  th_tiff_overlay_clear (&client->overlay);
}

ThStatus
th_tiff_client_failure (const ThTiffClient *client, GError **error)
{
  const ThStatus status = th_input_failed (client->input) ? TH_STATUS_IO : TH_STATUS_CORRUPT;
  const char *text = th_status_describe (status);

  if (status == TH_STATUS_CORRUPT && client->text[0] != '\0')
    text = client->text;
  g_set_error (error, TH_ERROR, th_status_to_error (status), "TIFF: %s", text);
  return status;
}

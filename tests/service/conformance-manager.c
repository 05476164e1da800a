/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Manager1 and specialised thumbnailers. */
#include "config.h"

#include <glib/gstdio.h>

#include "conformance.h"
#include "specialist.h"

#define NAME "org.thimble.Conformance"
/* In place of an answer. */
#define CRASHED "the service is gone"
/* How long a description file may take to be noticed. */
#define NOTICE (10 * G_USEC_PER_SEC)

/* The bus's name of the error, or what becomes of a file afterwards. */
static char *
register_and_ask (Conformance *conformance, GVariant *parameters)
{
  Specialist *special = specialist_new (conformance->bus, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      special->connection, MANAGER, "/org/freedesktop/thumbnails/Manager1", MANAGER, "Register",
      parameters, NULL, G_DBUS_CALL_FLAGS_NONE, 60000, NULL, &error);
  char *seen;

  if (reply == NULL)
    seen = g_dbus_error_get_remote_error (error);
  else
    {
      g_autofree char *uri = special_uri (conformance->bus, "ready");

      seen = conformance_ask (conformance, uri, TYPE, "normal");
    }
  specialist_free (special);
  return seen;
}

static char *
see_lists (Conformance *conformance)
{
  static const char *const schemes[] = { "file", NULL };
  static const char *const types[] = { TYPE, NULL };

  return register_and_ask (conformance, g_variant_new ("(^as^as)", schemes, types));
}

static char *
see_strings (Conformance *conformance)
{
  return register_and_ask (conformance, g_variant_new ("(ss)", "file", TYPE));
}

/* *gone: it does not answer any more. */
static gboolean
is_supported (Conformance *conformance, gboolean *gone)
{
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      conformance->client->connection, TEST_NAME, "/org/freedesktop/thumbnails/Thumbnailer1",
      TEST_NAME, "GetSupported", NULL, G_VARIANT_TYPE ("(asas)"), G_DBUS_CALL_FLAGS_NONE, 60000,
      NULL, NULL);
  g_autofree const char **types = NULL;

  *gone = reply == NULL;
  if (reply == NULL)
    return FALSE;
  g_variant_get (reply, "(as^a&s)", NULL, &types);
  return g_strv_contains (types, TYPE);
}

/* TRUE once the service knows of it; FALSE where that was its end. */
static gboolean
describe (Conformance *conformance)
{
  g_autofree char *folder = g_build_filename (g_getenv ("XDG_DATA_HOME"), "thumbnailers", NULL);
  g_autofree char *path = g_build_filename (folder, "conformance.service", NULL);
  gint64 end = g_get_monotonic_time () + NOTICE;
  gboolean gone = FALSE;

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (path,
                                      "[Specialized Thumbnailer]\nName=" NAME "\nObjectPath=" OBJECT
                                      "\nMimeTypes=" TYPE ";\n",
                                      -1, NULL));
  while (!is_supported (conformance, &gone) && !gone && g_get_monotonic_time () < end)
    g_usleep (50000);
  return !gone;
}

/* What it is asked by the name of its file. */
static char *
see_described (Conformance *conformance, const char *file)
{
  Specialist *special = specialist_new (conformance->bus, NAME);
  g_autofree char *uri = special_uri (conformance->bus, file);
  char *seen = describe (conformance) ? conformance_ask (conformance, uri, TYPE, "normal")
                                      : g_strdup (CRASHED);

  specialist_free (special);
  return seen;
}

static char *
see_described_ready (Conformance *conformance)
{
  return see_described (conformance, "ready");
}

static char *
see_described_error (Conformance *conformance)
{
  return see_described (conformance, "error");
}

static char *
see_described_lie (Conformance *conformance)
{
  return see_described (conformance, "lie");
}

/* Nobody owns the name. */
static char *
see_described_gone (Conformance *conformance)
{
  g_autofree char *uri = special_uri (conformance->bus, "ready");

  return describe (conformance) ? conformance_ask (conformance, uri, TYPE, "normal")
                                : g_strdup (CRASHED);
}

const ConformanceCase conformance_manager[] = {
  { "register-lists", see_lists, "Ready(ready)", "org.freedesktop.DBus.Error.InvalidArgs" },
  { "register-strings", see_strings, "Ready(ready)", "org.freedesktop.DBus.Error.NoReply" },
  { "described", see_described_ready, "Ready(ready)", CONFORMANCE_VARIES },
  { "described-error", see_described_error, "Error 2(error)", CONFORMANCE_VARIES },
  { "described-lie", see_described_lie, "Error 8(lie)", CONFORMANCE_VARIES },
  { "described-gone", see_described_gone, "Error 1(ready)", CONFORMANCE_VARIES },
  { NULL, NULL, NULL, NULL },
};

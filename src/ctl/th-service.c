/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-service.h"

#define NAME        "org.freedesktop.thumbnails.Thumbnailer1"
#define INTERFACE   "org.freedesktop.thumbnails.thimble.Service1"
#define OBJECT_PATH "/org/freedesktop/thumbnails/thimble/Service1"
#define PATIENCE_MS 5000

static const struct
{
  const char *word;
  const char *text;
} answers[] = {
  [TH_SERVICE_NO_BUS] = { "no-bus", "There is no session bus here." },
  [TH_SERVICE_NOBODY] = { "not-running", "No service runs at the moment." },
  [TH_SERVICE_FOREIGN] = { "foreign",
                           "The service that runs is not thimble's, or of another version." },
  [TH_SERVICE_SILENT] = { "silent", "The service does not answer." },
  [TH_SERVICE_TOLD] = { "running", "The service runs." },
};

/* What else an error may mean than that nobody answered in time. */
static const struct
{
  GDBusError code;
  ThServiceAnswer answer;
} refusals[] = {
  { G_DBUS_ERROR_NAME_HAS_NO_OWNER, TH_SERVICE_NOBODY },
  { G_DBUS_ERROR_SERVICE_UNKNOWN, TH_SERVICE_NOBODY },
  { G_DBUS_ERROR_UNKNOWN_METHOD, TH_SERVICE_FOREIGN },
  { G_DBUS_ERROR_UNKNOWN_INTERFACE, TH_SERVICE_FOREIGN },
  { G_DBUS_ERROR_UNKNOWN_OBJECT, TH_SERVICE_FOREIGN },
  { G_DBUS_ERROR_INVALID_ARGS, TH_SERVICE_FOREIGN },
  { G_DBUS_ERROR_ACCESS_DENIED, TH_SERVICE_FOREIGN },
};

static ThServiceAnswer
understand (const GError *error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    if (g_error_matches (error, G_DBUS_ERROR, (int) refusals[i].code))
      return refusals[i].answer;
  /* As GIO calls a reply of another type. */
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT))
    return TH_SERVICE_FOREIGN;
  return TH_SERVICE_SILENT;
}

static ThServiceAnswer
ask (GDBusConnection *bus, const char *method, const char *type, GVariant **told)
{
  g_autoptr (GVariant) reply = NULL;
  g_autoptr (GError) error = NULL;

  *told = NULL;
  if (bus == NULL)
    return TH_SERVICE_NO_BUS;
  reply = g_dbus_connection_call_sync (bus, NAME, OBJECT_PATH, INTERFACE, method, NULL,
                                       G_VARIANT_TYPE (type), G_DBUS_CALL_FLAGS_NO_AUTO_START,
                                       PATIENCE_MS, NULL, &error);
  if (reply == NULL)
    return understand (error);
  *told = g_variant_get_child_value (reply, 0);
  return TH_SERVICE_TOLD;
}

ThServiceAnswer
th_service_status (GDBusConnection *bus, GVariant **status)
{
  return ask (bus, "GetStatus", "(a{sv})", status);
}

ThServiceAnswer
th_service_specialists (GDBusConnection *bus, GVariant **specialists)
{
  return ask (bus, "GetSpecialists", "(a(ssss))", specialists);
}

const char *
th_service_word (ThServiceAnswer answer)
{
  return answers[answer].word;
}

const char *
th_service_describe (ThServiceAnswer answer)
{
  return answers[answer].text;
}

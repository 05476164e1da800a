/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-names.h"

#define BUS "org.freedesktop.DBus"

/* Of the D-Bus specification, RequestName. */
#define REPLACE_EXISTING 0x2u
#define DO_NOT_QUEUE     0x4u
#define PRIMARY_OWNER    1u
#define ALREADY_OWNER    4u

/* The bus itself answers these, at once; one that does not is no longer worth waiting for. */
#define BUS_TIMEOUT_MS 5000

struct _ThNames
{
  GDBusConnection *connection;
  const char *const *names;
  ThNamesEvents events;
  gpointer data;
  GCancellable *cancellable;
  guint subscription;
  guint next; /* of the chain of requests or releases that is under way */
  gboolean releasing;
};

static void step (ThNames *names);

static void
on_name_lost (GDBusConnection *connection, const char *sender, const char *path,
              const char *interface, const char *signal, GVariant *parameters, gpointer data)
{
  ThNames *names = data;
  const char *name = NULL;

  if (names->releasing || !g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(s)")))
    return;
  g_variant_get (parameters, "(&s)", &name);
  if (g_strv_contains (names->names, name))
    names->events.lost (name, NULL, names->data);
}

static gboolean
is_ours (GVariant *reply)
{
  guint32 result = 0;

  g_variant_get (reply, "(u)", &result);
  return result == PRIMARY_OWNER || result == ALREADY_OWNER;
}

static void
on_reply (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply =
      g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  ThNames *names = data;
  const char *name;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  name = names->names[names->next++];
  if (!names->releasing && (reply == NULL || !is_ours (reply)))
    names->events.lost (name, error, names->data);
  else
    step (names);
}

/* The names go one by one, so that whoever sees the last one sees all. */
static void
step (ThNames *names)
{
  const char *name = names->names[names->next];
  GVariant *arguments;

  if (name == NULL)
    {
      if (names->releasing)
        names->events.released (names->data);
      return;
    }
  arguments = names->releasing ? g_variant_new ("(s)", name)
                               : g_variant_new ("(su)", name, REPLACE_EXISTING | DO_NOT_QUEUE);
  g_dbus_connection_call (names->connection, BUS, "/org/freedesktop/DBus", BUS,
                          names->releasing ? "ReleaseName" : "RequestName", arguments,
                          G_VARIANT_TYPE ("(u)"), G_DBUS_CALL_FLAGS_NONE, BUS_TIMEOUT_MS,
                          names->cancellable, on_reply, names);
}

static void
begin (ThNames *names, gboolean releasing)
{
  g_cancellable_cancel (names->cancellable);
  g_object_unref (names->cancellable);
  names->cancellable = g_cancellable_new ();
  names->releasing = releasing;
  names->next = 0;
  step (names);
}

ThNames *
th_names_new (GDBusConnection *connection, const char *const *list, const ThNamesEvents *events,
              gpointer data)
{
  ThNames *names = g_new0 (ThNames, 1);

  names->connection = g_object_ref (connection);
  names->names = list;
  names->events = *events;
  names->data = data;
  names->cancellable = g_cancellable_new ();
  names->subscription = g_dbus_connection_signal_subscribe (
      connection, BUS, BUS, "NameLost", "/org/freedesktop/DBus", NULL, G_DBUS_SIGNAL_FLAGS_NONE,
      on_name_lost, names, NULL);
  return names;
}

void
th_names_free (ThNames *names)
{
  g_cancellable_cancel (names->cancellable);
  g_object_unref (names->cancellable);
  g_dbus_connection_signal_unsubscribe (names->connection, names->subscription);
  g_object_unref (names->connection);
  g_free (names);
}

void
th_names_request (ThNames *names)
{
  begin (names, FALSE);
}

void
th_names_release (ThNames *names)
{
  begin (names, TRUE);
}

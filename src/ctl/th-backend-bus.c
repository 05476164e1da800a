/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-backend.h"

#include <gio/gio.h>

#define NAME        "org.freedesktop.thumbnails.Thumbnailer1"
#define OBJECT_PATH "/org/freedesktop/thumbnails/Thumbnailer1"
#define BUS         "org.freedesktop.DBus"
#define BUS_PATH    "/org/freedesktop/DBus"
#define PATIENCE_MS 2000

typedef struct
{
  ThBackend base;
  GDBusConnection *connection;
  GCancellable *cancellable;
  guint signals;
  guint owner_changes;
  guint last;            /* ticket */
  guint calls;           /* of Queue, whose reply has not come */
  gboolean closing;      /* no more events */
  GHashTable *by_handle; /* handle → ticket, of requests whose reply has come */
} Bus;

/* One call of Queue that is under way. */
typedef struct
{
  Bus *bus;
  guint ticket;
} Call;

static GVariant *
ask_bus (GDBusConnection *connection, const char *method, GVariant *arguments, const char *type)
{
  return g_dbus_connection_call_sync (connection, BUS, BUS_PATH, BUS, method, arguments,
                                      G_VARIANT_TYPE (type), G_DBUS_CALL_FLAGS_NONE, -1, NULL,
                                      NULL);
}

static gboolean
is_owned (GDBusConnection *connection)
{
  g_autoptr (GVariant) reply =
      ask_bus (connection, "NameHasOwner", g_variant_new ("(s)", NAME), "(b)");
  gboolean owned = FALSE;

  if (reply != NULL)
    g_variant_get (reply, "(b)", &owned);
  return owned;
}

static gboolean
is_activatable (GDBusConnection *connection)
{
  g_autoptr (GVariant) reply = ask_bus (connection, "ListActivatableNames", NULL, "(as)");
  g_autofree const char **names = NULL;

  if (reply == NULL)
    return FALSE;
  g_variant_get (reply, "(^a&s)", &names);
  return g_strv_contains (names, NAME);
}

/* The tickets are taken off first: their events may queue again. */
static void
lose_all (Bus *bus, const char *why)
{
  g_autoptr (GHashTable) lost = g_steal_pointer (&bus->by_handle);
  GHashTableIter iter;
  gpointer ticket;

  bus->by_handle = g_hash_table_new (NULL, NULL);
  g_hash_table_iter_init (&iter, lost);
  while (g_hash_table_iter_next (&iter, NULL, &ticket))
    bus->base.events.lost (GPOINTER_TO_UINT (ticket), why, bus->base.data);
}

/* Calls whose reply has not come are told by their own failure. */
static void
on_owner_changed (GDBusConnection *connection, const char *sender, const char *path,
                  const char *interface, const char *signal, GVariant *parameters, gpointer data)
{
  const char *old = "";

  if (!g_variant_is_of_type (parameters, G_VARIANT_TYPE ("(sss)")))
    return;
  g_variant_get (parameters, "(&s&s&s)", NULL, &old, NULL);
  if (old[0] != '\0')
    lose_all (data, "the service went away");
}

static void
on_closed (GDBusConnection *connection, gboolean vanished, GError *error, gpointer data)
{
  lose_all (data, "the session bus went away");
}

typedef void (*OnSignal) (Bus *bus, guint ticket, GVariant *parameters);

static void
on_ready (Bus *bus, guint ticket, GVariant *parameters)
{
  g_autofree const char **uris = NULL;

  g_variant_get (parameters, "(u^a&s)", NULL, &uris);
  bus->base.events.ready (ticket, uris, bus->base.data);
}

static void
on_error (Bus *bus, guint ticket, GVariant *parameters)
{
  g_autofree const char **uris = NULL;
  const char *message = NULL;
  gint32 code = 0;

  g_variant_get (parameters, "(u^a&si&s)", NULL, &uris, &code, &message);
  bus->base.events.error (ticket, uris, (ThError) code, message, bus->base.data);
}

static void
on_finished (Bus *bus, guint ticket, GVariant *parameters)
{
  guint32 handle = 0;

  g_variant_get (parameters, "(u)", &handle);
  g_hash_table_remove (bus->by_handle, GUINT_TO_POINTER (handle));
  bus->base.events.finished (ticket, bus->base.data);
}

static const struct
{
  const char *name;
  const char *type;
  OnSignal handler;
} signals[] = {
  { "Ready", "(uas)", on_ready },
  { "Error", "(uasis)", on_error },
  { "Finished", "(u)", on_finished },
};

static void
on_signal (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
           const char *signal, GVariant *parameters, gpointer data)
{
  Bus *bus = data;

  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      gpointer ticket = NULL;
      guint32 handle = 0;

      if (!g_str_equal (signal, signals[i].name)
          || !g_variant_is_of_type (parameters, G_VARIANT_TYPE (signals[i].type)))
        continue;
      g_variant_get_child (parameters, 0, "u", &handle);
      ticket = g_hash_table_lookup (bus->by_handle, GUINT_TO_POINTER (handle));
      if (ticket != NULL)
        signals[i].handler (bus, GPOINTER_TO_UINT (ticket), parameters);
      return;
    }
}

static void
on_queued (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Call *call = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply =
      g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  guint32 handle = 0;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  call->bus->calls--;
  if (reply == NULL && call->bus->closing)
    return;
  if (reply == NULL)
    {
      g_dbus_error_strip_remote_error (error);
      call->bus->base.events.lost (call->ticket, error->message, call->bus->base.data);
      return;
    }
  g_variant_get (reply, "(u)", &handle);
  g_hash_table_insert (call->bus->by_handle, GUINT_TO_POINTER (handle),
                       GUINT_TO_POINTER (call->ticket));
}

static guint
bus_queue (ThBackend *backend, const char *const *uris, const char *const *mime_types,
           ThFlavor flavor, ThClass klass)
{
  Bus *bus = (Bus *) backend;
  Call *call = g_new0 (Call, 1);

  call->bus = bus;
  call->ticket = ++bus->last;
  bus->calls++;
  g_dbus_connection_call (bus->connection, NAME, OBJECT_PATH, NAME, "Queue",
                          g_variant_new ("(^as^asssu)", uris, mime_types, th_flavor_name (flavor),
                                         klass == TH_BACKGROUND ? "background" : "foreground", 0u),
                          G_VARIANT_TYPE ("(u)"), G_DBUS_CALL_FLAGS_NONE, -1, bus->cancellable,
                          on_queued, call);
  return call->ticket;
}

static char *
bus_trouble (ThBackend *backend)
{
  return NULL;
}

static void
dequeue_all (Bus *bus)
{
  GHashTableIter iter;
  gpointer handle;

  g_hash_table_iter_init (&iter, bus->by_handle);
  while (g_hash_table_iter_next (&iter, &handle, NULL))
    g_dbus_connection_call (bus->connection, NAME, OBJECT_PATH, NAME, "Dequeue",
                            g_variant_new ("(u)", GPOINTER_TO_UINT (handle)), NULL,
                            G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL, NULL);
  g_dbus_connection_flush_sync (bus->connection, NULL, NULL);
}

static gboolean
on_out_of_patience (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

/* Only the reply tells the handle by which a request can be given up. */
static void
await_replies (Bus *bus)
{
  gboolean over = FALSE;
  guint timer = g_timeout_add (PATIENCE_MS, on_out_of_patience, &over);

  while (bus->calls > 0 && !over)
    g_main_context_iteration (NULL, TRUE);
  if (!over)
    g_source_remove (timer);
}

static void
bus_free (ThBackend *backend)
{
  Bus *bus = (Bus *) backend;

  bus->closing = TRUE;
  g_signal_handlers_disconnect_by_data (bus->connection, bus);
  g_dbus_connection_signal_unsubscribe (bus->connection, bus->signals);
  g_dbus_connection_signal_unsubscribe (bus->connection, bus->owner_changes);
  await_replies (bus);
  g_cancellable_cancel (bus->cancellable);
  dequeue_all (bus);
  g_hash_table_unref (bus->by_handle);
  g_object_unref (bus->cancellable);
  g_object_unref (bus->connection);
  g_free (bus);
}

static void
subscribe (Bus *bus)
{
  bus->signals =
      g_dbus_connection_signal_subscribe (bus->connection, NAME, NAME, NULL, OBJECT_PATH, NULL,
                                          G_DBUS_SIGNAL_FLAGS_NONE, on_signal, bus, NULL);
  bus->owner_changes = g_dbus_connection_signal_subscribe (
      bus->connection, BUS, BUS, "NameOwnerChanged", BUS_PATH, NAME, G_DBUS_SIGNAL_FLAGS_NONE,
      on_owner_changed, bus, NULL);
  g_signal_connect (bus->connection, "closed", G_CALLBACK (on_closed), bus);
}

ThBackend *
th_backend_bus_new (const ThBackendEvents *events, gpointer data)
{
  g_autoptr (GDBusConnection) connection = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  Bus *bus;

  if (connection == NULL || (!is_owned (connection) && !is_activatable (connection)))
    return NULL;
  bus = g_new0 (Bus, 1);
  bus->base = (ThBackend){
    .who = "the service",
    .events = *events,
    .data = data,
    .queue = bus_queue,
    .trouble = bus_trouble,
    .free = bus_free,
  };
  bus->cancellable = g_cancellable_new ();
  bus->by_handle = g_hash_table_new (NULL, NULL);
  bus->connection = g_steal_pointer (&connection);
  g_dbus_connection_set_exit_on_close (bus->connection, FALSE);
  subscribe (bus);
  return &bus->base;
}

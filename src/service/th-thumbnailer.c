/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-thumbnailer.h"

#include "dbus/th-dbus.h"
#include "service/th-clients.h"
#include "service/th-portion.h"
#include "service/th-specialist-bus.h"
#include "service/th-volumes.h"

#define INTERFACE   "org.freedesktop.thumbnails.Thumbnailer1"
#define OBJECT_PATH "/org/freedesktop/thumbnails/Thumbnailer1"
/* Signals that may wait to be written. */
#define UNFLUSHED 64u

struct _ThThumbnailer
{
  GDBusConnection *connection;
  ThDBusThumbnailer1 *object;
  ThEngine *engine;
  ThClients *clients;
  ThVolumes *volumes;
  ThIdle *idle;
  guint unflushed;     /* signals since the last flush */
  GCancellable *flush; /* not NULL: one is under way */
  void (*outdated) (gpointer data);
  gpointer outdated_data;
  gboolean trouble_told;
  gboolean external_trouble_told;
};

/* After the end there is nothing to go on with. */
static void
on_flushed (GObject *connection, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  ThThumbnailer *self = data;

  g_dbus_connection_flush_finish (G_DBUS_CONNECTION (connection), result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->flush);
  self->unflushed = 0;
  th_engine_hold_events (self->engine, FALSE);
}

/* Replies stand in one line with signals: it must not become long. */
static void
flush_now_and_then (ThThumbnailer *self)
{
  if (++self->unflushed < UNFLUSHED || self->flush != NULL)
    return;
  self->flush = g_cancellable_new ();
  th_engine_hold_events (self->engine, TRUE);
  g_dbus_connection_flush (self->connection, self->flush, on_flushed, self);
}

static void
emit (ThThumbnailer *self, guint32 handle, const char *signal, GVariant *parameters)
{
  g_autoptr (GVariant) owned = g_variant_ref_sink (parameters);
  const char *client = th_clients_owner (self->clients, handle);

  /* The only errors are a message that cannot be made, which th_portion_length prevents, and a
   * closed connection, which ends the program. */
  if (client == NULL)
    return;
  g_dbus_connection_emit_signal (self->connection, client, OBJECT_PATH, INTERFACE, signal, owned,
                                 NULL);
  flush_now_and_then (self);
}

static void
on_started (guint32 handle, gpointer data)
{
  emit (data, handle, "Started", g_variant_new ("(u)", handle));
}

static void
on_ready (guint32 handle, const char *const *uris, gpointer data)
{
  guint n = g_strv_length ((char **) uris);

  for (guint i = 0, length; i < n; i += length)
    {
      length = th_portion_length (uris + i, n - i);
      emit (data, handle, "Ready",
            g_variant_new ("(u@as)", handle, g_variant_new_strv (uris + i, length)));
    }
}

/* The reason why nothing at all can be decoded is for the log, once. */
static void
tell_trouble (ThThumbnailer *self)
{
  g_autofree char *trouble = self->trouble_told ? NULL : th_engine_trouble (self->engine);

  if (trouble == NULL)
    return;
  g_warning ("No picture can be decoded on this system: %s", trouble);
  self->trouble_told = TRUE;
}

/* The same for what other programs are needed for. */
static void
tell_external_trouble (ThThumbnailer *self)
{
  g_autofree char *trouble =
      self->external_trouble_told ? NULL : th_engine_external_trouble (self->engine);

  if (trouble == NULL)
    return;
  g_warning ("Programs of .thumbnailer entries cannot be locked in on this system: %s", trouble);
  self->external_trouble_told = TRUE;
}

static void
on_error (guint32 handle, const char *const *uris, ThError code, const char *message, gpointer data)
{
  g_autofree char *text = g_utf8_make_valid (message, -1);
  guint n = g_strv_length ((char **) uris);

  for (guint i = 0, length; i < n; i += length)
    {
      length = th_portion_length (uris + i, n - i);
      emit (data, handle, "Error",
            g_variant_new ("(u@asis)", handle, g_variant_new_strv (uris + i, length), (gint32) code,
                           text));
    }
  tell_trouble (data);
  tell_external_trouble (data);
}

static void
on_finished (guint32 handle, gpointer data)
{
  ThThumbnailer *self = data;

  emit (self, handle, "Finished", g_variant_new ("(u)", handle));
  th_clients_remove (self->clients, handle);
  if (th_clients_is_empty (self->clients))
    th_volumes_rest (self->volumes);
  th_idle_release (self->idle);
}

static void
on_outdated (gpointer data)
{
  ThThumbnailer *self = data;

  if (self->outdated != NULL)
    self->outdated (self->outdated_data);
}

static void
on_leaving (const char *mount_point, gpointer data)
{
  ThThumbnailer *self = data;

  th_engine_leave (self->engine, mount_point);
}

static const ThEngineEvents engine_events = {
  .outdated = on_outdated,
  .started = on_started,
  .ready = on_ready,
  .error = on_error,
  .finished = on_finished,
};

/* The engine sends no event before the main context runs again, so that the reply is on the wire
 * before any signal. */
static gboolean
on_handle_queue (ThDBusThumbnailer1 *object, GDBusMethodInvocation *invocation, GVariant *uris,
                 GVariant *mime_types, const char *flavor, const char *scheduler,
                 guint32 handle_to_unqueue, gpointer data)
{
  ThThumbnailer *self = data;
  ThClass klass = g_str_equal (scheduler, "background") ? TH_BACKGROUND : TH_FOREGROUND;
  guint32 handle;

  if (handle_to_unqueue != 0)
    th_engine_dequeue (self->engine, handle_to_unqueue);
  handle = th_engine_queue_variants (self->engine, uris, mime_types, flavor, klass);
  th_clients_add (self->clients, handle, g_dbus_method_invocation_get_sender (invocation));
  th_idle_hold (self->idle);
  th_dbus_thumbnailer1_complete_queue (object, invocation, handle);
  th_volumes_need (self->volumes);
  return TRUE;
}

static gboolean
on_handle_dequeue (ThDBusThumbnailer1 *object, GDBusMethodInvocation *invocation, guint32 handle,
                   gpointer data)
{
  ThThumbnailer *self = data;

  th_engine_dequeue (self->engine, handle);
  th_idle_touch (self->idle);
  th_dbus_thumbnailer1_complete_dequeue (object, invocation);
  return TRUE;
}

typedef struct
{
  ThThumbnailer *self;
  GDBusMethodInvocation *invocation;
} Question;

static void
on_supported (const char *const *schemes, const char *const *mime_types, gpointer data)
{
  static const char *const nothing[] = { NULL };
  Question *question = data;
  ThThumbnailer *self = question->self;

  th_dbus_thumbnailer1_complete_get_supported (self->object, question->invocation,
                                               schemes != NULL ? schemes : nothing,
                                               mime_types != NULL ? mime_types : nothing);
  th_idle_release (self->idle);
  g_free (question);
}

static gboolean
on_handle_get_supported (ThDBusThumbnailer1 *object, GDBusMethodInvocation *invocation,
                         gpointer data)
{
  ThThumbnailer *self = data;
  Question *question = g_new0 (Question, 1);

  question->self = self;
  question->invocation = invocation;
  th_idle_hold (self->idle);
  th_engine_supported (self->engine, on_supported, question);
  return TRUE;
}

static gboolean
on_handle_get_schedulers (ThDBusThumbnailer1 *object, GDBusMethodInvocation *invocation,
                          gpointer data)
{
  static const char *const schedulers[] = { "default", "foreground", "background", NULL };
  ThThumbnailer *self = data;

  th_idle_touch (self->idle);
  th_dbus_thumbnailer1_complete_get_schedulers (object, invocation, schedulers);
  return TRUE;
}

/* Largest first, as clients know it from tumbler. */
static gboolean
on_handle_get_flavors (ThDBusThumbnailer1 *object, GDBusMethodInvocation *invocation, gpointer data)
{
  ThThumbnailer *self = data;
  const char *flavors[TH_N_FLAVORS + 1] = { NULL };

  for (guint i = 0; i < TH_N_FLAVORS; i++)
    flavors[i] = th_flavor_name ((ThFlavor) (TH_N_FLAVORS - 1 - i));
  th_idle_touch (self->idle);
  th_dbus_thumbnailer1_complete_get_flavors (object, invocation, flavors);
  return TRUE;
}

static void
on_left (guint32 handle, gboolean brief, gpointer data)
{
  ThThumbnailer *self = data;

  if (brief)
    th_engine_orphan (self->engine, handle);
  else
    th_engine_dequeue (self->engine, handle);
}

static const struct
{
  const char *signal;
  GCallback handler;
} handlers[] = {
  { "handle-queue", G_CALLBACK (on_handle_queue) },
  { "handle-dequeue", G_CALLBACK (on_handle_dequeue) },
  { "handle-get-supported", G_CALLBACK (on_handle_get_supported) },
  { "handle-get-schedulers", G_CALLBACK (on_handle_get_schedulers) },
  { "handle-get-flavors", G_CALLBACK (on_handle_get_flavors) },
};

ThThumbnailer *
th_thumbnailer_new (GDBusConnection *connection, const ThEngineOptions *options, ThIdle *idle,
                    GError **error)
{
  g_autoptr (ThThumbnailer) self = g_new0 (ThThumbnailer, 1);

  self->connection = g_object_ref (connection);
  self->idle = idle;
  self->clients = th_clients_new (connection, TH_CLIENTS_BRIEF_MS, on_left, self);
  self->volumes = th_volumes_new (on_leaving, self);
  self->object = th_dbus_thumbnailer1_skeleton_new ();
  self->engine = th_engine_new (options, &engine_events, self, error);
  if (self->engine == NULL)
    return NULL;
  th_engine_set_specialists (self->engine,
                             &(ThSpecialistCaller){ th_specialist_bus_call, connection });
  for (guint i = 0; i < G_N_ELEMENTS (handlers); i++)
    g_signal_connect (self->object, handlers[i].signal, handlers[i].handler, self);
  if (!g_dbus_interface_skeleton_export (G_DBUS_INTERFACE_SKELETON (self->object), connection,
                                         OBJECT_PATH, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
th_thumbnailer_free (ThThumbnailer *self)
{
  g_signal_handlers_disconnect_by_data (self->object, self);
  if (g_dbus_interface_skeleton_get_connection (G_DBUS_INTERFACE_SKELETON (self->object)) != NULL)
    g_dbus_interface_skeleton_unexport (G_DBUS_INTERFACE_SKELETON (self->object));
  g_cancellable_cancel (self->flush);
  g_clear_object (&self->flush);
  th_volumes_free (self->volumes);
  g_clear_pointer (&self->engine, th_engine_free);
  g_object_unref (self->object);
  th_clients_free (self->clients);
  g_object_unref (self->connection);
  g_free (self);
}

ThEngine *
th_thumbnailer_engine (ThThumbnailer *self)
{
  return self->engine;
}

void
th_thumbnailer_dequeue_all (ThThumbnailer *self)
{
  g_autoptr (GArray) handles = th_clients_handles (self->clients);

  for (guint i = 0; i < handles->len; i++)
    th_engine_dequeue (self->engine, g_array_index (handles, guint32, i));
}

void
th_thumbnailer_watch_upgrade (ThThumbnailer *self, void (*outdated) (gpointer data), gpointer data)
{
  self->outdated = outdated;
  self->outdated_data = data;
}

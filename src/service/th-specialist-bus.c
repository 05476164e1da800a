/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-specialist-bus.h"

#define INTERFACE "org.freedesktop.thumbnails.SpecializedThumbnailer1"
/* How often it is looked whether anybody still waits. */
#define TICK_MS 200u
/* Signals that may come before the reply that says which is ours. */
#define MAX_EARLY 64u

typedef struct
{
  GDBusConnection *connection;
  const ThSpecialistAsk *ask;
  const ThSpecialist *specialist;
  char *owner;      /* unique name of who took it on; NULL: no reply so far */
  guint32 handle;   /* of the reply */
  GPtrArray *early; /* Word, from before the reply */
  gboolean over;
  gboolean ready;
  GError *error;
} Call;

/* Something that somebody said. */
typedef struct
{
  char *sender;
  char *signal;
  GVariant *parameters;
} Word;

static void
word_free (gpointer data)
{
  Word *word = data;

  g_free (word->sender);
  g_free (word->signal);
  g_variant_unref (word->parameters);
  g_free (word);
}

static void
fail (Call *call, ThError code, const char *text)
{
  if (!call->over)
    call->error = g_error_new (TH_ERROR, (int) code, "%s: %s", call->specialist->name, text);
  call->over = TRUE;
}

static ThError
known_code (gint32 code)
{
  return code >= 0 && code <= (gint32) TH_ERROR_OTHER ? (ThError) code : TH_ERROR_OTHER;
}

/* Anybody can send a signal: only what its owner says of its handle and of our URI counts. */
static void
hear (Call *call, const Word *word)
{
  g_autofree char *text = NULL;
  const char *uri = NULL;
  guint32 handle = 0;
  gint32 code = 0;

  if (call->over || g_strcmp0 (word->sender, call->owner) != 0)
    return;
  if (g_str_equal (word->signal, "Ready")
      && g_variant_is_of_type (word->parameters, G_VARIANT_TYPE ("(us)")))
    {
      g_variant_get (word->parameters, "(u&s)", &handle, &uri);
      call->ready = handle == call->handle && g_str_equal (uri, call->ask->uri);
      call->over = call->ready;
    }
  else if (g_str_equal (word->signal, "Error")
           && g_variant_is_of_type (word->parameters, G_VARIANT_TYPE ("(usis)")))
    {
      g_variant_get (word->parameters, "(u&sis)", &handle, &uri, &code, &text);
      if (handle == call->handle && g_str_equal (uri, call->ask->uri))
        fail (call, known_code (code), text);
    }
  else if (g_str_equal (word->signal, "Finished")
           && g_variant_is_of_type (word->parameters, G_VARIANT_TYPE ("(u)")))
    {
      g_variant_get (word->parameters, "(u)", &handle);
      if (handle == call->handle)
        fail (call, TH_ERROR_NO_CONTENT, "it finished without a thumbnail");
    }
}

static void
on_signal (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
           const char *signal, GVariant *parameters, gpointer data)
{
  Call *call = data;
  Word word = { (char *) sender, (char *) signal, parameters };
  Word *copy;

  if (call->owner != NULL)
    {
      hear (call, &word);
      return;
    }
  /* Strangers are not to fill it. */
  if (call->early->len >= MAX_EARLY
      || (g_dbus_is_unique_name (call->specialist->name)
          && !g_str_equal (sender, call->specialist->name)))
    return;
  copy = g_new (Word, 1);
  *copy = (Word){ g_strdup (sender), g_strdup (signal), g_variant_ref (parameters) };
  g_ptr_array_add (call->early, copy);
}

static void
take_reply (Call *call, GDBusMessage *reply)
{
  GVariant *body = g_dbus_message_get_body (reply);
  g_autoptr (GError) error = NULL;

  if (g_dbus_message_to_gerror (reply, &error))
    {
      fail (call, TH_ERROR_CONNECTION, error->message);
      return;
    }
  if (body == NULL || !g_variant_is_of_type (body, G_VARIANT_TYPE ("(u)"))
      || g_dbus_message_get_sender (reply) == NULL)
    {
      fail (call, TH_ERROR_CONNECTION, "it gave no handle");
      return;
    }
  g_variant_get (body, "(u)", &call->handle);
  call->owner = g_strdup (g_dbus_message_get_sender (reply));
  for (guint i = 0; i < call->early->len; i++)
    hear (call, call->early->pdata[i]);
}

static void
on_reply (GObject *connection, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusMessage) reply = g_dbus_connection_send_message_with_reply_finish (
      G_DBUS_CONNECTION (connection), result, &error);
  Call *call = data;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (reply == NULL)
    fail (call, TH_ERROR_CONNECTION, error->message);
  else
    take_reply (call, reply);
}

static void
on_vanished (GDBusConnection *connection, const char *name, gpointer data)
{
  Call *call = data;

  /* One that is not there yet is started by the call. */
  if (call->owner != NULL)
    fail (call, TH_ERROR_CONNECTION, "it has left");
}

static gboolean
on_tick (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
queue (Call *call, GCancellable *cancellable)
{
  const ThSpecialistAsk *ask = call->ask;
  g_autoptr (GDBusMessage) message = g_dbus_message_new_method_call (
      call->specialist->name, call->specialist->path, INTERFACE, "Queue");

  g_dbus_message_set_body (message,
                           g_variant_new ("(sssb)", ask->uri, ask->mime_type, ask->flavor, FALSE));
  g_dbus_connection_send_message_with_reply (call->connection, message,
                                             G_DBUS_SEND_MESSAGE_FLAGS_NONE, (gint) ask->wall_ms,
                                             NULL, cancellable, on_reply, call);
}

/* Nobody waits for it any more: whether it stops is its own affair. */
static void
dequeue (const Call *call)
{
  g_dbus_connection_call (call->connection, call->owner, call->specialist->path, INTERFACE,
                          "Dequeue", g_variant_new ("(u)", call->handle), NULL,
                          G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL, NULL);
}

static void
wait (Call *call, GMainContext *context)
{
  gint64 end = g_get_monotonic_time () + (gint64) call->ask->wall_ms * 1000;
  gboolean heard;

  while (!call->over && g_atomic_int_get (call->ask->cancelled) == 0
         && g_get_monotonic_time () < end)
    g_main_context_iteration (context, TRUE);
  heard = call->over;
  fail (call, TH_ERROR_CONNECTION, "it did not answer in time");
  if (!heard && call->owner != NULL)
    dequeue (call);
}

/* With a context of its own, in which all that concerns this call comes in. */
static void
run (Call *call)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GSource) tick = g_timeout_source_new (TICK_MS);
  guint subscription, watch;

  g_main_context_push_thread_default (context);
  g_source_set_callback (tick, on_tick, NULL, NULL);
  g_source_attach (tick, context);
  subscription = g_dbus_connection_signal_subscribe (
      call->connection, call->specialist->name, INTERFACE, NULL, call->specialist->path, NULL,
      G_DBUS_SIGNAL_FLAGS_NONE, on_signal, call, NULL);
  watch =
      g_bus_watch_name_on_connection (call->connection, call->specialist->name,
                                      G_BUS_NAME_WATCHER_FLAGS_NONE, NULL, on_vanished, call, NULL);
  queue (call, cancellable);
  wait (call, context);
  g_cancellable_cancel (cancellable);
  g_bus_unwatch_name (watch);
  g_dbus_connection_signal_unsubscribe (call->connection, subscription);
  while (g_main_context_iteration (context, FALSE))
    continue;
  g_source_destroy (tick);
  g_main_context_pop_thread_default (context);
}

gboolean
th_specialist_bus_call (const ThSpecialist *specialist, const ThSpecialistAsk *ask, gpointer data,
                        GError **error)
{
  Call call = { .connection = data, .ask = ask, .specialist = specialist };

  call.early = g_ptr_array_new_with_free_func (word_free);
  run (&call);
  g_ptr_array_unref (call.early);
  g_free (call.owner);
  if (call.error != NULL)
    g_propagate_error (error, call.error);
  return call.ready;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "bus-fixture.h"

#define TEST_PATH "/org/freedesktop/thumbnails/Thumbnailer1"

static void
event_free (gpointer data)
{
  TestEvent *event = data;

  g_strfreev (event->uris);
  g_free (event->message);
  g_free (event);
}

static const char *const members[] = {
  [TEST_STARTED] = "Started",
  [TEST_READY] = "Ready",
  [TEST_ERROR] = "Error",
  [TEST_FINISHED] = "Finished",
};

static gboolean
find_member (const char *member, TestKind *kind)
{
  for (guint i = TEST_STARTED; i < G_N_ELEMENTS (members); i++)
    if (g_strcmp0 (member, members[i]) == 0)
      {
        *kind = (TestKind) i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
parse_signal (GDBusMessage *message, GVariant *body, TestEvent *event)
{
  if (g_strcmp0 (g_dbus_message_get_interface (message), TEST_NAME) != 0
      || !find_member (g_dbus_message_get_member (message), &event->kind))
    return FALSE;
  g_variant_get_child (body, 0, "u", &event->handle);
  if (event->kind == TEST_READY || event->kind == TEST_ERROR)
    g_variant_get_child (body, 1, "^as", &event->uris);
  if (event->kind != TEST_ERROR)
    return TRUE;
  g_variant_get_child (body, 2, "i", &event->code);
  g_variant_get_child (body, 3, "s", &event->message);
  return TRUE;
}

static gboolean
parse_message (GDBusMessage *message, TestEvent *event)
{
  GVariant *body = g_dbus_message_get_body (message);

  if (g_dbus_message_get_message_type (message) == G_DBUS_MESSAGE_TYPE_SIGNAL)
    return parse_signal (message, body, event);
  /* Queue is the only method of ours that returns one number; of the bus, none that is used here.
   */
  if (g_dbus_message_get_message_type (message) != G_DBUS_MESSAGE_TYPE_METHOD_RETURN
      || g_strcmp0 (g_dbus_message_get_signature (message), "u") != 0
      || g_strcmp0 (g_dbus_message_get_sender (message), "org.freedesktop.DBus") == 0)
    return FALSE;
  event->kind = TEST_REPLY;
  g_variant_get_child (body, 0, "u", &event->handle);
  return TRUE;
}

static GDBusMessage *
on_message (GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
  TestEvent *event = NULL;

  if (!incoming)
    return message;
  event = g_new0 (TestEvent, 1);
  if (parse_message (message, event))
    g_async_queue_push (data, event);
  else
    event_free (event);
  return message;
}

TestClient *
test_client_new (TestBus *bus)
{
  TestClient *client = g_new0 (TestClient, 1);

  client->connection =
      g_dbus_connection_new_for_address_sync (bus->address,
                                              G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
                                                  | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                              NULL, NULL, NULL);
  g_assert_nonnull (client->connection);
  client->wire = g_async_queue_new_full (event_free);
  client->events = g_ptr_array_new_with_free_func (event_free);
  g_dbus_connection_add_filter (client->connection, on_message, g_async_queue_ref (client->wire),
                                (GDestroyNotify) g_async_queue_unref);
  return client;
}

void
test_client_free (TestClient *client)
{
  g_dbus_connection_close_sync (client->connection, NULL, NULL);
  g_object_unref (client->connection);
  g_async_queue_unref (client->wire);
  g_ptr_array_unref (client->events);
  g_free (client);
}

GVariant *
test_client_call (TestClient *client, const char *method, GVariant *arguments)
{
  g_autoptr (GError) error = NULL;
  GVariant *reply =
      g_dbus_connection_call_sync (client->connection, TEST_NAME, TEST_PATH, TEST_NAME, method,
                                   arguments, NULL, G_DBUS_CALL_FLAGS_NONE, 120000, NULL, &error);

  g_assert_no_error (error);
  return reply;
}

guint32
test_client_queue_full (TestClient *client, const char *const *uris, const char *const *mime_types,
                        const char *flavor, const char *scheduler, guint32 unqueue)
{
  g_autoptr (GVariant) reply = test_client_call (
      client, "Queue", g_variant_new ("(^as^asssu)", uris, mime_types, flavor, scheduler, unqueue));
  guint32 handle = 0;

  g_variant_get (reply, "(u)", &handle);
  g_assert_cmpuint (handle, !=, 0);
  return handle;
}

guint32
test_client_queue (TestClient *client, const char *const *uris, const char *flavor,
                   const char *scheduler)
{
  guint n = g_strv_length ((char **) uris);
  g_autofree const char **types = g_new0 (const char *, n + 1);

  for (guint i = 0; i < n; i++)
    types[i] = "image/png";
  return test_client_queue_full (client, uris, types, flavor, scheduler, 0);
}

guint32
test_client_queue_one (TestClient *client, const char *uri)
{
  const char *const uris[] = { uri, NULL };

  return test_client_queue (client, uris, "normal", "foreground");
}

void
test_client_dequeue (TestClient *client, guint32 handle)
{
  g_variant_unref (test_client_call (client, "Dequeue", g_variant_new ("(u)", handle)));
}

const TestEvent *
test_client_wait (TestClient *client, guint32 handle, TestKind kind)
{
  for (guint i = 0;; i++)
    {
      TestEvent *event;

      if (i == client->events->len)
        {
          event = g_async_queue_timeout_pop (client->wire, TEST_PATIENCE_US);
          g_assert_nonnull (event);
          g_ptr_array_add (client->events, event);
        }
      event = client->events->pdata[i];
      if (event->handle == handle && event->kind == kind)
        return event;
    }
}

guint
test_client_count (TestClient *client, guint32 handle, TestKind kind)
{
  guint n = 0;

  for (guint i = 0; i < client->events->len; i++)
    {
      const TestEvent *event = client->events->pdata[i];

      n += event->handle == handle && event->kind == kind;
    }
  return n;
}

static void
add_answers (GHashTable *answers, const TestEvent *event)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  int code = event->kind == TEST_READY ? -1 : event->code;

  for (guint i = 0; event->uris[i] != NULL; i++)
    {
      GArray *codes = g_hash_table_lookup (answers, event->uris[i]);

      g_assert_true (g_hash_table_add (seen, event->uris[i]));
      if (codes == NULL)
        {
          codes = g_array_new (FALSE, FALSE, sizeof (int));
          g_hash_table_insert (answers, g_strdup (event->uris[i]), codes);
        }
      g_array_append_val (codes, code);
    }
}

/* The state of one request as its events are gone through. */
typedef struct
{
  guint n;
  TestKind last;
} Progress;

static void
check_event (Progress *progress, const TestEvent *event)
{
  if (progress->n == 0)
    g_assert_cmpint (event->kind, ==, TEST_REPLY);
  else if (progress->n == 1)
    g_assert_cmpint (event->kind, ==, TEST_STARTED);
  else
    g_assert_cmpint (event->kind, >, TEST_STARTED);
  g_assert_cmpint (progress->last, !=, TEST_FINISHED);
  progress->n++;
  progress->last = event->kind;
}

GHashTable *
test_client_finish (TestClient *client, guint32 handle)
{
  Progress progress = { 0, TEST_REPLY };
  GHashTable *answers =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_array_unref);

  test_client_wait (client, handle, TEST_FINISHED);
  for (guint i = 0; i < client->events->len; i++)
    {
      const TestEvent *event = client->events->pdata[i];

      if (event->handle != handle)
        continue;
      check_event (&progress, event);
      if (event->uris != NULL)
        add_answers (answers, event);
    }
  return answers;
}

int
test_answer (GHashTable *answers, const char *uri)
{
  GArray *codes = g_hash_table_lookup (answers, uri);

  g_assert_nonnull (codes);
  g_assert_cmpuint (codes->len, ==, 1);
  return g_array_index (codes, int, 0);
}

gboolean
test_client_sees_owner (TestClient *client)
{
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      client->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "NameHasOwner", g_variant_new ("(s)", TEST_NAME), G_VARIANT_TYPE ("(b)"),
      G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  gboolean owned = FALSE;

  g_assert_nonnull (reply);
  g_variant_get (reply, "(b)", &owned);
  return owned;
}

void
test_client_wait_unowned (TestClient *client)
{
  for (guint i = 0; test_client_sees_owner (client); i++)
    {
      g_assert_cmpuint (i, <, 12000);
      g_usleep (10000);
    }
}

int
test_client_service_pid (TestClient *client, int not_this)
{
  for (guint i = 0; i < 12000; i++)
    {
      g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
          client->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus",
          "org.freedesktop.DBus", "GetConnectionUnixProcessID", g_variant_new ("(s)", TEST_NAME),
          G_VARIANT_TYPE ("(u)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
      guint32 pid = 0;

      if (reply != NULL)
        g_variant_get (reply, "(u)", &pid);
      if (pid != 0 && (int) pid != not_this)
        return (int) pid;
      g_usleep (10000);
    }
  g_assert_not_reached ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "bus-fixture.h"

#include <glib/gstdio.h>
#include <signal.h>

#define TEST_PATH "/org/freedesktop/thumbnails/Thumbnailer1"
/* Long enough for the slowest machine; nothing is ever waited out. */
#define PATIENCE_US (120 * G_TIME_SPAN_SECOND)

char *
test_program (const char *part)
{
  g_autofree char *joined = g_test_build_filename (G_TEST_BUILT, part, NULL);

  return g_canonicalize_filename (joined, NULL);
}

static char *
make_folder (TestBus *bus, const char *name, const char *variable)
{
  char *path = g_build_filename (bus->root, name, NULL);

  g_assert_no_errno (g_mkdir_with_parents (path, 0700));
  if (variable != NULL)
    g_setenv (variable, path, TRUE);
  return path;
}

static void
make_folders (TestBus *bus)
{
  static const struct
  {
    const char *name;
    const char *variable;
  } folders[] = {
    { "home", "HOME" },
    { "cache", "XDG_CACHE_HOME" },
    { "config", "XDG_CONFIG_HOME" },
    { "config-dirs", "XDG_CONFIG_DIRS" },
    { "data", "XDG_DATA_HOME" },
    { "state", "XDG_STATE_HOME" },
    { "runtime", "XDG_RUNTIME_DIR" },
    { "services", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    g_free (make_folder (bus, folders[i].name, folders[i].variable));
  bus->pictures = make_folder (bus, "pictures", NULL);
  bus->cache = g_build_filename (bus->root, "cache", "thumbnails", NULL);
  bus->log = g_build_filename (bus->root, "log", NULL);
}

static void
write_service (TestBus *bus, const char *folder, const char *daemon)
{
  g_autofree char *path = g_build_filename (folder, TEST_NAME ".service", NULL);
  g_autofree char *text =
      g_strdup_printf ("[D-BUS Service]\nName=" TEST_NAME "\nExec=%s\n", daemon);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Everything is exported before the bus starts: what it activates inherits it. */
TestBus *
test_bus_up (const char *daemon)
{
  TestBus *bus = g_new0 (TestBus, 1);
  g_autofree char *services = NULL;

  bus->root = g_dir_make_tmp ("thimble-test-XXXXXX", NULL);
  g_assert_nonnull (bus->root);
  make_folders (bus);
  services = g_build_filename (bus->root, "services", NULL);
  if (daemon != NULL)
    write_service (bus, services, daemon);
  bus->bus = g_test_dbus_new (G_TEST_DBUS_NONE);
  g_test_dbus_add_service_dir (bus->bus, services);
  g_test_dbus_up (bus->bus);
  return bus;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    {
      g_chmod (path, 0700);
      dir = g_dir_open (path, 0, NULL);
    }
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_remove (path);
}

void
test_bus_down (TestBus *bus)
{
  if (bus->daemon != NULL)
    test_bus_stop (bus);
  g_test_dbus_down (bus->bus);
  g_object_unref (bus->bus);
  remove_tree (bus->root);
  g_free (bus->root);
  g_free (bus->pictures);
  g_free (bus->cache);
  g_free (bus->log);
  g_free (bus);
}

void
test_bus_configure (TestBus *bus, const char *text)
{
  g_autofree char *folder = make_folder (bus, "config/thimble", NULL);
  g_autofree char *path = g_build_filename (folder, "thimble.conf", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
on_appeared (GDBusConnection *connection, const char *name, const char *owner, gpointer data)
{
  g_main_loop_quit (data);
}

static gboolean
on_too_long (gpointer data)
{
  g_assert_not_reached ();
}

static void
wait_for_name (TestClient *client)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  guint timer = g_timeout_add (PATIENCE_US / 1000, on_too_long, NULL);
  guint watch = g_bus_watch_name_on_connection (
      client->connection, TEST_NAME, G_BUS_NAME_WATCHER_FLAGS_NONE, on_appeared, NULL, loop, NULL);

  g_main_loop_run (loop);
  g_bus_unwatch_name (watch);
  g_source_remove (timer);
}

void
test_bus_start (TestBus *bus, const char *program)
{
  g_autoptr (TestClient) client = test_client_new (bus);
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);

  g_assert_null (bus->daemon);
  g_subprocess_launcher_set_stderr_file_path (launcher, bus->log);
  bus->daemon = g_subprocess_launcher_spawn (launcher, NULL, program, NULL);
  g_assert_nonnull (bus->daemon);
  wait_for_name (client);
}

char *
test_bus_log (TestBus *bus)
{
  char *text = NULL;

  g_assert_true (g_file_get_contents (bus->log, &text, NULL, NULL));
  return text;
}

static void
check_status (TestBus *bus, GSubprocess *daemon)
{
  g_autofree char *log = test_bus_log (bus);

  if (!g_subprocess_get_if_exited (daemon) || g_subprocess_get_exit_status (daemon) != 0)
    g_test_message ("the service said:\n%s", log);
  g_assert_true (g_subprocess_get_if_exited (daemon));
  g_assert_cmpint (g_subprocess_get_exit_status (daemon), ==, 0);
}

void
test_bus_wait (TestBus *bus)
{
  g_autoptr (GSubprocess) daemon = g_steal_pointer (&bus->daemon);

  g_assert_true (g_subprocess_wait (daemon, NULL, NULL));
  check_status (bus, daemon);
}

void
test_bus_stop (TestBus *bus)
{
  g_subprocess_send_signal (bus->daemon, SIGTERM);
  test_bus_wait (bus);
}

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
      g_dbus_connection_new_for_address_sync (g_test_dbus_get_bus_address (bus->bus),
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
  g_autoptr (GVariant) reply = test_client_call (client, "Dequeue", g_variant_new ("(u)", handle));
}

const TestEvent *
test_client_wait (TestClient *client, guint32 handle, TestKind kind)
{
  for (guint i = 0;; i++)
    {
      TestEvent *event;

      if (i == client->events->len)
        {
          event = g_async_queue_timeout_pop (client->wire, PATIENCE_US);
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

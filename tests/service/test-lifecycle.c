/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the service comes and goes, over an engine without files. */
#include "config.h"

#include "bus-fixture.h"
#include "service/th-clients.h"

#include <string.h>

#define SHORT_IDLE "[service]\nidle-seconds=1\n"

typedef struct
{
  TestBus *bus;
  char *program;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->program = test_program ("service/thimbled-fake");
  fixture->bus = test_bus_up (fixture->program);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_bus_down (fixture->bus);
  g_free (fixture->program);
}

/* Activated by the first call, gone when idle, activated again: no call is ever lost. */
static void
test_activation (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TestClient) client = NULL;

  test_bus_configure (fixture->bus, SHORT_IDLE);
  client = test_client_new (fixture->bus);
  for (guint i = 0; i < 2; i++)
    {
      g_assert_false (test_client_sees_owner (client));
      g_hash_table_unref (test_client_finish (client, test_client_queue_one (client, "ready:a")));
      g_assert_true (test_client_sees_owner (client));
      test_client_wait_unowned (client);
      g_ptr_array_set_size (client->events, 0);
    }
}

/* Calls that come in just as the service leaves are answered by it or by the next one. */
static void
test_idle_races (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20260714);
  g_autoptr (TestClient) client = NULL;

  test_bus_configure (fixture->bus, SHORT_IDLE);
  client = test_client_new (fixture->bus);
  for (guint i = 0; i < 8; i++)
    {
      guint32 handle = test_client_queue_one (client, "ready:a");

      g_hash_table_unref (test_client_finish (client, handle));
      g_ptr_array_set_size (client->events, 0);
      g_usleep ((gulong) g_rand_int_range (rand, 980000, 1020000));
    }
  test_client_wait_unowned (client);
}

static void
test_idle_exit (Fixture *fixture, gconstpointer data)
{
  test_bus_configure (fixture->bus, SHORT_IDLE);
  test_bus_start (fixture->bus, fixture->program);
  test_bus_wait (fixture->bus);
}

/* A request that is under way keeps the service, also when its client left at once, as gdbus call
 * does; anybody may end it. */
static void
test_client_leaves_at_once (Fixture *fixture, gconstpointer data)
{
  TestClient *client;
  guint32 handle;

  test_bus_configure (fixture->bus, SHORT_IDLE);
  test_bus_start (fixture->bus, fixture->program);
  client = test_client_new (fixture->bus);
  handle = test_client_queue_one (client, "wait:a");
  test_client_free (client);
  client = test_client_new (fixture->bus);
  g_usleep (1500000);
  g_assert_true (test_client_sees_owner (client));
  test_client_dequeue (client, handle);
  test_client_free (client);
  test_bus_wait (fixture->bus);
}

/* Whoever stayed to listen and then leaves has no use for what is not done yet. */
static void
test_client_vanishes (Fixture *fixture, gconstpointer data)
{
  TestClient *client;
  guint32 handle;

  test_bus_configure (fixture->bus, SHORT_IDLE);
  test_bus_start (fixture->bus, fixture->program);
  client = test_client_new (fixture->bus);
  handle = test_client_queue_one (client, "wait:a");
  test_client_wait (client, handle, TEST_STARTED);
  g_usleep ((TH_CLIENTS_BRIEF_MS + 500) * 1000);
  g_assert_true (test_client_sees_owner (client));
  test_client_free (client);
  test_bus_wait (fixture->bus);
}

/* Gone before the service has even read the call. */
static void
test_client_hit_and_run (Fixture *fixture, gconstpointer data)
{
  static const char *const uris[] = { "ready:a", NULL };

  test_bus_configure (fixture->bus, SHORT_IDLE);
  test_bus_start (fixture->bus, fixture->program);
  for (guint i = 0; i < 50; i++)
    {
      TestClient *client = test_client_new (fixture->bus);

      g_dbus_connection_call (client->connection, TEST_NAME,
                              "/org/freedesktop/thumbnails/Thumbnailer1", TEST_NAME, "Queue",
                              g_variant_new ("(^as^asssu)", uris, uris, "normal", "", 0), NULL,
                              G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
      g_assert_true (g_dbus_connection_flush_sync (client->connection, NULL, NULL));
      test_client_free (client);
    }
  test_bus_wait (fixture->bus);
}

static void
test_name_taken (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GSubprocess) second = NULL;
  g_autofree char *said = NULL;

  test_bus_start (fixture->bus, fixture->program);
  second = g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, NULL,
                             fixture->program, NULL);
  g_assert_true (g_subprocess_communicate_utf8 (second, NULL, NULL, NULL, &said, NULL));
  g_assert_cmpint (g_subprocess_get_exit_status (second), ==, 0);
}

/* Nobody takes the name from the service, not even one who asks to replace it. */
static void
test_not_replaced (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TestClient) client = NULL;
  g_autoptr (GVariant) reply = NULL;
  guint32 result = 0;

  test_bus_start (fixture->bus, fixture->program);
  client = test_client_new (fixture->bus);
  reply = g_dbus_connection_call_sync (
      client->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "RequestName", g_variant_new ("(su)", TEST_NAME, 2u | 4u), G_VARIANT_TYPE ("(u)"),
      G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  g_assert_nonnull (reply);
  g_variant_get (reply, "(u)", &result);
  g_assert_cmpuint (result, ==, 3);
}

static void
test_terminated (Fixture *fixture, gconstpointer data)
{
  static const char *const uris[] = { "ready:a", "wait:b", NULL };
  g_autoptr (TestClient) client = NULL;
  g_autoptr (GHashTable) answers = NULL;
  guint32 handle;

  test_bus_start (fixture->bus, fixture->program);
  client = test_client_new (fixture->bus);
  handle = test_client_queue (client, uris, "normal", "default");
  test_client_wait (client, handle, TEST_READY);
  test_bus_stop (fixture->bus);
  answers = test_client_finish (client, handle);
  g_assert_cmpuint (g_hash_table_size (answers), ==, 1);
}

static void
on_deleted (GObject *source, GAsyncResult *result, gpointer data)
{
  GError **error = data;
  g_autoptr (GVariant) reply =
      g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, error);

  if (reply != NULL)
    *error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_EXISTS, "it was done");
}

/* Ends with an error in *error in any case: EXISTS where it was done. */
static void delete (TestClient *client, const char *uri, GError **error)
{
  const char *const uris[] = { uri, NULL };

  g_dbus_connection_call (client->connection, TEST_CACHE_NAME, "/org/freedesktop/thumbnails/Cache1",
                          TEST_CACHE_NAME, "Delete", g_variant_new ("(^as)", uris), NULL,
                          G_DBUS_CALL_FLAGS_NONE, 120000, NULL, on_deleted, error);
}

/* A call by its other name starts the service too, and is one that keeps it. */
static void
test_cache_activation (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TestClient) client = NULL;
  g_autoptr (GError) done = NULL;

  test_bus_configure (fixture->bus, SHORT_IDLE);
  client = test_client_new (fixture->bus);
  delete (client, "file:///a", &done);
  while (done == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_error (done, G_IO_ERROR, G_IO_ERROR_EXISTS);
  test_client_wait_unowned (client);
}

/* What is under way is not given up because of the time, but at the end it is, and says so. */
static void
test_cache_busy (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TestClient) client = NULL;
  g_autoptr (GError) first = NULL;
  g_autoptr (GError) second = NULL;

  test_bus_configure (fixture->bus, SHORT_IDLE);
  test_bus_start (fixture->bus, fixture->program);
  client = test_client_new (fixture->bus);
  delete (client, "file:///wait:a", &first);
  delete (client, "file:///a", &second);
  g_assert_true (g_dbus_connection_flush_sync (client->connection, NULL, NULL));
  g_usleep (1500000);
  g_assert_true (test_client_sees_owner (client));
  test_bus_stop (fixture->bus);
  while (first == NULL || second == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_error (first, G_DBUS_ERROR, G_DBUS_ERROR_FAILED);
  g_assert_error (second, G_DBUS_ERROR, G_DBUS_ERROR_FAILED);
}

static int
run (const char *program, const char *option, gboolean with_bus, char **out, char **said)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GSubprocess) process = NULL;

  if (!with_bus)
    g_subprocess_launcher_setenv (launcher, "DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent",
                                  TRUE);
  process = g_subprocess_launcher_spawn (launcher, NULL, program, option, NULL);
  g_assert_nonnull (process);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, out, said, NULL));
  g_assert_true (g_subprocess_get_if_exited (process));
  return g_subprocess_get_exit_status (process);
}

static void
test_options (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *option; /* NULL ends the words */
    gboolean with_bus;
    int status;
    const char *out;
    const char *said;
  } rows[] = {
    { "--version", FALSE, 0, "thimbled " TH_VERSION "\n", "" },
    { "--help", FALSE, 0, "--version", "" },
    { "--nonsense", TRUE, 2, "", "nonsense" },
    { "word", TRUE, 2, "", "no arguments" },
    { NULL, FALSE, 1, "", "thimbled: " },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *out = NULL;
      g_autofree char *said = NULL;

      g_assert_cmpint (run (fixture->program, rows[i].option, rows[i].with_bus, &out, &said), ==,
                       rows[i].status);
      g_assert_nonnull (strstr (out, rows[i].out));
      g_assert_nonnull (strstr (said, rows[i].said));
    }
}

static void
test_configuration (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *text;
    const char *said;
  } rows[] = {
    { "[service]\nidle-seconds=-1\n", "thimble.conf:2: [service] idle-seconds: “" },
    { "[service]\nidle-seconds=soon\n", "thimble.conf:2: [service] idle-seconds: “" },
    { "no group\n", "thimble.conf:1: this line is neither" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *log = NULL;

      test_bus_configure (fixture->bus, rows[i].text);
      test_bus_start (fixture->bus, fixture->program);
      test_bus_stop (fixture->bus);
      log = test_bus_log (fixture->bus);
      g_assert_nonnull (strstr (log, rows[i].said));
    }
}

static const struct
{
  const char *path;
  void (*function) (Fixture *, gconstpointer);
} tests[] = {
  { "/lifecycle/activation", test_activation },
  { "/lifecycle/idle-races", test_idle_races },
  { "/lifecycle/idle-exit", test_idle_exit },
  { "/lifecycle/client-vanishes", test_client_vanishes },
  { "/lifecycle/client-leaves-at-once", test_client_leaves_at_once },
  { "/lifecycle/client-hit-and-run", test_client_hit_and_run },
  { "/lifecycle/name-taken", test_name_taken },
  { "/lifecycle/not-replaced", test_not_replaced },
  { "/lifecycle/terminated", test_terminated },
  { "/lifecycle/cache-activation", test_cache_activation },
  { "/lifecycle/cache-busy", test_cache_busy },
  { "/lifecycle/options", test_options },
  { "/lifecycle/configuration", test_configuration },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].function, tear_down);
  return g_test_run ();
}

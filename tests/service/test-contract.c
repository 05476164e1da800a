/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The service over an engine without files: what goes over the wire, and to whom. */
#include "config.h"

#include "bus-fixture.h"
#include "service/th-portion.h"

#include <string.h>

typedef struct
{
  TestBus *bus;
  TestClient *client;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *program = test_program ("service/thimbled-fake");

  fixture->bus = test_bus_up (NULL);
  test_bus_start (fixture->bus, program);
  fixture->client = test_client_new (fixture->bus);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_client_free (fixture->client);
  test_bus_down (fixture->bus);
}

static void
test_order (Fixture *fixture, gconstpointer data)
{
  static const char *const uris[] = { "ready:a", "cached:b", "error-2:c", "cached:d",
                                      "ready:e", "",         NULL };
  guint32 handle = test_client_queue (fixture->client, uris, "large", "foreground");
  g_autoptr (GHashTable) answers = test_client_finish (fixture->client, handle);
  const TestEvent *first = test_client_wait (fixture->client, handle, TEST_READY);
  const TestEvent *failure = test_client_wait (fixture->client, handle, TEST_ERROR);
  static const char *const cached[] = { "cached:b", "cached:d", NULL };

  g_assert_cmpuint (handle, ==, 1);
  g_assert_cmpstrv (first->uris, cached);
  g_assert_cmpint (test_answer (answers, "ready:a"), ==, -1);
  g_assert_cmpint (test_answer (answers, "error-2:c"), ==, 2);
  g_assert_cmpint (test_answer (answers, "ready:e"), ==, -1);
  g_assert_cmpint (test_answer (answers, ""), ==, 8);
  g_assert_cmpuint (g_hash_table_size (answers), ==, 6);
  g_assert_true (g_utf8_validate (failure->message, -1, NULL));
}

static void
test_lists (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *method;
    const char *expected;
  } rows[] = {
    { "GetSchedulers", "(['default', 'foreground', 'background'],)" },
    { "GetFlavors", "(['xx-large', 'x-large', 'large', 'normal'],)" },
    { "GetSupported", "(['file', 'file'], ['image/jpeg', 'image/png'])" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GVariant) reply = test_client_call (fixture->client, rows[i].method, NULL);
      g_autofree char *text = g_variant_print (reply, FALSE);

      g_assert_cmpstr (text, ==, rows[i].expected);
    }
}

static void
test_schedulers (Fixture *fixture, gconstpointer data)
{
  static const char *const uris[] = { "class:", NULL };
  static const struct
  {
    const char *name;
    const char *answer;
    int code;
  } rows[] = {
    { "foreground", "error-100:class", 100 }, { "default", "error-100:class", 100 },
    { "", "error-100:class", 100 },           { "Background", "error-100:class", 100 },
    { "background", "error-101:class", 101 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      guint32 handle = test_client_queue (fixture->client, uris, "normal", rows[i].name);
      g_autoptr (GHashTable) answers = test_client_finish (fixture->client, handle);

      g_assert_cmpint (test_answer (answers, rows[i].answer), ==, rows[i].code);
    }
}

static void
test_unequal (Fixture *fixture, gconstpointer data)
{
  static const char *const uris[] = { "ready:a", "type:", NULL };
  static const char *const few[] = { "image/png", NULL };
  static const char *const many[] = { "image/png", "image/gif", "image/webp", NULL };
  static const char *const none[] = { NULL };
  TestClient *client = fixture->client;
  guint32 short_of = test_client_queue_full (client, uris, few, "normal", "default", 0);
  guint32 beyond = test_client_queue_full (client, uris, many, "normal", "default", 0);
  guint32 without = test_client_queue_full (client, none, many, "normal", "default", 0);
  g_autoptr (GHashTable) first = test_client_finish (client, short_of);
  g_autoptr (GHashTable) second = test_client_finish (client, beyond);
  g_autoptr (GHashTable) third = test_client_finish (client, without);

  g_assert_cmpint (test_answer (first, "ready:a"), ==, -1);
  g_assert_cmpint (test_answer (first, "ready:application-octet-stream"), ==, -1);
  g_assert_cmpint (test_answer (second, "ready:image-gif"), ==, -1);
  g_assert_cmpuint (g_hash_table_size (second), ==, 2);
  g_assert_cmpuint (g_hash_table_size (third), ==, 0);
}

static void
test_flavor (Fixture *fixture, gconstpointer data)
{
  static const char *const uris[] = { "ready:a", "ready:b", NULL };
  static const char *const flavors[] = { "", "huge", "Large", "normal ", "cropped" };

  for (gsize i = 0; i < G_N_ELEMENTS (flavors); i++)
    {
      guint32 handle = test_client_queue (fixture->client, uris, flavors[i], "");
      g_autoptr (GHashTable) answers = test_client_finish (fixture->client, handle);

      g_assert_cmpint (test_answer (answers, "ready:a"), ==, 5);
      g_assert_cmpint (test_answer (answers, "ready:b"), ==, 5);
    }
}

static void
test_dequeue (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TestClient) other = test_client_new (fixture->bus);
  TestClient *client = fixture->client;
  guint32 handle = test_client_queue_one (client, "wait:a");
  g_autoptr (GHashTable) answers = NULL;

  test_client_wait (client, handle, TEST_STARTED);
  test_client_dequeue (other, 0);
  test_client_dequeue (other, handle + 100);
  test_client_dequeue (other, handle);
  answers = test_client_finish (client, handle);
  g_assert_cmpuint (g_hash_table_size (answers), ==, 0);
  test_client_dequeue (other, handle);
}

static void
test_unqueue (Fixture *fixture, gconstpointer data)
{
  static const char *const uris[] = { "ready:b", NULL };
  static const char *const types[] = { "image/png", NULL };
  TestClient *client = fixture->client;
  guint32 old = test_client_queue_one (client, "wait:a");
  guint32 new = test_client_queue_full (client, uris, types, "normal", "default", old);
  guint32 third = test_client_queue_full (client, uris, types, "normal", "default", 12345);
  g_autoptr (GHashTable) first = test_client_finish (client, old);
  g_autoptr (GHashTable) second = test_client_finish (client, new);
  g_autoptr (GHashTable) last = test_client_finish (client, third);

  g_assert_cmpuint (g_hash_table_size (first), ==, 0);
  g_assert_cmpint (test_answer (second, "ready:b"), ==, -1);
  g_assert_cmpint (test_answer (last, "ready:b"), ==, -1);
}

/* A bystander that asks the bus for every signal of the interface sees none of others' requests. */
static void
test_unicast (Fixture *fixture, gconstpointer data)
{
  static const char *const uris[] = { "cached:a", "ready:b", "error-3:c", NULL };
  g_autoptr (TestClient) other = test_client_new (fixture->bus);
  g_autoptr (GVariant) matched = NULL;
  guint32 handle, mine;

  matched = g_dbus_connection_call_sync (
      other->connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "AddMatch", g_variant_new ("(s)", "type='signal',interface='" TEST_NAME "'"), NULL,
      G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  g_assert_nonnull (matched);
  handle = test_client_queue (fixture->client, uris, "normal", "default");
  g_hash_table_unref (test_client_finish (fixture->client, handle));
  mine = test_client_queue_one (other, "ready:mine");
  g_hash_table_unref (test_client_finish (other, mine));
  for (guint i = 0; i < other->events->len; i++)
    g_assert_cmpuint (((TestEvent *) other->events->pdata[i])->handle, ==, mine);
}

/* Each in exactly one answer as often as it was listed, yet never twice in one signal. */
static void
test_duplicates (Fixture *fixture, gconstpointer data)
{
  static const char *const uris[] = { "cached:a", "cached:b", "cached:a", "cached:a", NULL };
  guint32 handle = test_client_queue (fixture->client, uris, "normal", "default");
  g_autoptr (GHashTable) answers = test_client_finish (fixture->client, handle);
  GArray *codes = g_hash_table_lookup (answers, "cached:a");

  g_assert_cmpuint (codes->len, ==, 3);
  g_assert_cmpint (test_answer (answers, "cached:b"), ==, -1);
  g_assert_cmpuint (test_client_count (fixture->client, handle, TEST_READY), ==, 3);
}

#define MANY 100000u

static gsize
bytes_of (char **uris)
{
  gsize bytes = 0;

  for (char **uri = uris; *uri != NULL; uri++)
    bytes += strlen (*uri) + 1;
  return bytes;
}

static void
test_many (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) uris = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) answers = NULL;
  guint32 handle;

  for (guint i = 0; i < MANY; i++)
    g_ptr_array_add (uris, g_strdup_printf ("cached:%0100u", i));
  g_ptr_array_add (uris, NULL);
  handle = test_client_queue (fixture->client, (const char *const *) uris->pdata, "normal", "");
  answers = test_client_finish (fixture->client, handle);
  g_assert_cmpuint (g_hash_table_size (answers), ==, MANY);
  g_assert_cmpuint (test_client_count (fixture->client, handle, TEST_READY), >, 1);
  for (guint i = 0; i < fixture->client->events->len; i++)
    {
      const TestEvent *event = fixture->client->events->pdata[i];

      if (event->kind == TEST_READY)
        g_assert_cmpuint (bytes_of (event->uris), <=, TH_PORTION_BYTES);
    }
}

static void
test_wrong_signature (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      fixture->client->connection, TEST_NAME, "/org/freedesktop/thumbnails/Thumbnailer1", TEST_NAME,
      "Queue", g_variant_new ("(s)", "file:///a"), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);

  g_assert_error (error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS);
  g_assert_null (reply);
}

/* Several clients queue and dequeue their own and each other's requests at random; every request
 * ends as it must, and its owner alone is told. */
static void
test_races (Fixture *fixture, gconstpointer data)
{
  static const char *const uris[] = { "cached:a", "ready:b", "wait:c", "error-2:d", NULL };
  TestClient *clients[4];
  GArray *handles[G_N_ELEMENTS (clients)];
  g_autoptr (GRand) rand = g_rand_new_with_seed (20260714);

  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    {
      clients[i] = test_client_new (fixture->bus);
      handles[i] = g_array_new (FALSE, FALSE, sizeof (guint32));
    }
  for (guint i = 0; i < 400; i++)
    {
      guint who = (guint) g_rand_int_range (rand, 0, G_N_ELEMENTS (clients));
      guint32 handle =
          test_client_queue (clients[who], uris + g_rand_int_range (rand, 0, 5), "normal",
                             g_rand_boolean (rand) ? "background" : "default");

      g_array_append_val (handles[who], handle);
      test_client_dequeue (clients[g_rand_int_range (rand, 0, G_N_ELEMENTS (clients))],
                           (guint32) g_rand_int_range (rand, 0, (gint32) handle + 2));
    }
  for (guint32 handle = 1; handle <= 400; handle++)
    test_client_dequeue (clients[0], handle);
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    {
      for (guint n = 0; n < handles[i]->len; n++)
        g_hash_table_unref (
            test_client_finish (clients[i], g_array_index (handles[i], guint32, n)));
      test_client_free (clients[i]);
      g_array_unref (handles[i]);
    }
}

static void
test_trouble (Fixture *fixture, gconstpointer data)
{
  static const char *const uris[] = { "trouble:a", "trouble:b", NULL };
  guint32 handle = test_client_queue (fixture->client, uris, "normal", "default");
  g_autofree char *log = NULL;
  const char *first;

  g_hash_table_unref (test_client_finish (fixture->client, handle));
  log = test_bus_log (fixture->bus);
  first = strstr (log, "no lock-down here");
  g_assert_nonnull (first);
  g_assert_null (strstr (first + 1, "no lock-down here"));
}

static const struct
{
  const char *path;
  void (*function) (Fixture *, gconstpointer);
} tests[] = {
  { "/contract/order", test_order },
  { "/contract/lists", test_lists },
  { "/contract/schedulers", test_schedulers },
  { "/contract/unequal-lengths", test_unequal },
  { "/contract/flavor", test_flavor },
  { "/contract/dequeue", test_dequeue },
  { "/contract/unqueue", test_unqueue },
  { "/contract/unicast", test_unicast },
  { "/contract/duplicates", test_duplicates },
  { "/contract/many", test_many },
  { "/contract/wrong-signature", test_wrong_signature },
  { "/contract/races", test_races },
  { "/contract/trouble", test_trouble },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].function, tear_down);
  return g_test_run ();
}

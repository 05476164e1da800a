/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The service's own interface with real pictures: what it counts is exact, what it forgets is
 * exactly what was named. */
#include "config.h"

#include <string.h>

#include "cache/th-uri.h"
#include "pictures.h"

#define PICTURES 12u

typedef struct
{
  TestBus *bus;
  TestClient *client;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *daemon = test_program ("../src/service/thimbled");

  fixture->bus = test_bus_up (daemon);
  fixture->client = test_client_new (fixture->bus);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_client_free (fixture->client);
  test_bus_down (fixture->bus);
}

static GVariant *
call (Fixture *fixture, const char *method, GVariant *arguments, const char *type)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      fixture->client->connection, TEST_NAME, "/org/freedesktop/thumbnails/thimble/Service1",
      "org.freedesktop.thumbnails.thimble.Service1", method, arguments, G_VARIANT_TYPE (type),
      G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);

  g_assert_no_error (error);
  return g_variant_get_child_value (reply, 0);
}

static guint64
number (GVariant *status, const char *key)
{
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (status, key, "t", &value));
  return value;
}

static void
make_all (Fixture *fixture, char **uris, const char *flavor)
{
  guint32 handle =
      test_client_queue (fixture->client, (const char *const *) uris, flavor, "foreground");

  g_hash_table_unref (test_client_finish (fixture->client, handle));
}

static void
check_workers (GVariant *status)
{
  g_autoptr (GVariant) workers =
      g_variant_lookup_value (status, "workers", G_VARIANT_TYPE ("a(subtt)"));
  guint64 all = 0;

  g_assert_nonnull (workers);
  g_assert_cmpuint (g_variant_n_children (workers), >, 0);
  for (gsize i = 0; i < g_variant_n_children (workers); i++)
    {
      const char *module;
      guint32 pid;
      guint64 files, memory;

      g_variant_get_child (workers, i, "(&subtt)", &module, &pid, NULL, &files, &memory);
      g_assert_cmpstr (module, ==, "");
      g_assert_cmpuint (pid, >, 1);
      g_assert_cmpuint (memory, >, 0);
      all += files;
    }
  g_assert_cmpuint (all, ==, PICTURES);
}

static void
check_outcomes (GVariant *status)
{
  g_autoptr (GVariant) errors = g_variant_lookup_value (status, "errors", G_VARIANT_TYPE ("a{ut}"));
  g_autoptr (GVariant) decodes =
      g_variant_lookup_value (status, "decodes", G_VARIANT_TYPE ("a{st}"));
  g_autofree char *told = g_variant_print (errors, FALSE);
  g_autofree char *ended = g_variant_print (decodes, FALSE);

  g_assert_cmpstr (told, ==, "{8: 1}");
  g_assert_cmpstr (ended, ==, "{'ok': 12}");
}

/* A file is answered a moment before its thread gives back what it was granted. */
static GVariant *
get_status_at_rest (Fixture *fixture)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE_US;
  GVariant *status = call (fixture, "GetStatus", NULL, "(a{sv})");

  while (number (status, "budget-used") > 0 && g_get_monotonic_time () < end)
    {
      g_variant_unref (status);
      g_usleep (2000);
      status = call (fixture, "GetStatus", NULL, "(a{sv})");
    }
  return status;
}

/* Twelve that are made, twice, and one that is missing. */
static void
test_status (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, PICTURES, 40);
  char *missing[] = { (char *) "file:///nowhere/at/all.png", NULL };
  g_autoptr (GVariant) status = NULL;
  guint64 bytes = 0;

  for (guint i = 0; i < PICTURES; i++)
    {
      g_autofree char *path = th_uri_to_path (uris[i], NULL);
      g_autofree char *contents = NULL;
      gsize size = 0;

      g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
      bytes += size;
    }
  make_all (fixture, uris, "normal");
  make_all (fixture, uris, "normal");
  make_all (fixture, missing, "normal");
  status = get_status_at_rest (fixture);
  g_assert_cmpuint (number (status, "misses"), ==, PICTURES);
  g_assert_cmpuint (number (status, "hits"), ==, PICTURES);
  g_assert_cmpuint (number (status, "ready"), ==, 2 * PICTURES);
  g_assert_cmpuint (number (status, "files"), ==, PICTURES);
  g_assert_cmpuint (number (status, "thumbnails"), ==, PICTURES);
  g_assert_cmpuint (number (status, "bytes"), ==, bytes);
  g_assert_cmpuint (number (status, "budget-used"), ==, 0);
  g_assert_cmpuint (number (status, "memory"), >, 0);
  check_workers (status);
  check_outcomes (status);
}

/* Sizes are told, others' entries stay, and what was never there is 0. */
static void
test_forget (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, 3, 40);
  const char *const named[] = { uris[0], "file:///nowhere/at/all.png", uris[1], NULL };
  char *others[] = { uris[0], uris[2], NULL };
  g_autofree char *gone = test_thumbnail (fixture->bus, uris[0], TH_FLAVOR_LARGE);
  g_autoptr (GVariant) had = NULL;
  const guint32 *bits;
  gsize n = 0;

  make_all (fixture, uris, "normal");
  make_all (fixture, others, "large");
  had = call (fixture, "Forget", g_variant_new ("(^as)", named), "(au)");
  bits = g_variant_get_fixed_array (had, &n, sizeof *bits);
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpuint (bits[0], ==, 1 | 2);
  g_assert_cmpuint (bits[1], ==, 0);
  g_assert_cmpuint (bits[2], ==, 1);
  g_assert_false (g_file_test (gone, G_FILE_TEST_EXISTS));
  test_check_thumbnail (fixture->bus, uris[2], TH_FLAVOR_NORMAL);
  test_check_thumbnail (fixture->bus, uris[2], TH_FLAVOR_LARGE);
}

static char *
list_formats (void)
{
  g_autofree char *ctl = test_program ("../src/ctl/thimblectl");
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, ctl, "formats", NULL);
  char *out = NULL;

  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, NULL, NULL));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 0);
  return out;
}

/* What explain says of a file that is called so. */
static char *
explain (Fixture *fixture, const char *type, int status)
{
  g_autofree char *ctl = test_program ("../src/ctl/thimblectl");
  g_autofree char *file = g_build_filename (fixture->bus->pictures, "others", NULL);
  g_autofree char *option = g_strconcat ("--type=", type, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;
  char *out = NULL;

  g_assert_true (g_file_set_contents (file, "what only others know", -1, NULL));
  process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, ctl, "explain", option, file, NULL);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, NULL, NULL));
  g_test_message ("%s", out);
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, status);
  return out;
}

/* Both commands know those that only the service knows. */
static void
test_explain (Fixture *fixture, gconstpointer data)
{
  const char *const schemes[] = { "file", NULL };
  const char *const types[] = { "image/x-of-others", NULL };
  const char *name = g_dbus_connection_get_unique_name (fixture->client->connection);
  g_autofree char *before = explain (fixture, types[0], 1);
  g_autoptr (GVariant) nobody = call (fixture, "GetSpecialists", NULL, "(a(ssss))");
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      fixture->client->connection, "org.freedesktop.thumbnails.Manager1",
      "/org/freedesktop/thumbnails/Manager1", "org.freedesktop.thumbnails.Manager1", "Register",
      g_variant_new ("(^as^as)", schemes, types), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  g_autofree char *after = explain (fixture, types[0], 0);
  g_autofree char *first = g_strdup_printf ("%s (a specialised thumbnailer, registered)", name);
  g_autofree char *listed = g_strdup_printf ("%s (specialised): image/x-of-others\n", name);
  g_autofree char *formats = list_formats ();
  g_autofree char *so = g_strdup_printf ("when a program asks for one, if %s makes it", name);

  g_assert_nonnull (reply);
  g_assert_cmpuint (g_variant_n_children (nobody), ==, 0);
  g_assert_nonnull (strstr (before, "it gets none (no-handler)"));
  g_assert_nonnull (strstr (after, first));
  g_assert_nonnull (strstr (after, so));
  g_assert_nonnull (strstr (formats, listed));
}

/* Whoever registers is listed, as long as it stays. */
static void
test_specialists (Fixture *fixture, gconstpointer data)
{
  const char *const schemes[] = { "file", NULL };
  const char *const types[] = { "image/x-of-others", NULL };
  g_autoptr (GVariant) before = call (fixture, "GetSpecialists", NULL, "(a(ssss))");
  g_autoptr (GVariant) after = NULL;
  g_autoptr (GVariant) reply = g_dbus_connection_call_sync (
      fixture->client->connection, "org.freedesktop.thumbnails.Manager1",
      "/org/freedesktop/thumbnails/Manager1", "org.freedesktop.thumbnails.Manager1", "Register",
      g_variant_new ("(^as^as)", schemes, types), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  const char *scheme, *type, *name, *file;

  g_assert_nonnull (reply);
  g_assert_cmpuint (g_variant_n_children (before), ==, 0);
  after = call (fixture, "GetSpecialists", NULL, "(a(ssss))");
  g_assert_cmpuint (g_variant_n_children (after), ==, 1);
  g_variant_get_child (after, 0, "(&s&s&s&s)", &scheme, &type, &name, &file);
  g_assert_cmpstr (scheme, ==, "file");
  g_assert_cmpstr (type, ==, "image/x-of-others");
  g_assert_cmpstr (name, ==, g_dbus_connection_get_unique_name (fixture->client->connection));
  g_assert_cmpstr (file, ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/service-iface/status", Fixture, NULL, set_up, test_status, tear_down);
  g_test_add ("/service-iface/forget", Fixture, NULL, set_up, test_forget, tear_down);
  g_test_add ("/service-iface/specialists", Fixture, NULL, set_up, test_specialists, tear_down);
  g_test_add ("/service-iface/explain", Fixture, NULL, set_up, test_explain, tear_down);
  return g_test_run ();
}

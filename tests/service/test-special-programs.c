/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Specialised thumbnailers that the bus starts, that crash, flood and never answer. This program is
 * one of them itself where it is told so. */
#include "config.h"

#include <glib/gstdio.h>

#include "base/th-error.h"
#include "pictures.h"
#include "specialist.h"

#define SERVE      "serve"
#define WELL_KNOWN "org.thimble.Testing"

typedef struct
{
  TestBus *bus;
  TestClient *client;
} Fixture;

/* data: how this program is to be started by the bus for the name that a file describes. */
static void
describe (Fixture *fixture, const char *words)
{
  g_autofree char *folder = g_build_filename (g_getenv ("XDG_DATA_HOME"), "thumbnailers", NULL);
  g_autofree char *file = g_build_filename (folder, "testing.service", NULL);
  g_autofree char *service =
      g_build_filename (fixture->bus->root, "services", WELL_KNOWN ".service", NULL);
  g_autofree char *start =
      g_strdup_printf ("[D-BUS Service]\nName=%s\nExec=%s\n", WELL_KNOWN, words);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (file,
                                      "[Specialized Thumbnailer]\nName=" WELL_KNOWN
                                      "\nObjectPath=" OBJECT "\nMimeTypes=" TYPE ";image/png;\n",
                                      -1, NULL));
  g_assert_true (g_file_set_contents (service, start, -1, NULL));
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *program = test_program ("../src/service/thimbled");
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *words = g_strconcat (self, " " SERVE, NULL);
  g_autofree char *settings = g_strconcat ("[specialized]\nwall-seconds=", data, "\n", NULL);

  fixture->bus = test_bus_up (NULL);
  test_bus_configure (fixture->bus, settings);
  describe (fixture, words);
  test_bus_start (fixture->bus, program);
  fixture->client = test_client_new (fixture->bus);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_client_free (fixture->client);
  test_bus_down (fixture->bus);
}

static guint32
queue (Fixture *fixture, const char *uri, const char *type)
{
  const char *const uris[] = { uri, NULL };
  const char *const types[] = { type, NULL };

  return test_client_queue_full (fixture->client, uris, types, "normal", "foreground", 0);
}

static int
ask_as (Fixture *fixture, const char *uri, const char *type)
{
  g_autoptr (GHashTable) answers = test_client_finish (fixture->client, queue (fixture, uri, type));

  return test_answer (answers, uri);
}

/* The bus starts it, and again after it has crashed in the middle of one. */
static void
test_activated (Fixture *fixture, gconstpointer data)
{
  g_autofree char *first = special_uri (fixture->bus, "ready");
  g_autofree char *crash = special_uri (fixture->bus, "crash");
  g_autofree char *next = special_uri (fixture->bus, "ready-too");

  g_assert_cmpint (ask_as (fixture, first, TYPE), ==, -1);
  test_check_thumbnail (fixture->bus, first, TH_FLAVOR_NORMAL);
  g_assert_cmpint (ask_as (fixture, crash, TYPE), ==, TH_ERROR_CONNECTION);
  g_assert_cmpint (ask_as (fixture, next, TYPE), ==, -1);
}

/* What it cannot make our own decoders do. */
static void
test_falls_back (Fixture *fixture, gconstpointer data)
{
  g_autofree char *error = test_picture (fixture->bus, "error.png", 40, 1);
  g_autofree char *crash = test_picture (fixture->bus, "crash.png", 40, 2);
  g_autofree char *lie = test_picture (fixture->bus, "lie.png", 40, 3);

  g_assert_cmpint (ask_as (fixture, error, "image/png"), ==, -1);
  g_assert_cmpint (ask_as (fixture, crash, "image/png"), ==, -1);
  g_assert_cmpint (ask_as (fixture, lie, "image/png"), ==, -1);
  test_check_thumbnail (fixture->bus, lie, TH_FLAVOR_NORMAL);
}

/* Others go on while one says much and never answers. */
static void
test_holds_up_nobody (Fixture *fixture, gconstpointer data)
{
  g_autofree char *flood = special_uri (fixture->bus, "flood");
  g_autofree char *picture = test_picture (fixture->bus, "mine.jpg", 40, 1);
  guint32 handle = queue (fixture, flood, TYPE);

  g_assert_cmpint (ask_as (fixture, picture, "image/jpeg"), ==, -1);
  g_assert_cmpuint (test_client_count (fixture->client, handle, TEST_FINISHED), ==, 0);
  test_client_dequeue (fixture->client, handle);
  g_hash_table_unref (test_client_finish (fixture->client, handle));
}

static void
wait_for (gint *number)
{
  for (guint i = 0; g_atomic_int_get (number) == 0; i++)
    {
      g_assert_cmpuint (i, <, 6000);
      g_usleep (10000);
    }
}

/* It is told that nobody waits any more. */
static void
test_given_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uri = special_uri (fixture->bus, "silent");
  Specialist *special = specialist_new (fixture->bus, NULL);
  guint32 handle;

  g_assert_true (call_register (special->connection, g_variant_new ("(ss)", "file", TYPE)));
  handle = queue (fixture, uri, TYPE);
  wait_for (&special->asked);
  test_client_dequeue (fixture->client, handle);
  wait_for (&special->given_up);
  specialist_free (special);
}

/* The service does not wait for it when it is to end. */
static void
test_ends_meanwhile (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uri = special_uri (fixture->bus, "silent");
  Specialist *special = specialist_new (fixture->bus, NULL);

  g_assert_true (call_register (special->connection, g_variant_new ("(ss)", "file", TYPE)));
  queue (fixture, uri, TYPE);
  wait_for (&special->asked);
  test_bus_stop (fixture->bus);
  specialist_free (special);
}

/* Goes with its bus, which is noticed in the main context. */
static int
serve (void)
{
  g_autofree char *cache = g_build_filename (g_get_user_cache_dir (), "thumbnails", NULL);
  TestBus bus = { .address = (char *) g_getenv ("DBUS_SESSION_BUS_ADDRESS"), .cache = cache };
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Specialist *special = specialist_new (&bus, WELL_KNOWN);

  g_dbus_connection_set_exit_on_close (special->connection, TRUE);
  g_main_loop_run (loop);
  return 0;
}

#define ADD(path, seconds, test) g_test_add (path, Fixture, seconds, set_up, test, tear_down)

int
main (int argc, char **argv)
{
  if (argc == 2 && g_str_equal (argv[1], SERVE))
    return serve ();
  g_test_init (&argc, &argv, NULL);
  ADD ("/specialists/activated", "60", test_activated);
  ADD ("/specialists/falls-back", "60", test_falls_back);
  ADD ("/specialists/holds-up-nobody", "3600", test_holds_up_nobody);
  ADD ("/specialists/given-up", "3600", test_given_up);
  ADD ("/specialists/ends-meanwhile", "3600", test_ends_meanwhile);
  return g_test_run ();
}

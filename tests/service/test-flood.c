/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many files, many clients, many changes of mind, and one that only wants to know whether the
 * service answers. TH_FLOOD_SECONDS makes the races longer. */
#include "config.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "bus-fixture.h"
#include "pictures.h"

#define N_FILES      100000u
#define N_REAL       50u /* of which so many are there */
#define N_CLIENTS    50u
#define RACE_SECONDS 3u
/* So often somebody asks whether the service answers. */
#define PING_MS 2
/* MiB: the most that the service may ever hold, and what it must come down to when nobody waits. A
 * sanitizer's heap has other manners; then the workers get no slack either. */
#define PEAK_MIB      256
#define LEFT_MIB      48
#define MEMORY_COUNTS (TH_WORKER_SLACK_MIB > 0)
/* The argument that makes this program do so. */
#define PINGER "--pinger"

typedef struct
{
  TestBus *bus;
  char **uris;         /* pictures that are there */
  GSubprocess *pinger; /* a process of its own, or it would wait for our own writing */
} Fixture;

static void
call_flavors (GDBusConnection *connection, const char *name, const char *path, const char *method)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply =
      g_dbus_connection_call_sync (connection, name, path, name, method, NULL, NULL,
                                   G_DBUS_CALL_FLAGS_NONE, 120000, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (reply);
}

static int
by_size (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a;
  gint64 y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

static double
at_share (const GArray *times, double share)
{
  guint last = times->len - 1;

  return (double) g_array_index (times, gint64, (guint) (share * last)) / 1000;
}

static void
tell (const char *who, GArray *times)
{
  g_array_sort (times, by_size);
  g_print ("# %s answered %u times: median %.1f ms, 99 %% %.1f ms, longest %.1f ms\n", who,
           times->len, at_share (times, 0.5), at_share (times, 0.99), at_share (times, 1));
}

/* Asks the service, and the bus itself, until standard input ends. */
static int
be_pinger (void)
{
  g_autoptr (GDBusConnection) connection = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  g_autoptr (GArray) service = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) bus = g_array_new (FALSE, FALSE, sizeof (gint64));
  struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

  while (poll (&input, 1, PING_MS) == 0)
    {
      gint64 start = g_get_monotonic_time ();
      gint64 between, took;

      call_flavors (connection, TEST_NAME, "/org/freedesktop/thumbnails/Thumbnailer1",
                    "GetFlavors");
      between = g_get_monotonic_time ();
      took = between - start;
      g_array_append_val (service, took);
      call_flavors (connection, "org.freedesktop.DBus", "/org/freedesktop/DBus", "GetId");
      took = g_get_monotonic_time () - between;
      g_array_append_val (bus, took);
    }
  tell ("the service", service);
  tell ("the bus alone", bus);
  return 0;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *program = test_program ("../src/service/thimbled");
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE);

  fixture->bus = test_bus_up (NULL);
  test_bus_start (fixture->bus, program);
  fixture->uris = test_pictures (fixture->bus, N_REAL, 60);
  g_subprocess_launcher_setenv (launcher, "DBUS_SESSION_BUS_ADDRESS", fixture->bus->address, TRUE);
  fixture->pinger = g_subprocess_launcher_spawn (launcher, NULL, self, PINGER, NULL);
  g_assert_nonnull (fixture->pinger);
}

/* KiB of the service's memory, by the kernel's name for it. */
static gint64
memory (Fixture *fixture, const char *what)
{
  g_autofree char *path =
      g_strdup_printf ("/proc/%s/status", g_subprocess_get_identifier (fixture->bus->daemon));
  g_autofree char *status = NULL;
  const char *line;

  g_assert_true (g_file_get_contents (path, &status, NULL, NULL));
  line = strstr (status, what);
  g_assert_nonnull (line);
  return g_ascii_strtoll (line + strlen (what), NULL, 10);
}

/* Bounded while it lasts, and given back afterwards. */
static void
check_memory (Fixture *fixture)
{
  gint64 end = g_get_monotonic_time () + TEST_PATIENCE_US;
  gint64 left;

  while ((left = memory (fixture, "VmRSS:")) > LEFT_MIB * 1024 && MEMORY_COUNTS
         && g_get_monotonic_time () < end)
    g_usleep (100000);
  g_test_message ("the service held at most %" G_GINT64_FORMAT " KiB, %" G_GINT64_FORMAT
                  " in the end",
                  memory (fixture, "VmHWM:"), left);
  if (!MEMORY_COUNTS)
    return;
  g_assert_cmpint (memory (fixture, "VmHWM:"), <=, PEAK_MIB * 1024);
  g_assert_cmpint (left, <=, LEFT_MIB * 1024);
}

/* How long answers took is told, and no more: a slow machine is no fault. */
static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *said = NULL;

  g_assert_true (g_subprocess_communicate_utf8 (fixture->pinger, "", NULL, &said, NULL, NULL));
  g_assert_true (g_subprocess_get_successful (fixture->pinger));
  g_print ("%s", said);
  check_memory (fixture);
  g_object_unref (fixture->pinger);
  test_bus_stop (fixture->bus);
  test_bus_down (fixture->bus);
  g_strfreev (fixture->uris);
}

/* Most are missing; those that are there are strewn among them. */
static GPtrArray *
many_uris (Fixture *fixture)
{
  GPtrArray *uris = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < N_FILES; i++)
    if (i % (N_FILES / N_REAL) == 0)
      g_ptr_array_add (uris, g_strdup (fixture->uris[i / (N_FILES / N_REAL)]));
    else
      g_ptr_array_add (uris, g_strdup_printf ("file:///nowhere/at/all/picture-%u.png", i));
  g_ptr_array_add (uris, NULL);
  return uris;
}

/* One Ready or Error for each, whatever else there is. */
static void
test_many_files (Fixture *fixture, gconstpointer scheduler)
{
  g_autoptr (TestClient) client = test_client_new (fixture->bus);
  g_autoptr (GPtrArray) uris = many_uris (fixture);
  g_autoptr (GHashTable) answers = NULL;
  guint32 handle;
  guint ready = 0;

  handle = test_client_queue (client, (const char *const *) uris->pdata, "normal", scheduler);
  answers = test_client_finish (client, handle);
  g_assert_cmpuint (g_hash_table_size (answers), ==, N_FILES);
  for (guint i = 0; i < N_FILES; i++)
    ready += test_answer (answers, uris->pdata[i]) == -1;
  g_assert_cmpuint (ready, ==, N_REAL);
}

typedef struct
{
  Fixture *fixture;
  GThread *thread;
  gint64 end;
  guint32 seed;
  guint live;
  guint given_up;
} Racer;

/* All that was not given up is answered; what was is finished at least. */
static void
check (TestClient *client, Racer *racer, guint32 handle, gboolean given_up)
{
  g_autoptr (GHashTable) answers = test_client_finish (client, handle);
  GHashTableIter iter;
  gpointer codes;

  g_hash_table_iter_init (&iter, answers);
  while (g_hash_table_iter_next (&iter, NULL, &codes))
    g_assert_cmpuint (((GArray *) codes)->len, ==, 1);
  if (!given_up)
    g_assert_cmpuint (g_hash_table_size (answers), ==, N_REAL);
  racer->given_up += given_up;
  racer->live += !given_up;
}

static gpointer
race (gpointer data)
{
  static const char *const schedulers[] = { "foreground", "background" };
  Racer *racer = data;
  g_autoptr (TestClient) client = test_client_new (racer->fixture->bus);
  g_autoptr (GRand) rand = g_rand_new_with_seed (racer->seed);
  guint32 last = 0;

  do
    {
      ThFlavor flavor = (ThFlavor) g_rand_int_range (rand, 0, TH_N_FLAVORS);
      guint32 handle =
          test_client_queue (client, (const char *const *) racer->fixture->uris,
                             th_flavor_name (flavor), schedulers[g_rand_int_range (rand, 0, 2)]);
      gboolean given_up = g_rand_boolean (rand);

      if (given_up)
        test_client_dequeue (client, handle);
      if (last != 0 && g_rand_boolean (rand))
        test_client_dequeue (client, last);
      check (client, racer, handle, given_up);
      g_ptr_array_set_size (client->events, 0);
      last = handle;
    }
  while (g_get_monotonic_time () < racer->end);
  return NULL;
}

static guint
race_seconds (void)
{
  const char *text = g_getenv ("TH_FLOOD_SECONDS");

  return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10) : RACE_SECONDS;
}

static void
test_races (Fixture *fixture, gconstpointer data)
{
  gint64 end = g_get_monotonic_time () + (gint64) race_seconds () * G_USEC_PER_SEC;
  Racer racers[N_CLIENTS];
  guint live = 0, given_up = 0;

  for (guint i = 0; i < N_CLIENTS; i++)
    {
      racers[i] = (Racer){ .fixture = fixture, .end = end, .seed = 4711 + i };
      racers[i].thread = g_thread_new ("racer", race, &racers[i]);
    }
  for (guint i = 0; i < N_CLIENTS; i++)
    {
      g_thread_join (racers[i].thread);
      live += racers[i].live;
      given_up += racers[i].given_up;
    }
  g_test_message ("%u requests were answered, %u given up", live, given_up);
  g_assert_cmpuint (live + given_up, >=, N_CLIENTS);
}

#define ADD(path, data, test) g_test_add (path, Fixture, data, set_up, test, tear_down)

int
main (int argc, char **argv)
{
  if (argc == 2 && g_str_equal (argv[1], PINGER))
    return be_pinger ();
  g_test_init (&argc, &argv, NULL);
  ADD ("/flood/foreground", "foreground", test_many_files);
  ADD ("/flood/background", "background", test_many_files);
  ADD ("/flood/races", NULL, test_races);
  return g_test_run ();
}

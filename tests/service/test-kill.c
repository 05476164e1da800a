/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is left when workers, or the service itself, are killed in the middle of their work. */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "bus-fixture.h"
#include "pictures.h"

typedef struct
{
  TestBus *bus;
  char *program;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->program = test_program ("../src/service/thimbled");
  fixture->bus = test_bus_up (NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_bus_down (fixture->bus);
  g_free (fixture->program);
}

static gboolean
is_worker (guint pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%u/comm", pid);
  g_autofree char *name = NULL;

  return g_file_get_contents (path, &name, NULL, NULL) && g_str_has_prefix (name, "thimble-worker");
}

/* A child of any of the service's threads that is a worker, or 0. */
static guint
find_worker (const char *service)
{
  g_autofree char *tasks = g_strdup_printf ("/proc/%s/task", service);
  g_autoptr (GDir) dir = g_dir_open (tasks, 0, NULL);
  const char *task;

  while (dir != NULL && (task = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (tasks, task, "children", NULL);
      g_autofree char *children = NULL;
      g_auto (GStrv) pids = NULL;

      if (!g_file_get_contents (path, &children, NULL, NULL))
        continue;
      pids = g_strsplit (children, " ", -1);
      for (guint i = 0; pids[i] != NULL; i++)
        if (is_worker ((guint) g_ascii_strtoull (pids[i], NULL, 10)))
          return (guint) g_ascii_strtoull (pids[i], NULL, 10);
    }
  return 0;
}

#define FILES 120u

/* Each killed worker costs one file at the most; all others, and the next request, are served. */
static void
test_workers (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, FILES, 500);
  g_autoptr (TestClient) client = NULL;
  g_autoptr (GHashTable) answers = NULL;
  g_autofree char *next = test_picture (fixture->bus, "next.png", 500, FILES);
  guint kills = 0, failed = 0;
  guint32 handle;

  test_bus_start (fixture->bus, fixture->program);
  client = test_client_new (fixture->bus);
  handle = test_client_queue (client, (const char *const *) uris, "large", "foreground");
  for (guint i = 0; i < 200 && kills < 10; i++)
    {
      guint pid = find_worker (g_subprocess_get_identifier (fixture->bus->daemon));

      kills += pid != 0 && kill ((pid_t) pid, SIGKILL) == 0;
      g_usleep (20000);
    }
  answers = test_client_finish (client, handle);
  for (guint i = 0; i < FILES; i++)
    failed += test_answer (answers, uris[i]) != -1;
  g_test_message ("%u kills cost %u of %u files", kills, failed, FILES);
  g_assert_cmpuint (kills, >, 0);
  g_assert_cmpuint (failed, <=, kills);
  g_hash_table_unref (test_client_finish (client, test_client_queue_one (client, next)));
  test_check_thumbnail (fixture->bus, next, TH_FLAVOR_NORMAL);
}

/* Every thumbnail that is there is whole. Returns how many other files there are, and ages them as
 * if their writer had died long ago. */
static guint
check_cache (TestBus *bus, char **uris, ThFlavor flavor)
{
  const struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
  g_autofree char *folder = g_build_filename (bus->cache, th_flavor_name (flavor), NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint others = 0;

  for (guint i = 0; uris[i] != NULL; i++)
    {
      g_autofree char *path = test_thumbnail (bus, uris[i], flavor);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        test_check_thumbnail (bus, uris[i], flavor);
    }
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (strlen (name) == strlen ("0123456789abcdef0123456789abcdef.png") && name[0] != '.')
        continue;
      others++;
      g_assert_no_errno (utimensat (AT_FDCWD, path, old, 0));
    }
  return others;
}

static void
make_stale (TestBus *bus, char **uris, gint64 round)
{
  const struct timespec now[2] = { { .tv_sec = 1500000000 + round },
                                   { .tv_sec = 1500000000 + round } };

  for (guint i = 0; uris[i] != NULL; i++)
    {
      g_autofree char *path = g_filename_from_uri (uris[i], NULL, NULL);

      g_assert_no_errno (utimensat (AT_FDCWD, path, now, 0));
    }
}

/* The bus learns of it a little later. */
static void
kill_service (TestBus *bus, TestClient *client)
{
  g_autoptr (GSubprocess) daemon = g_steal_pointer (&bus->daemon);

  g_subprocess_force_exit (daemon);
  g_assert_true (g_subprocess_wait (daemon, NULL, NULL));
  test_client_wait_unowned (client);
}

static void
make_all (TestBus *bus, char **uris)
{
  g_autoptr (TestClient) client = test_client_new (bus);
  guint32 handle = test_client_queue (client, (const char *const *) uris, "x-large", "foreground");
  g_autoptr (GHashTable) answers = test_client_finish (client, handle);

  for (guint i = 0; uris[i] != NULL; i++)
    g_assert_cmpint (test_answer (answers, uris[i]), ==, -1);
}

#define KILLS 100

/* However often the service is killed, no half thumbnail lies in the cache, and what its temporary
 * files leave behind goes when they are old. */
static void
test_service (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, 12, 700);
  g_autoptr (GRand) rand = g_rand_new_with_seed (20260714);
  guint left = 0;

  for (guint i = 0; i < KILLS; i++)
    {
      g_autoptr (TestClient) client = NULL;
      guint32 handle;

      make_stale (fixture->bus, uris, i);
      test_bus_start (fixture->bus, fixture->program);
      client = test_client_new (fixture->bus);
      handle = test_client_queue (client, (const char *const *) uris, "x-large", "foreground");
      test_client_wait (client, handle, i % 4 == 0 ? TEST_STARTED : TEST_READY);
      g_usleep ((gulong) g_rand_int_range (rand, 0, 30000));
      kill_service (fixture->bus, client);
      left += check_cache (fixture->bus, uris, TH_FLAVOR_X_LARGE);
    }
  g_test_message ("%u temporary files were seen after %d kills", left, KILLS);
  make_stale (fixture->bus, uris, KILLS);
  test_bus_start (fixture->bus, fixture->program);
  make_all (fixture->bus, uris);
  test_bus_stop (fixture->bus);
  g_assert_cmpuint (check_cache (fixture->bus, uris, TH_FLAVOR_X_LARGE), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/kill/workers", Fixture, NULL, set_up, test_workers, tear_down);
  g_test_add ("/kill/service", Fixture, NULL, set_up, test_service, tear_down);
  return g_test_run ();
}

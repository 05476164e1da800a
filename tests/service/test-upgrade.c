/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Another version is installed while the service runs. */
#include "config.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

#include "base/th-error.h"
#include "bus-fixture.h"
#include "pictures.h"

#define N_FILES 200u

typedef struct
{
  char *folder;
  char *worker; /* what the service takes for installed */
  TestBus *bus;
  TestClient *client;
} Fixture;

static void
copy_program (const char *from, const char *to)
{
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (from, &data, &size, NULL));
  g_assert_true (g_file_set_contents (to, data, (gssize) size, NULL));
  g_assert_no_errno (g_chmod (to, 0755));
}

static void
set_up (Fixture *fixture, gconstpointer worker)
{
  g_autofree char *from = test_program (worker);
  g_autofree char *service = test_program ("../src/service/thimbled");

  fixture->folder = g_dir_make_tmp ("thimble-upgrade-XXXXXX", NULL);
  fixture->worker = g_build_filename (fixture->folder, "thimble-worker", NULL);
  copy_program (from, fixture->worker);
  g_setenv ("TH_WORKER", fixture->worker, TRUE);
  fixture->bus = test_bus_up (service);
  fixture->client = test_client_new (fixture->bus);
}

static void
tear_down (Fixture *fixture, gconstpointer worker)
{
  test_client_free (fixture->client);
  test_bus_down (fixture->bus);
  g_assert_no_errno (g_unlink (fixture->worker));
  g_assert_no_errno (g_rmdir (fixture->folder));
  g_unsetenv ("TH_WORKER");
  g_free (fixture->worker);
  g_free (fixture->folder);
}

/* As a package manager does: written beside it, then renamed over it. */
static void
install (Fixture *fixture, const char *part)
{
  g_autofree char *from = test_program (part);
  g_autofree char *beside = g_strconcat (fixture->worker, ".dpkg-new", NULL);

  copy_program (from, beside);
  g_assert_no_errno (g_rename (beside, fixture->worker));
}

/* Ends the workers that there are, so that others have to be started. */
static void
kill_workers (int service)
{
  g_autofree char *tasks = g_strdup_printf ("/proc/%d/task", service);
  g_autoptr (GDir) dir = g_dir_open (tasks, 0, NULL);
  g_autoptr (GArray) workers = g_array_new (FALSE, FALSE, sizeof (pid_t));
  const char *task;

  while (dir != NULL && (task = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (tasks, task, "children", NULL);
      g_autofree char *children = NULL;
      g_auto (GStrv) pids = NULL;

      if (!g_file_get_contents (path, &children, NULL, NULL))
        continue;
      pids = g_strsplit (g_strstrip (children), " ", -1);
      for (guint i = 0; pids[i] != NULL && *pids[i] != '\0'; i++)
        {
          pid_t pid = (pid_t) g_ascii_strtoll (pids[i], NULL, 10);

          g_array_append_val (workers, pid);
        }
    }
  /* Only these: a file whose second worker is killed, too, has failed. */
  for (guint i = 0; i < workers->len; i++)
    kill (g_array_index (workers, pid_t, i), SIGKILL);
}

/* What is queued is finished by the decoder that belongs to the service, which then makes way; the
 * next call starts the new one. */
static void
test_replaced (Fixture *fixture, gconstpointer worker)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, N_FILES, 300);
  g_autofree char *next = test_picture (fixture->bus, "next.png", 60, N_FILES);
  g_autoptr (GHashTable) answers = NULL;
  g_autoptr (GHashTable) after = NULL;
  guint32 handle;
  int old, now;

  handle = test_client_queue (fixture->client, (const char *const *) uris, "large", "foreground");
  old = test_client_service_pid (fixture->client, 0);
  /* A worker of another version would be found out. */
  install (fixture, "unit/fake-worker");
  kill_workers (old);
  answers = test_client_finish (fixture->client, handle);
  for (guint i = 0; i < N_FILES; i++)
    g_assert_cmpint (test_answer (answers, uris[i]), ==, -1);
  test_client_wait_unowned (fixture->client);
  install (fixture, worker);
  g_ptr_array_set_size (fixture->client->events, 0);
  handle = test_client_queue_one (fixture->client, next);
  after = test_client_finish (fixture->client, handle);
  g_assert_cmpint (test_answer (after, next), ==, -1);
  now = test_client_service_pid (fixture->client, old);
  g_assert_cmpint (now, !=, old);
}

/* The decoder was replaced before the service began, as in the middle of an upgrade: nothing can be
 * decoded, and that is told for what it is. */
static void
test_mismatched (Fixture *fixture, gconstpointer worker)
{
  g_autofree char *uri = test_picture (fixture->bus, "a.png", 60, 1);
  g_autoptr (GHashTable) answers = NULL;
  guint32 handle;

  handle = test_client_queue_one (fixture->client, uri);
  answers = test_client_finish (fixture->client, handle);
  g_assert_cmpint (test_answer (answers, uri), ==, TH_ERROR_SHUTTING_DOWN);
  test_client_wait_unowned (fixture->client);
}

int
main (int argc, char **argv)
{
  static const char real[] = "../src/worker/thimble-worker";

  /* The fake one is of another version. */
  g_setenv ("TH_FAKE", "old", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/upgrade/replaced", Fixture, real, set_up, test_replaced, tear_down);
  g_test_add ("/upgrade/mismatched", Fixture, "unit/fake-worker", set_up, test_mismatched,
              tear_down);
  return g_test_run ();
}

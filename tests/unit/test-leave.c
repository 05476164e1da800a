/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mounts that are about to go while their files are worked on. Folders stand for them. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "engine-fixture.h"
#include "engine/th-engine.h"

#define N_LEAVING 300u
#define N_STAYING 20u

typedef struct
{
  Fixture fixture;
  char *leaving; /* folder */
  char *begun;   /* is there once a worker has a file */
  char *go_on;   /* to be made */
} World;

static void
set_up (World *world, gconstpointer unused)
{
  Fixture *fixture = &world->fixture;

  fixture_set_up (fixture, NULL);
  world->leaving = fixture_path (fixture, "leaving");
  g_assert_no_errno (g_mkdir (world->leaving, 0700));
  world->begun = g_build_filename (fixture->folder, "begun", NULL);
  world->go_on = g_build_filename (fixture->folder, "go-on", NULL);
}

static void
tear_down (World *world, gconstpointer unused)
{
  fixture_tear_down (&world->fixture, NULL);
  g_free (world->leaving);
  g_free (world->begun);
  g_free (world->go_on);
}

/* Workers that have a file open until go_on is there. */
static void
use_waiting (World *world)
{
  Fixture *fixture = &world->fixture;

  g_setenv ("TH_FAKE", "wait", TRUE);
  g_setenv ("TH_FAKE_FLAG", world->go_on, TRUE);
  g_setenv ("TH_FAKE_OTHER", world->begun, TRUE);
  g_free (fixture->options.worker_path);
  fixture->options.worker_path = g_test_build_filename (G_TEST_BUILT, "unit", "fake-worker", NULL);
}

static void
iterate_until_begun (World *world)
{
  while (!g_file_test (world->begun, G_FILE_TEST_EXISTS))
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (1000);
    }
}

static GPtrArray *
pictures (World *world, const char *prefix, guint n)
{
  GPtrArray *uris = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s%u.png", prefix, i);

      g_ptr_array_add (uris, fixture_picture (&world->fixture, name, 40, 40, i));
    }
  return uris;
}

/* How many processes have a file open below the folder, this one too. */
static guint
count_open (World *world)
{
  g_autoptr (GArray) pids = fixture_children ();
  guint self = (guint) getpid ();
  guint n = 0;

  g_array_append_val (pids, self);
  for (guint i = 0; i < pids->len; i++)
    {
      g_autofree char *fds = g_strdup_printf ("/proc/%u/fd", g_array_index (pids, guint, i));
      g_autoptr (GDir) dir = g_dir_open (fds, 0, NULL);
      const char *name;

      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *path = g_build_filename (fds, name, NULL);
          g_autofree char *target = g_file_read_link (path, NULL);

          n += target != NULL && g_str_has_prefix (target, world->leaving);
        }
    }
  return n;
}

static void
check_all_told (World *world, const GPtrArray *uris)
{
  for (guint i = 0; i < uris->len; i++)
    {
      const Record *record = fixture_error (&world->fixture, uris->pdata[i]);

      g_assert_nonnull (record);
      g_assert_cmpint (record->code, ==, TH_ERROR_OTHER);
      g_assert_nonnull (strstr (record->message, "unmounted"));
    }
}

/* Those that are decoded, those that wait, those that nobody has looked at: each is told, and
 * nothing of them stays open. Others are made. */
static void
test_given_up (World *world, gconstpointer data)
{
  ThClass klass = GPOINTER_TO_INT (data);
  Fixture *fixture = &world->fixture;
  g_autoptr (GPtrArray) leaving = pictures (world, "leaving/", N_LEAVING);
  g_autoptr (GPtrArray) staying = pictures (world, "", N_STAYING);
  guint32 gone, stays;

  use_waiting (world);
  fixture->options.limits.wall_ms = 600 * 1000;
  fixture_start (fixture);
  gone = fixture_queue (fixture, (Uris) leaving->pdata, leaving->len, klass);
  iterate_until_begun (world);
  g_assert_cmpuint (count_open (world), >, 0);
  stays = fixture_queue (fixture, (Uris) staying->pdata, staying->len, klass);
  th_engine_leave (fixture->engine, world->leaving);
  while (count_open (world) > 0)
    g_main_context_iteration (NULL, FALSE);
  g_assert_true (g_file_set_contents (world->go_on, "", 0, NULL));
  fixture_wait (fixture, 2);
  g_assert_cmpuint (fixture_check (fixture, gone, (Uris) leaving->pdata, leaving->len), ==, 0);
  check_all_told (world, leaving);
  fixture_check (fixture, stays, (Uris) staying->pdata, staying->len);
  for (guint i = 0; i < N_STAYING; i++)
    g_assert_cmpint (fixture_error (fixture, staying->pdata[i])->code, ==, TH_ERROR_INVALID_FORMAT);
}

/* One request for both: what stays is made of it. */
static void
test_mixed (World *world, gconstpointer unused)
{
  Fixture *fixture = &world->fixture;
  g_autoptr (GPtrArray) leaving = pictures (world, "leaving/", N_LEAVING);
  g_autoptr (GPtrArray) uris = pictures (world, "", N_STAYING);
  guint32 handle;
  guint ready;

  for (guint i = 0; i < N_LEAVING; i++)
    g_ptr_array_insert (uris, 2 * (int) MIN (i, N_STAYING), g_strdup (leaving->pdata[i]));
  fixture_start (fixture);
  handle = fixture_queue (fixture, (Uris) uris->pdata, uris->len, TH_FOREGROUND);
  th_engine_leave (fixture->engine, world->leaving);
  fixture_wait (fixture, 1);
  ready = fixture_check (fixture, handle, (Uris) uris->pdata, uris->len);
  /* A few may have been made before. */
  g_assert_cmpuint (ready, >=, N_STAYING);
  for (guint i = 0; i < uris->len; i++)
    if (strstr (uris->pdata[i], "/leaving/") == NULL)
      g_assert_null (fixture_error (fixture, uris->pdata[i]));
  /* The unmounting came to nothing: who asks again is served. */
  fixture_forget (fixture);
  fixture_queue (fixture, (Uris) leaving->pdata, leaving->len, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  for (guint i = 0; i < leaving->len; i++)
    g_assert_null (fixture_error (fixture, leaving->pdata[i]));
}

/* A link leads there; a folder whose name begins alike does not. */
static void
test_names (World *world, gconstpointer unused)
{
  Fixture *fixture = &world->fixture;
  g_autofree char *alike = fixture_path (fixture, "leaving-not");
  g_autofree char *inside = NULL;
  g_autofree char *outside = NULL;
  guint32 handle;

  g_assert_no_errno (g_mkdir (alike, 0700));
  inside = fixture_picture (fixture, "leaving/a b%.png", 40, 40, 1);
  outside = fixture_picture (fixture, "leaving-not/a.png", 40, 40, 2);
  use_waiting (world);
  fixture_start (fixture);
  handle = fixture_queue (fixture, (const char *const[]){ inside, outside }, 2, TH_FOREGROUND);
  iterate_until_begun (world);
  th_engine_leave (fixture->engine, world->leaving);
  g_assert_true (g_file_set_contents (world->go_on, "", 0, NULL));
  fixture_wait (fixture, 1);
  fixture_check (fixture, handle, (const char *const[]){ inside, outside }, 2);
  g_assert_nonnull (strstr (fixture_error (fixture, inside)->message, "unmounted"));
  g_assert_null (strstr (fixture_error (fixture, outside)->message, "unmounted"));
}

#define ADD(path, data, test) g_test_add (path, World, data, set_up, test, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/leave/foreground", GINT_TO_POINTER (TH_FOREGROUND), test_given_up);
  ADD ("/leave/background", GINT_TO_POINTER (TH_BACKGROUND), test_given_up);
  ADD ("/leave/mixed", NULL, test_mixed);
  ADD ("/leave/names", NULL, test_names);
  return g_test_run ();
}

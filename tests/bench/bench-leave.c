/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long the main thread is busy when a volume is about to be unmounted while very many files
 * wait, on it or elsewhere. */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "cache/th-uri.h"
#include "engine/th-engine.h"

#define N_FILES 100000u

typedef struct
{
  ThEngine *engine;
  char *folder;
  const char *worker; /* that never ends */
  guint finished;
  guint errors;
  gint64 longest; /* turn of the main loop, µs */
} World;

static void
on_started (guint32 handle, gpointer data)
{
}

static void
on_ready (guint32 handle, const char *const *uris, gpointer data)
{
}

static void
on_error (guint32 handle, const char *const *uris, ThError code, const char *message, gpointer data)
{
  ((World *) data)->errors += g_strv_length ((char **) uris);
}

static void
on_finished (guint32 handle, gpointer data)
{
  ((World *) data)->finished++;
}

static char *
make_files (const char *folder, const char *name, char **uris)
{
  char *path = g_build_filename (folder, name, NULL);

  g_assert_no_errno (g_mkdir (path, 0700));
  for (guint i = 0; i < N_FILES; i++)
    {
      g_autofree char *file = g_strdup_printf ("%s/picture-%u.png", path, i);
      int fd = open (file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

      g_assert_cmpint (write (fd, "x", 1), ==, 1);
      close (fd);
      uris[i] = th_uri_from_path (file);
    }
  return path;
}

static void
turn (World *world)
{
  gint64 start = g_get_monotonic_time ();
  gboolean any = g_main_context_iteration (NULL, FALSE);
  gint64 took = g_get_monotonic_time () - start;

  if (any)
    world->longest = MAX (world->longest, took);
  else
    g_usleep (200);
}

static void
start (World *world)
{
  static const ThEngineEvents events = {
    .started = on_started, .ready = on_ready, .error = on_error, .finished = on_finished
  };
  ThEngineOptions options;

  th_engine_options_init (&options);
  options.cache_root = g_build_filename (world->folder, "cache", NULL);
  options.worker_path = g_strdup (world->worker);
  options.cores = 1;
  options.limits.wall_ms = 600 * 1000;
  world->engine = th_engine_new (&options, &events, world, NULL);
  g_assert_nonnull (world->engine);
  th_engine_options_clear (&options);
}

/* The workers answer nothing, so that all the others wait. */
static void
measure (World *world, const char *what, const char *point, const char *const *uris, ThClass klass)
{
  g_autofree const char **types = g_new (const char *, N_FILES);
  gint64 began, called;

  for (guint i = 0; i < N_FILES; i++)
    types[i] = "image/png";
  world->finished = world->errors = 0;
  start (world);
  th_engine_queue (world->engine, uris, types, N_FILES, "normal", klass);
  began = g_get_monotonic_time ();
  while (g_get_monotonic_time () < began + 4 * G_USEC_PER_SEC)
    turn (world);
  world->longest = 0;
  began = g_get_monotonic_time ();
  th_engine_leave (world->engine, point);
  called = g_get_monotonic_time ();
  while (world->finished == 0 && g_get_monotonic_time () < called + 3 * G_USEC_PER_SEC)
    turn (world);
  g_print ("%-30s call %6.1f ms, longest turn %6.1f ms, %u told after %6.1f ms\n", what,
           (double) (called - began) / 1000, (double) world->longest / 1000, world->errors,
           (double) (g_get_monotonic_time () - began) / 1000);
  g_clear_pointer (&world->engine, th_engine_free);
}

int
main (int argc, char **argv)
{
  World world = { .folder = g_dir_make_tmp ("thimble-leave-XXXXXX", NULL) };
  g_auto (GStrv) uris = g_new0 (char *, N_FILES + 1);
  g_autofree char *point = make_files (world.folder, "volume", uris);

  const char *const clean[] = { "rm", "-rf", world.folder, NULL };

  g_assert_cmpint (argc, ==, 2);
  world.worker = argv[1];
  g_setenv ("TH_FAKE", "hang", TRUE);
  measure (&world, "all of it, foreground", point, (const char *const *) uris, TH_FOREGROUND);
  measure (&world, "all of it, background", point, (const char *const *) uris, TH_BACKGROUND);
  measure (&world, "of other folders", "/nowhere", (const char *const *) uris, TH_FOREGROUND);
  measure (&world, "of other volumes", "/proc", (const char *const *) uris, TH_FOREGROUND);
  g_assert_true (g_spawn_sync (NULL, (char **) clean, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, NULL, NULL));
  g_free (world.folder);
  return 0;
}

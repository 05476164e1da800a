/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl make as it is, with the real service and with the real engine in its own process. */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "bus-fixture.h"
#include "cache/th-cache.h"
#include "pictures.h"

typedef struct
{
  TestBus *bus;
  char *ctl;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *daemon = test_program ("../src/service/thimbled");

  fixture->ctl = test_program ("../src/ctl/thimblectl");
  fixture->bus = test_bus_up (daemon);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_bus_down (fixture->bus);
  g_free (fixture->ctl);
}

static GSubprocess *
spawn (Fixture *fixture, const char *option)
{
  g_autoptr (GError) error = NULL;
  GSubprocess *process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_PIPE, &error, fixture->ctl, "make", "-f",
                        "normal", "-f", "x-large", option, fixture->bus->pictures, NULL);

  g_assert_no_error (error);
  return process;
}

static void
finish (GSubprocess *process, const char *expected)
{
  g_autofree char *said = NULL;

  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &said, NULL));
  g_test_message ("%s", said);
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 0);
  g_assert_nonnull (strstr (said, expected));
}

static void
check_all (Fixture *fixture, char **uris)
{
  for (; *uris != NULL; uris++)
    {
      test_check_thumbnail (fixture->bus, *uris, TH_FLAVOR_NORMAL);
      test_check_thumbnail (fixture->bus, *uris, TH_FLAVOR_X_LARGE);
    }
}

/* data is the option that leads there: as many thumbnails come either way, and again from the
 * cache. */
static void
test_way (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, 12, 600);
  g_autofree char *other = g_build_filename (fixture->bus->pictures, "notes.txt", NULL);
  g_autofree char *download = g_build_filename (fixture->bus->pictures, "a.png.part", NULL);

  g_assert_true (g_file_set_contents (other, "no picture", -1, NULL));
  g_assert_true (g_file_set_contents (download, "no picture so far", -1, NULL));
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GSubprocess) process = spawn (fixture, data);

      finish (process, "12 made or up to date, 2 skipped (no handler, download), 0 failed, ");
      check_all (fixture, uris);
    }
}

static void
set_time (const char *path, gint64 seconds)
{
  const struct timespec times[2] = { { seconds, 0 }, { seconds, 0 } };

  g_assert_no_errno (utimensat (AT_FDCWD, path, times, 0));
}

static gint64
time_of (const char *path)
{
  struct stat st;

  return stat (path, &st) == 0 ? st.st_mtim.tv_sec : -1;
}

static char *
thumbnail_of (Fixture *fixture, const char *uri, ThFlavor flavor)
{
  g_autoptr (ThCache) cache = th_cache_new (fixture->bus->cache, "test");

  return th_cache_path (cache, uri, flavor);
}

static void
refresh (Fixture *fixture, const char *option, const char *uri, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_PIPE, &error,
                                                      fixture->ctl, "refresh", option, uri, NULL);

  g_assert_no_error (error);
  finish (process, expected);
}

/* Those that there are of this file are made anew, and only these; of the others nothing is
 * touched. */
static void
test_refresh (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, 3, 600);
  g_autofree char *made = NULL, *never = NULL, *other = NULL;
  g_autoptr (GSubprocess) process = spawn (fixture, data);

  finish (process, "3 made or up to date");
  made = thumbnail_of (fixture, uris[0], TH_FLAVOR_X_LARGE);
  never = thumbnail_of (fixture, uris[0], TH_FLAVOR_LARGE);
  other = thumbnail_of (fixture, uris[1], TH_FLAVOR_X_LARGE);
  set_time (made, 1000);
  set_time (other, 1000);
  refresh (fixture, data, uris[0], "1 made anew, 0 skipped (no handler, download), 0 failed, ");
  check_all (fixture, uris);
  g_assert_cmpint (time_of (made), >, 1000);
  g_assert_cmpint (time_of (never), ==, -1);
  g_assert_cmpint (time_of (other), ==, 1000);
}

/* Where there is nothing yet, a large one is made. */
static void
test_refresh_nothing (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, 1, 600);
  g_autofree char *small = thumbnail_of (fixture, uris[0], TH_FLAVOR_NORMAL);

  refresh (fixture, data, uris[0], "1 made anew");
  test_check_thumbnail (fixture->bus, uris[0], TH_FLAVOR_LARGE);
  g_assert_cmpint (time_of (small), ==, -1);
}

/* The service is killed in the middle of it: all the same each file gets its thumbnails. */
static void
test_killed (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, 60, 600);
  g_autoptr (TestClient) client = test_client_new (fixture->bus);
  g_autoptr (GSubprocess) process = spawn (fixture, "--hidden");
  int pid = test_client_service_pid (client, 0);

  g_usleep (100000);
  g_assert_no_errno (kill (pid, SIGKILL));
  finish (process, "60 made or up to date, 0 skipped (no handler, download), 0 failed, ");
  check_all (fixture, uris);
}

#define MANY 300u

/* One at a time, so that there is a rest. */
static GSubprocess *
spawn_many (Fixture *fixture, const char *option)
{
  g_autoptr (GError) error = NULL;
  GSubprocess *process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_PIPE, &error, fixture->ctl, "make", "-f",
                        "normal", option, fixture->bus->pictures, NULL);

  g_assert_no_error (error);
  return process;
}

/* Inode and time of each thumbnail that there is; a thumbnail that is made again gets others. */
static GHashTable *
list_made (Fixture *fixture, char **uris)
{
  GHashTable *made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (; *uris != NULL; uris++)
    {
      g_autofree char *path = test_thumbnail (fixture->bus, *uris, TH_FLAVOR_NORMAL);
      struct stat st;

      if (stat (path, &st) == 0)
        g_hash_table_insert (made, g_strdup (path),
                             g_strdup_printf ("%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT ".%09ld",
                                              (guint64) st.st_ino, (gint64) st.st_mtim.tv_sec,
                                              st.st_mtim.tv_nsec));
    }
  return made;
}

static void
await_some (Fixture *fixture, char **uris)
{
  guint n = 0;

  while (n < 20)
    {
      g_autoptr (GHashTable) made = list_made (fixture, uris);

      n = g_hash_table_size (made);
      g_usleep (2000);
    }
}

static void
check_kept (GHashTable *before, GHashTable *after)
{
  GHashTableIter iter;
  gpointer path, state;

  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &path, &state))
    g_assert_cmpstr (g_hash_table_lookup (after, path), ==, state);
}

typedef struct
{
  const char *option;
  int number;
} Interrupt;

/* Some hundred files, broken off in the middle: what is made by then stays as it is, the next run
 * makes the rest, and a third one nothing. */
static void
test_resumed (Fixture *fixture, gconstpointer data)
{
  const Interrupt *interrupt = data;
  g_auto (GStrv) uris = test_pictures (fixture->bus, MANY, 500);
  g_autoptr (GSubprocess) first = spawn_many (fixture, interrupt->option);
  g_autoptr (GSubprocess) second = NULL;
  g_autoptr (GSubprocess) third = NULL;
  g_autoptr (GHashTable) before = NULL;
  g_autoptr (GHashTable) between = NULL;
  g_autoptr (GHashTable) after = NULL;

  await_some (fixture, uris);
  g_subprocess_send_signal (first, interrupt->number);
  g_assert_true (g_subprocess_wait (first, NULL, NULL));
  if (interrupt->number == SIGINT && g_subprocess_get_exit_status (first) != 0)
    g_assert_cmpint (g_subprocess_get_exit_status (first), ==, 130);
  before = list_made (fixture, uris);
  g_test_message ("%u were made before", g_hash_table_size (before));
  second = spawn_many (fixture, interrupt->option);
  finish (second, "300 made or up to date, 0 skipped (no handler, download), 0 failed, ");
  between = list_made (fixture, uris);
  g_assert_cmpuint (g_hash_table_size (between), ==, MANY);
  check_kept (before, between);
  third = spawn_many (fixture, interrupt->option);
  finish (third, "300 made or up to date, 0 skipped (no handler, download), 0 failed, ");
  after = list_made (fixture, uris);
  check_kept (between, after);
}

static const Interrupt interrupts[] = {
  { "--jobs=1", SIGINT },
  { "--jobs=1", SIGKILL },
  { "--background", SIGINT },
  { "--background", SIGKILL },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/make/local", Fixture, "--local", set_up, test_way, tear_down);
  g_test_add ("/make/bus", Fixture, "--hidden", set_up, test_way, tear_down);
  g_test_add ("/make/background", Fixture, "--background", set_up, test_way, tear_down);
  g_test_add ("/make/refresh/local", Fixture, "--local", set_up, test_refresh, tear_down);
  g_test_add ("/make/refresh/bus", Fixture, "--hidden", set_up, test_refresh, tear_down);
  g_test_add ("/make/refresh/nothing", Fixture, "--local", set_up, test_refresh_nothing, tear_down);
  g_test_add ("/make/killed", Fixture, NULL, set_up, test_killed, tear_down);
  g_test_add ("/make/resumed/local/interrupted", Fixture, &interrupts[0], set_up, test_resumed,
              tear_down);
  g_test_add ("/make/resumed/local/killed", Fixture, &interrupts[1], set_up, test_resumed,
              tear_down);
  g_test_add ("/make/resumed/bus/interrupted", Fixture, &interrupts[2], set_up, test_resumed,
              tear_down);
  g_test_add ("/make/resumed/bus/killed", Fixture, &interrupts[3], set_up, test_resumed, tear_down);
  return g_test_run ();
}

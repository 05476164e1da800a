/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cache1 on the service as it is. Thumbnails are made once; then the service is started with a
 * worker that cannot run, so that whatever is valid afterwards was not decoded again. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

#include "base/th-error.h"
#include "bus-fixture.h"
#include "cache/th-cache.h"
#include "cache/th-uri.h"
#include "pictures.h"

#define PATH    "/org/freedesktop/thumbnails/Cache1"
#define PAIR    "(^as^as)"
#define FLAVOR  TH_FLAVOR_LARGE
#define N_RACES 150u

typedef struct
{
  TestBus *bus;
  TestClient *client;
  char *program;
} Fixture;

static void
start (Fixture *fixture, const char *worker)
{
  if (worker != NULL)
    g_setenv ("TH_WORKER", worker, TRUE);
  else
    g_unsetenv ("TH_WORKER");
  test_bus_start (fixture->bus, fixture->program);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->program = test_program ("../src/service/thimbled");
  fixture->bus = test_bus_up (NULL);
  start (fixture, NULL);
  fixture->client = test_client_new (fixture->bus);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_client_free (fixture->client);
  test_bus_down (fixture->bus);
  g_free (fixture->program);
}

static void
queue_all (Fixture *fixture, const char *const *uris, int code)
{
  guint32 handle = test_client_queue (fixture->client, uris, "large", "foreground");
  g_autoptr (GHashTable) answers = test_client_finish (fixture->client, handle);

  for (guint i = 0; uris[i] != NULL; i++)
    g_assert_cmpint (test_answer (answers, uris[i]), ==, code);
}

static void
queue_one (Fixture *fixture, const char *uri, int code)
{
  const char *const uris[] = { uri, NULL };

  queue_all (fixture, uris, code);
}

/* Thumbnails of these names; from then on nothing can be decoded. */
static void
make (Fixture *fixture, const char *const *names)
{
  for (; *names != NULL; names++)
    {
      g_autofree char *path = g_build_filename (fixture->bus->pictures, *names, NULL);
      g_autofree char *folder = g_path_get_dirname (path);
      g_autofree char *uri = NULL;

      g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
      uri = test_picture (fixture->bus, *names, 300, g_str_hash (*names));
      queue_one (fixture, uri, -1);
    }
  test_bus_stop (fixture->bus);
  start (fixture, "/nonexistent/worker");
  /* It counts from one again. */
  g_ptr_array_set_size (fixture->client->events, 0);
}

static char *
uri_of (Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->bus->pictures, name, NULL);

  return th_uri_from_path (path);
}

static void
rename_file (Fixture *fixture, const char *from, const char *to)
{
  g_autofree char *old = g_build_filename (fixture->bus->pictures, from, NULL);
  g_autofree char *new = g_build_filename (fixture->bus->pictures, to, NULL);

  g_assert_no_errno (g_rename (old, new));
}

/* NULL: an error, which is the caller's to free. */
static GVariant *
try_call (Fixture *fixture, const char *method, GVariant *arguments, GError **error)
{
  return g_dbus_connection_call_sync (fixture->client->connection, TEST_CACHE_NAME, PATH,
                                      TEST_CACHE_NAME, method, arguments, G_VARIANT_TYPE_UNIT,
                                      G_DBUS_CALL_FLAGS_NONE, 120000, NULL, error);
}

static void
call (Fixture *fixture, const char *method, GVariant *arguments)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = try_call (fixture, method, arguments, &error);

  g_assert_no_error (error);
  g_assert_nonnull (reply);
}

static void
call_pair (Fixture *fixture, const char *method, const char *from, const char *to)
{
  g_autofree char *from_uri = uri_of (fixture, from);
  g_autofree char *to_uri = uri_of (fixture, to);
  const char *const froms[] = { from_uri, NULL };
  const char *const tos[] = { to_uri, NULL };

  call (fixture, method, g_variant_new (PAIR, froms, tos));
}

static gboolean
exists (Fixture *fixture, const char *name)
{
  g_autofree char *uri = uri_of (fixture, name);
  g_autofree char *path = test_thumbnail (fixture->bus, uri, FLAVOR);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* By what any program on GIO asks; where the tool is not installed by ours only. */
static void
check_gio (Fixture *fixture, const char *uri)
{
  g_autofree char *tool = g_find_program_in_path ("gio");
  g_autoptr (GSubprocess) process = NULL;
  g_autofree char *out = NULL;

  if (tool == NULL)
    return;
  process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, NULL, tool, "info", "-a",
                              "thumbnail::path,thumbnail::is-valid", uri, NULL);
  g_assert_true (g_subprocess_communicate_utf8 (process, NULL, NULL, &out, NULL, NULL));
  g_assert_nonnull (strstr (out, "thumbnail::is-valid: TRUE"));
}

/* It is there, for us and for others, and the service has it at hand. */
static void
check_valid (Fixture *fixture, const char *name)
{
  g_autofree char *uri = uri_of (fixture, name);

  test_check_thumbnail (fixture->bus, uri, FLAVOR);
  check_gio (fixture, uri);
  queue_one (fixture, uri, -1);
}

static void
test_move (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "a.png", "b.png", NULL };

  make (fixture, names);
  rename_file (fixture, "a.png", "new name.png");
  call_pair (fixture, "Move", "a.png", "new name.png");
  g_assert_false (exists (fixture, "a.png"));
  check_valid (fixture, "new name.png");
  check_valid (fixture, "b.png");
}

static void
test_copy (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "a.png", NULL };
  g_autofree char *from = g_build_filename (fixture->bus->pictures, "a.png", NULL);
  g_autofree char *to = g_build_filename (fixture->bus->pictures, "b.png", NULL);
  g_autoptr (GFile) from_file = g_file_new_for_path (from);
  g_autoptr (GFile) to_file = g_file_new_for_path (to);

  make (fixture, names);
  g_assert_true (
      g_file_copy (from_file, to_file, G_FILE_COPY_ALL_METADATA, NULL, NULL, NULL, NULL));
  call_pair (fixture, "Copy", "a.png", "b.png");
  check_valid (fixture, "a.png");
  check_valid (fixture, "b.png");
}

/* As when another file takes the place meanwhile: what is not so is not shown, and here it cannot
 * be made anew. */
static void
test_stale (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "a.png", "b.png", NULL };
  g_autofree char *path = g_build_filename (fixture->bus->pictures, "c.png", NULL);
  g_autofree char *there = uri_of (fixture, "b.png");
  const struct utimbuf times = { 1000, 1000 };

  make (fixture, names);
  rename_file (fixture, "a.png", "c.png");
  g_assert_no_errno (utime (path, &times));
  call_pair (fixture, "Move", "a.png", "c.png");
  g_assert_false (exists (fixture, "a.png"));
  g_assert_false (exists (fixture, "c.png"));
  rename_file (fixture, "c.png", "b.png");
  call_pair (fixture, "Move", "c.png", "b.png");
  g_assert_false (exists (fixture, "b.png"));
  queue_one (fixture, there, TH_ERROR_OTHER);
}

static void
test_folder (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "d/a.png", "d/in/b c.png", "d2.png", NULL };

  make (fixture, names);
  rename_file (fixture, "d", "e");
  call_pair (fixture, "Move", "d", "e");
  g_assert_false (exists (fixture, "d/a.png"));
  g_assert_false (exists (fixture, "d/in/b c.png"));
  check_valid (fixture, "e/a.png");
  check_valid (fixture, "e/in/b c.png");
  check_valid (fixture, "d2.png");
}

static void
test_delete (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "d/a.png", "d/b.png", NULL };
  g_autofree char *folder = uri_of (fixture, "d");
  g_autofree char *file = uri_of (fixture, "d/a.png");
  const char *const uris[] = { folder, file, "", "no uri", "sftp://host/x", NULL };

  make (fixture, names);
  call (fixture, "Delete", g_variant_new ("(^as)", uris));
  g_assert_false (exists (fixture, "d/a.png"));
  check_valid (fixture, "d/b.png");
}

static void
test_cleanup (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "d/a.png", "d/b.png", "e.png", NULL };
  static const char *const none[] = { NULL };
  g_autofree char *folder = uri_of (fixture, "d");
  const char *const bases[] = { folder, NULL };

  make (fixture, names);
  call (fixture, "Cleanup", g_variant_new ("(^asu)", none, 0));
  call (fixture, "Cleanup", g_variant_new ("(^asu)", none, 1000));
  call (fixture, "Cleanup", g_variant_new ("(^asu)", bases, 1000));
  check_valid (fixture, "d/a.png");
  call (fixture, "Cleanup", g_variant_new ("(^asu)", bases, 0));
  g_assert_false (exists (fixture, "d/a.png"));
  g_assert_false (exists (fixture, "d/b.png"));
  check_valid (fixture, "e.png");
  call (fixture, "Cleanup", g_variant_new ("(^asu)", none, G_MAXUINT32));
  g_assert_false (exists (fixture, "e.png"));
}

static void
test_arguments (Fixture *fixture, gconstpointer data)
{
  static const char *const one[] = { "file:///a", NULL };
  static const char *const none[] = { NULL };
  static const char *const methods[] = { "Move", "Copy" };

  for (gsize i = 0; i < G_N_ELEMENTS (methods); i++)
    {
      g_autoptr (GError) uneven = NULL;
      g_autoptr (GError) wrong = NULL;

      call (fixture, methods[i], g_variant_new (PAIR, none, none));
      call (fixture, methods[i], g_variant_new (PAIR, one, one));
      g_assert_null (try_call (fixture, methods[i], g_variant_new (PAIR, one, none), &uneven));
      g_assert_error (uneven, G_DBUS_ERROR, G_DBUS_ERROR_FAILED);
      g_assert_null (try_call (fixture, methods[i], g_variant_new ("(^as)", one), &wrong));
      g_assert_error (wrong, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS);
    }
  call (fixture, "Delete", g_variant_new ("(^as)", none));
  /* It makes no folders. */
  g_assert_false (g_file_test (fixture->bus->cache, G_FILE_TEST_EXISTS));
}

static void
on_reply (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply =
      g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);

  g_assert_no_error (error);
  g_assert_nonnull (reply);
  (*(guint *) data)--;
}

static void
move_in_background (Fixture *fixture, const char *from, const char *to, guint *waiting)
{
  const char *const froms[] = { from, NULL };
  const char *const tos[] = { to, NULL };

  (*waiting)++;
  g_dbus_connection_call (fixture->client->connection, TEST_CACHE_NAME, PATH, TEST_CACHE_NAME,
                          "Move", g_variant_new (PAIR, froms, tos), NULL, G_DBUS_CALL_FLAGS_NONE,
                          120000, NULL, on_reply, waiting);
}

/* No thumbnail is of a file that is not there, and none shows another one than is there. */
static guint
check_cache (Fixture *fixture)
{
  g_autoptr (ThCache) cache = th_cache_new (fixture->bus->cache, "test");
  g_autofree char *folder = g_build_filename (fixture->bus->cache, th_flavor_name (FLAVOR), NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  for (; (name = g_dir_read_name (dir)) != NULL; n++)
    {
      g_autofree char *file = g_build_filename (folder, name, NULL);
      g_autoptr (ThPngText) text = th_png_text_read (file, NULL);
      const char *uri = text != NULL ? th_png_text_get (text, "Thumb::URI") : NULL;
      g_autofree char *path = uri != NULL ? th_uri_to_path (uri, NULL) : NULL;
      ThStamp stamp;

      g_assert_nonnull (path);
      g_test_message ("%s", path);
      g_assert_true (th_stamp_from_path (path, &stamp, NULL, NULL));
      g_assert_cmpint (th_cache_lookup (cache, uri, FLAVOR, &stamp), ==, TH_CACHE_VALID);
    }
  return n;
}

/* Files move away, and over one another, while they are decoded. */
static void
test_races (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (31);
  g_auto (GStrv) uris = test_pictures (fixture->bus, N_RACES, 200);
  guint32 handle = test_client_queue (fixture->client, (const char *const *) uris, "large", "");
  guint waiting = 0;

  test_client_wait (fixture->client, handle, TEST_READY);
  for (guint i = 0; i < N_RACES; i++)
    {
      guint target = (guint) g_rand_int_range (rand, 0, (gint32) N_RACES);
      g_autofree char *from = g_strdup_printf ("%u.png", i);
      g_autofree char *to = g_strdup_printf (i % 2 == 0 ? "%u.png" : "moved-%u.png", target);
      g_autofree char *old = g_build_filename (fixture->bus->pictures, from, NULL);
      g_autofree char *to_uri = uri_of (fixture, to);

      if (!g_file_test (old, G_FILE_TEST_EXISTS))
        continue;
      rename_file (fixture, from, to);
      move_in_background (fixture, uris[i], to_uri, &waiting);
      g_usleep ((gulong) g_rand_int_range (rand, 0, 2000));
    }
  g_hash_table_unref (test_client_finish (fixture->client, handle));
  while (waiting > 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (check_cache (fixture), >, 0);
}

/* Nothing else waits for a long one, and they are answered in order. */
static void
test_busy (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, 50, 64);
  g_autoptr (GPtrArray) to = g_ptr_array_new_with_free_func (g_free);
  guint waiting = 0;

  queue_all (fixture, (const char *const *) uris, -1);
  for (guint i = 0; i < 50; i++)
    {
      g_autofree char *from = g_strdup_printf ("%u.png", i);
      g_autofree char *name = g_strdup_printf ("to-%u.png", i);

      rename_file (fixture, from, name);
      g_ptr_array_add (to, uri_of (fixture, name));
      move_in_background (fixture, uris[i], to->pdata[i], &waiting);
    }
  g_variant_unref (test_client_call (fixture->client, "GetFlavors", NULL));
  call_pair (fixture, "Move", "nothing", "nowhere");
  for (guint i = 0; i < 50; i++)
    test_check_thumbnail (fixture->bus, to->pdata[i], FLAVOR);
  while (waiting > 0)
    g_main_context_iteration (NULL, TRUE);
}

static const struct
{
  const char *path;
  void (*function) (Fixture *, gconstpointer);
} tests[] = {
  { "/cache-iface/move", test_move },           { "/cache-iface/copy", test_copy },
  { "/cache-iface/stale", test_stale },         { "/cache-iface/folder", test_folder },
  { "/cache-iface/delete", test_delete },       { "/cache-iface/cleanup", test_cleanup },
  { "/cache-iface/arguments", test_arguments }, { "/cache-iface/races", test_races },
  { "/cache-iface/busy", test_busy },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].function, tear_down);
  return g_test_run ();
}

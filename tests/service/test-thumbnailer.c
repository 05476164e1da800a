/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The service as it is, with files, workers and a cache. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/th-error.h"
#include "bus-fixture.h"
#include "cache/th-uri.h"
#include "pictures.h"

typedef struct
{
  TestBus *bus;
  TestClient *client;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *program = test_program ("../src/service/thimbled");

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

/* The file is in place before Ready says so. */
static void
test_flavors (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uri = test_picture (fixture->bus, "a.png", 1500, 1);
  const char *const uris[] = { uri, NULL };

  for (guint i = 0; i < TH_N_FLAVORS; i++)
    {
      const char *name = th_flavor_name ((ThFlavor) i);
      guint32 handle = test_client_queue (fixture->client, uris, name, "default");

      test_client_wait (fixture->client, handle, TEST_READY);
      test_check_thumbnail (fixture->bus, uri, (ThFlavor) i);
      g_hash_table_unref (test_client_finish (fixture->client, handle));
    }
}

static int
ask (Fixture *fixture, const char *uri, const char *mime_type, const char *flavor)
{
  const char *const uris[] = { uri, NULL };
  const char *const types[] = { mime_type, NULL };
  guint32 handle = test_client_queue_full (fixture->client, uris, types, flavor, "", 0);
  g_autoptr (GHashTable) answers = test_client_finish (fixture->client, handle);

  g_assert_cmpuint (g_hash_table_size (answers), ==, 1);
  return test_answer (answers, uri);
}

static char *
write_file (Fixture *fixture, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (fixture->bus->pictures, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return th_uri_from_path (path);
}

static void
test_codes (Fixture *fixture, gconstpointer data)
{
  g_autofree char *good = test_picture (fixture->bus, "a.png", 40, 1);
  g_autofree char *bad = write_file (fixture, "bad.png", "this is no picture");
  g_autofree char *cut = write_file (fixture, "cut.png", "\x89PNG\r\n\x1a\n");
  g_autofree char *empty = write_file (fixture, "empty.png", "");
  g_autofree char *missing = g_strconcat (good, "-not", NULL);
  g_autofree char *folder = th_uri_from_path (fixture->bus->pictures);
  g_autofree char *made = test_thumbnail (fixture->bus, good, TH_FLAVOR_LARGE);
  g_autofree char *thumbnail = th_uri_from_path (made);
  const struct
  {
    const char *uri;
    const char *mime_type;
    const char *flavor;
    int code; /* -1: ready */
  } rows[] = {
    { good, "image/png", "large", -1 },
    { good, "image/jpeg", "normal", -1 }, /* the data decide */
    { good, "text/x-nothing", "x-large", TH_ERROR_UNSUPPORTED },
    { good, "image/png", "huge", TH_ERROR_UNSUPPORTED_FLAVOR },
    { thumbnail, "image/png", "large", TH_ERROR_IS_THUMBNAIL },
    { bad, "image/png", "large", TH_ERROR_INVALID_FORMAT },
    { cut, "image/png", "large", TH_ERROR_INVALID_FORMAT },
    { empty, "image/png", "large", TH_ERROR_NO_CONTENT },
    { missing, "image/png", "large", TH_ERROR_OTHER },
    { folder, "image/png", "large", TH_ERROR_UNSUPPORTED },
    { "", "image/png", "large", TH_ERROR_OTHER },
    { "/etc/passwd", "image/png", "large", TH_ERROR_OTHER },
    { "file:", "image/png", "large", TH_ERROR_OTHER },
    { "file:///a%00b", "image/png", "large", TH_ERROR_OTHER },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      int code = ask (fixture, rows[i].uri, rows[i].mime_type, rows[i].flavor);

      g_test_message ("%s as %s, %s: %d", rows[i].uri, rows[i].mime_type, rows[i].flavor, code);
      g_assert_cmpint (code, ==, rows[i].code);
    }
  /* None of the failures took the good thumbnail away. */
  test_check_thumbnail (fixture->bus, good, TH_FLAVOR_LARGE);
}

/* What is valid already comes in one Ready, directly after Started, and in the request's order. */
static void
test_cached (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, 30, 60);
  const char *const *list = (const char *const *) uris;
  TestClient *client = fixture->client;
  guint32 first = test_client_queue (client, list, "normal", "background");
  guint32 second;

  g_hash_table_unref (test_client_finish (client, first));
  second = test_client_queue (client, list, "normal", "foreground");
  g_hash_table_unref (test_client_finish (client, second));
  g_assert_cmpuint (test_client_count (client, second, TEST_READY), ==, 1);
  g_assert_cmpstrv (test_client_wait (client, second, TEST_READY)->uris, uris);
}

static void
test_corrupt_entry (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uri = test_picture (fixture->bus, "a.png", 300, 1);
  g_autofree char *path = test_thumbnail (fixture->bus, uri, TH_FLAVOR_LARGE);
  static const char *const contents[] = { "", "\x89PNG\r\n\x1a\n", "no PNG" };

  for (gsize i = 0; i < G_N_ELEMENTS (contents); i++)
    {
      g_assert_cmpint (ask (fixture, uri, "image/png", "large"), ==, -1);
      g_assert_true (g_file_set_contents (path, contents[i], -1, NULL));
    }
  g_assert_cmpint (ask (fixture, uri, "image/png", "large"), ==, -1);
  test_check_thumbnail (fixture->bus, uri, TH_FLAVOR_LARGE);
}

static void
test_names (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "a b",      "100%",       "%41", "#1?", "[x];y",
                                       "\xff\xfe", "line\nfeed", "-v",  "ü",   "'\"\\" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *uri = test_picture (fixture->bus, names[i], 30, (guint) i);

      g_assert_cmpint (ask (fixture, uri, "image/png", "normal"), ==, -1);
      test_check_thumbnail (fixture->bus, uri, TH_FLAVOR_NORMAL);
    }
}

/* Dequeued before, while and after it is worked on: Finished comes once, and nothing twice. */
static void
test_dequeue (Fixture *fixture, gconstpointer data)
{
  g_auto (GStrv) uris = test_pictures (fixture->bus, 20, 400);
  const char *const *list = (const char *const *) uris;
  TestClient *client = fixture->client;
  guint32 before = test_client_queue (client, list, "large", "background");
  guint32 during, after;
  g_autoptr (GHashTable) left = NULL;

  test_client_dequeue (client, before);
  g_hash_table_unref (test_client_finish (client, before));
  during = test_client_queue (client, list, "x-large", "foreground");
  test_client_wait (client, during, TEST_READY);
  test_client_dequeue (client, during);
  g_hash_table_unref (test_client_finish (client, during));
  after = test_client_queue (client, list, "x-large", "foreground");
  left = test_client_finish (client, after);
  test_client_dequeue (client, after);
  g_assert_cmpuint (g_hash_table_size (left), ==, 20);
  for (guint i = 0; i < 20; i++)
    g_assert_cmpint (test_answer (left, uris[i]), ==, -1);
}

#define CLIENTS  4
#define REQUESTS 100
#define FILES    100

/* Each URI of a request that was not dequeued has its answer once; of others, at most once. */
static void
check_flooded (TestClient *client, guint32 handle, char **uris, gboolean dequeued)
{
  g_autoptr (GHashTable) answers = test_client_finish (client, handle);

  for (guint i = 0; i < FILES; i++)
    if (!dequeued || g_hash_table_contains (answers, uris[i]))
      g_assert_cmpint (test_answer (answers, uris[i]), ==, -1);
}

static void
test_flood (Fixture *fixture, gconstpointer data)
{
  static const char *const schedulers[] = { "foreground", "background" };
  g_auto (GStrv) uris = test_pictures (fixture->bus, FILES, 150);
  g_autoptr (GRand) rand = g_rand_new_with_seed (20260714);
  TestClient *clients[CLIENTS];
  guint32 handles[REQUESTS];
  gboolean dequeued[REQUESTS];

  for (guint i = 0; i < CLIENTS; i++)
    clients[i] = test_client_new (fixture->bus);
  for (guint i = 0; i < REQUESTS; i++)
    {
      TestClient *client = clients[i % CLIENTS];

      handles[i] = test_client_queue (client, (const char *const *) uris,
                                      th_flavor_name ((ThFlavor) g_rand_int_range (rand, 0, 4)),
                                      schedulers[g_rand_int_range (rand, 0, 2)]);
      dequeued[i] = g_rand_int_range (rand, 0, 4) == 0;
      if (dequeued[i])
        test_client_dequeue (client, handles[i]);
    }
  for (guint i = 0; i < REQUESTS; i++)
    check_flooded (clients[i % CLIENTS], handles[i], uris, dequeued[i]);
  for (guint i = 0; i < CLIENTS; i++)
    test_client_free (clients[i]);
}

#define HUGE 20000u

/* The answer to Queue does not wait for the work, and neither does any other call. */
static void
test_huge (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) uris = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) answers = NULL;
  g_autoptr (GVariant) flavors = NULL;
  guint32 handle;

  for (guint i = 0; i < HUGE; i++)
    g_ptr_array_add (uris, g_strdup_printf ("file:///nonexistent/%u.png", i));
  g_ptr_array_add (uris, NULL);
  handle = test_client_queue (fixture->client, (const char *const *) uris->pdata, "normal", "");
  flavors = test_client_call (fixture->client, "GetFlavors", NULL);
  answers = test_client_finish (fixture->client, handle);
  g_assert_cmpuint (g_hash_table_size (answers), ==, HUGE);
  for (guint i = 0; i < HUGE; i++)
    g_assert_cmpint (test_answer (answers, uris->pdata[i]), ==, TH_ERROR_OTHER);
}

static void
test_supported (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GVariant) reply = test_client_call (fixture->client, "GetSupported", NULL);
  g_autofree const char **schemes = NULL;
  g_autofree const char **types = NULL;
  guint n_files = 0;

  g_variant_get (reply, "(^a&s^a&s)", &schemes, &types);
  g_assert_cmpuint (g_strv_length ((char **) schemes), ==, g_strv_length ((char **) types));
  g_assert_true (g_strv_contains (types, "image/png"));
  /* Thunar resolves no alias: one that is not listed is a file without a thumbnail. */
  if (g_strv_contains (types, "image/jpeg"))
    g_assert_true (g_strv_contains (types, "image/jpg") && g_strv_contains (types, "image/pjpeg"));
  /* What else GVfs serves here has the same types as files, after them. */
  for (guint i = 0; schemes[i] != NULL; i++)
    {
      g_assert_cmpstr (schemes[i], !=, "http");
      n_files += g_str_equal (schemes[i], "file");
      g_assert_cmpuint (n_files, ==, MIN (i + 1, n_files));
    }
  g_assert_cmpuint (n_files, >, 0);
  g_assert_cmpuint (g_strv_length ((char **) schemes) % n_files, ==, 0);
}

/* Of files and shared memory alike: an Error, and the service goes on. */
static void
test_file_size_limit (Fixture *fixture, gconstpointer data)
{
  const pid_t pid =
      (pid_t) g_ascii_strtoll (g_subprocess_get_identifier (fixture->bus->daemon), NULL, 10);
  g_autofree char *first = test_picture (fixture->bus, "first", 200, 1);
  g_autofree char *second = test_picture (fixture->bus, "second", 200, 2);
  g_autofree char *third = test_picture (fixture->bus, "third", 200, 3);
  struct rlimit limit;

  g_assert_no_errno (prlimit (pid, RLIMIT_FSIZE, NULL, &limit));
  limit.rlim_cur = 0;
  g_assert_no_errno (prlimit (pid, RLIMIT_FSIZE, &limit, NULL));
  g_assert_cmpint (ask (fixture, first, "image/png", "normal"), ==, TH_ERROR_OTHER);
  g_assert_cmpint (ask (fixture, second, "image/png", "large"), ==, TH_ERROR_OTHER);
  limit.rlim_cur = limit.rlim_max;
  g_assert_no_errno (prlimit (pid, RLIMIT_FSIZE, &limit, NULL));
  g_assert_cmpint (ask (fixture, third, "image/png", "normal"), ==, -1);
  test_check_thumbnail (fixture->bus, third, TH_FLAVOR_NORMAL);
}

static const struct
{
  const char *path;
  void (*function) (Fixture *, gconstpointer);
} tests[] = {
  { "/thumbnailer/flavors", test_flavors },
  { "/thumbnailer/codes", test_codes },
  { "/thumbnailer/cached", test_cached },
  { "/thumbnailer/corrupt-entry", test_corrupt_entry },
  { "/thumbnailer/names", test_names },
  { "/thumbnailer/dequeue", test_dequeue },
  { "/thumbnailer/flood", test_flood },
  { "/thumbnailer/huge", test_huge },
  { "/thumbnailer/supported", test_supported },
  { "/thumbnailer/file-size-limit", test_file_size_limit },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].function, tear_down);
  return g_test_run ();
}

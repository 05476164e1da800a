/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The service and files that are being written for seconds, with its own patience. Where a writer
 * did not keep his pace, because the machine is busy, it is all tried again. */
#include "config.h"

#include <glib/gstdio.h>

#include "../unit/appender.h"
#include "base/th-error.h"
#include "bus-fixture.h"
#include "cache/th-fail.h"
#include "cache/th-uri.h"
#include "growing-jpeg.h"
#include "pictures.h"

#define TRIES 3u
/* What the service takes for the end of writing, and how long it waits for that. */
#define QUIET_US    G_USEC_PER_SEC
#define PATIENCE_US (10 * G_USEC_PER_SEC)
#define WRITING_MS  5000u
/* That of one who is not done in any time that matters. */
#define ENDLESS_MS 60000u

typedef struct
{
  const char *name;
  guint pause_ms;
  gboolean reopen;
  gboolean endless;
} Row;

static const Row rows[] = {
  { "open.png", 100, FALSE, FALSE },  { "open.jpg", 100, FALSE, FALSE },
  { "closed.png", 300, TRUE, FALSE }, { "closed.jpg", 300, TRUE, FALSE },
  { "seldom.png", 700, TRUE, FALSE }, { "seldom.jpg", 700, TRUE, FALSE },
  { "endless.png", 300, TRUE, TRUE },
};

typedef struct
{
  char *data;
  gsize size;
  char *model; /* URI of a file of the same content that rests */
  char *path;
  char *uri;
  Appender *appender;
  gint64 began;
  guint32 handle;
  int answer;
  gint64 took;
} Growing;

typedef struct
{
  TestBus *bus;
  TestClient *client;
  Growing files[G_N_ELEMENTS (rows)];
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

/* A PNG where no JPEG can be decoded. */
static void
make_model (Fixture *fixture, const Row *row, Growing *file, guint seed)
{
  g_autofree char *name = g_strconcat ("model-", row->name, NULL);
  g_autofree char *path = g_build_filename (fixture->bus->pictures, name, NULL);
  g_autoptr (GByteArray) jpeg = g_str_has_suffix (name, "jpg") ? growing_jpeg () : NULL;

  if (jpeg == NULL)
    file->model = test_picture (fixture->bus, name, 400, seed);
  else
    file->model = th_uri_from_path (path);
  if (jpeg != NULL)
    g_assert_true (g_file_set_contents (path, (const char *) jpeg->data, (gssize) jpeg->len, NULL));
  g_assert_true (g_file_get_contents (path, &file->data, &file->size, NULL));
}

/* What an earlier try left. */
static void
remove_traces (Fixture *fixture, const Growing *file)
{
  g_autoptr (ThCache) cache = th_cache_new (fixture->bus->cache, "test");
  g_autofree char *made = test_thumbnail (fixture->bus, file->uri, TH_FLAVOR_NORMAL);
  g_autofree char *marker = th_fail_path (cache, file->uri);

  g_unlink (file->path);
  g_unlink (made);
  g_unlink (marker);
}

static void
start (Fixture *fixture, const Row *row, Growing *file, guint seed)
{
  AppenderPlan plan = { .pause_ms = row->pause_ms, .reopen = row->reopen };

  make_model (fixture, row, file, seed);
  file->path = g_build_filename (fixture->bus->pictures, row->name, NULL);
  file->uri = th_uri_from_path (file->path);
  remove_traces (fixture, file);
  plan.path = file->path;
  plan.data = file->data;
  plan.size = file->size;
  plan.pieces = (row->endless ? ENDLESS_MS : WRITING_MS) / row->pause_ms + 1;
  file->began = g_get_monotonic_time ();
  file->appender = appender_start (&plan);
  file->handle = test_client_queue_one (fixture->client, file->uri);
}

/* Whether the writer kept his pace. */
static gboolean
finish (Fixture *fixture, const Row *row, Growing *file)
{
  g_autoptr (GHashTable) answers = test_client_finish (fixture->client, file->handle);
  gint64 longest;

  file->answer = test_answer (answers, file->uri);
  file->took = g_get_monotonic_time () - file->began;
  if (row->endless)
    appender_stop (file->appender);
  longest = appender_end (file->appender);
  g_test_message ("%s: %d after %d ms; at most %d between two pieces", row->name, file->answer,
                  (int) (file->took / 1000), (int) (longest / 1000));
  return longest < QUIET_US;
}

static void
clear (Growing *file)
{
  g_free (file->data);
  g_free (file->model);
  g_free (file->path);
  g_free (file->uri);
}

static char *
thumbnail_of (Fixture *fixture, const char *uri)
{
  guint32 handle = test_client_queue_one (fixture->client, uri);

  g_hash_table_unref (test_client_finish (fixture->client, handle));
  return test_thumbnail (fixture->bus, uri, TH_FLAVOR_NORMAL);
}

/* The one thumbnail is that of the complete file. */
static void
check_complete (Fixture *fixture, const Growing *file)
{
  g_autoptr (ThCache) cache = th_cache_new (fixture->bus->cache, "test");
  g_autofree char *made = test_thumbnail (fixture->bus, file->uri, TH_FLAVOR_NORMAL);
  g_autofree char *good = thumbnail_of (fixture, file->model);
  ThStamp stamp;

  g_assert_cmpint (file->answer, ==, -1);
  g_assert_true (th_stamp_from_path (file->path, &stamp, NULL, NULL));
  g_assert_cmpint (th_cache_lookup (cache, file->uri, TH_FLAVOR_NORMAL, &stamp), ==,
                   TH_CACHE_VALID);
  g_assert_true (same_pixels (made, good));
}

static void
check_endless (Fixture *fixture, const Growing *file)
{
  g_autoptr (ThCache) cache = th_cache_new (fixture->bus->cache, "test");
  g_autofree char *made = test_thumbnail (fixture->bus, file->uri, TH_FLAVOR_NORMAL);
  g_autofree char *marker = th_fail_path (cache, file->uri);

  g_assert_cmpint (file->answer, ==, TH_ERROR_OTHER);
  g_assert_cmpint (file->took, >=, PATIENCE_US);
  g_assert_false (g_file_test (made, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (marker, G_FILE_TEST_EXISTS));
}

static gboolean
try_all (Fixture *fixture)
{
  gboolean steady = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    start (fixture, &rows[i], &fixture->files[i], i);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    steady &= finish (fixture, &rows[i], &fixture->files[i]);
  for (guint i = 0; i < G_N_ELEMENTS (rows) && steady; i++)
    if (rows[i].endless)
      check_endless (fixture, &fixture->files[i]);
    else
      check_complete (fixture, &fixture->files[i]);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    clear (&fixture->files[i]);
  return steady;
}

static void
test_writers (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < TRIES; i++)
    if (try_all (fixture))
      return;
  g_test_skip ("this machine is too busy to write steadily");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/motion/writers", Fixture, NULL, set_up, test_writers, tear_down);
  return g_test_run ();
}

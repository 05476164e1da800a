/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine and programs that write slowly. Where they have to keep a pace it is looked whether
 * they did, and tried again where they did not. */
#include "config.h"

#include <string.h>

#include "appender.h"
#include "cache/th-uri.h"
#include "held-world.h"

/* The thumbnail is that of the whole picture, and says so. */
static void
check_thumbnail (Fixture *fixture, const char *path)
{
  g_autofree char *uri = th_uri_from_path (path);
  g_autofree char *model = fixture_picture (fixture, "model.png", 300, 200, 5);
  g_autofree char *good = th_cache_path (fixture->cache, model, TH_FLAVOR_NORMAL);
  g_autofree char *made = th_cache_path (fixture->cache, uri, TH_FLAVOR_NORMAL);

  ThStamp stamp;

  g_assert_true (th_stamp_from_path (path, &stamp, NULL, NULL));
  g_assert_cmpint (th_cache_lookup (fixture->cache, uri, TH_FLAVOR_NORMAL, &stamp), ==,
                   TH_CACHE_VALID);
  fixture_forget (fixture);
  fixture_queue (fixture, (Uris) &model, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_true (same_pixels (made, good));
}

typedef struct
{
  const char *name;
  guint pause_ms;
  gboolean reopen;
  guint requests;
} WriterRow;

/* Against a quiet time of 400 ms. */
static const WriterRow writers[] = {
  { "open", 40, FALSE, 1 },
  { "closed-often", 40, TRUE, 1 },
  { "closed-long", 200, TRUE, 1 },
  { "shared", 100, TRUE, 4 },
};

#define WRITER_QUIET_MS 400u

/* Whether the writer kept his pace. */
static gboolean
watch_writer (Fixture *fixture, const WriterRow *row, const char *path)
{
  g_autofree char *uri = th_uri_from_path (path);
  AppenderPlan plan = { .path = path, .pieces = 1 + 1000 / row->pause_ms };
  g_autofree char *data = held_picture_data (fixture, &plan.size);
  gint64 longest;
  Appender *appender;

  plan.data = data;
  plan.pause_ms = row->pause_ms;
  plan.reopen = row->reopen;
  fixture_forget (fixture);
  held_decodes (fixture);
  appender = appender_start (&plan);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  held_wait (fixture);
  for (guint i = 1; i < row->requests; i++)
    fixture_queue (fixture, (Uris) &uri, 1, (ThClass) (i % TH_N_CLASSES));
  fixture_wait (fixture, row->requests);
  longest = appender_end (appender);
  g_test_message ("at most %d ms between two pieces", (int) (longest / 1000));
  return longest < WRITER_QUIET_MS * 1000;
}

/* One final thumbnail, and at most two decodes: one that is thrown away, and that. */
static void
test_writer (Fixture *fixture, gconstpointer data)
{
  const WriterRow *row = data;
  gboolean steady = FALSE;

  held_start (fixture, WRITER_QUIET_MS, HELD_FOR_EVER);
  fixture->check_files = FALSE;
  for (guint i = 0; i < HELD_TRIES && !steady; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      g_autofree char *path = fixture_path (fixture, name);
      g_autofree char *uri = th_uri_from_path (path);
      gsize decodes;

      steady = watch_writer (fixture, row, path);
      if (!steady)
        continue;
      decodes = held_decodes (fixture);
      g_test_message ("%u decodes", (guint) decodes);
      g_assert_cmpuint (decodes, >=, 1);
      g_assert_cmpuint (decodes, <=, 2);
      g_assert_cmpuint (fixture->records->len, ==, row->requests * 3);
      g_assert_null (fixture_error (fixture, uri));
      check_thumbnail (fixture, path);
    }
  if (!steady)
    g_test_skip ("this machine is too busy to write steadily");
}

#define QUIET_MS 200u
#define HOLD_MS  1000u

/* Whether the writer kept his pace. */
static gboolean
watch_endless (Fixture *fixture, const char *path)
{
  g_autofree char *uri = th_uri_from_path (path);
  AppenderPlan plan = { .path = path, .pieces = 2000, .pause_ms = 20, .reopen = TRUE };
  g_autofree char *data = held_picture_data (fixture, &plan.size);
  gint64 began = g_get_monotonic_time ();
  gint64 took, longest;
  Appender *appender;

  plan.data = data;
  fixture_forget (fixture);
  appender = appender_start (&plan);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  took = g_get_monotonic_time () - began;
  appender_stop (appender);
  longest = appender_end (appender);
  g_test_message ("%d ms; at most %d between two pieces", (int) (took / 1000),
                  (int) (longest / 1000));
  g_assert_true (longest >= QUIET_MS * 1000 || took >= HOLD_MS * 1000);
  return longest < QUIET_MS * 1000;
}

/* One who does not come to an end. */
static void
test_endless (Fixture *fixture, gconstpointer unused)
{
  gboolean steady = FALSE;

  held_start (fixture, QUIET_MS, HOLD_MS);
  fixture->check_files = FALSE;
  for (guint i = 0; i < HELD_TRIES && !steady; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      g_autofree char *path = fixture_path (fixture, name);
      g_autofree char *uri = th_uri_from_path (path);
      const Record *record;

      held_decodes (fixture);
      steady = watch_endless (fixture, path);
      if (!steady)
        continue;
      record = fixture_error (fixture, uri);
      g_assert_nonnull (record);
      g_assert_cmpint (record->code, ==, TH_ERROR_OTHER);
      g_assert_nonnull (strstr (record->message, "still being written"));
      g_assert_false (held_is_marked (fixture, uri));
      g_assert_cmpuint (held_decodes (fixture), ==, 1);
      g_assert_false (held_is_any (fixture));
    }
  if (!steady)
    g_test_skip ("this machine is too busy to write steadily");
}

#define ADD(name, data, test)                                                                      \
  g_test_add (name, Fixture, data, fixture_set_up, test, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (writers); i++)
    {
      g_autofree char *path = g_strdup_printf ("/writers/%s", writers[i].name);

      ADD (path, &writers[i], test_writer);
    }
  ADD ("/writers/endless", NULL, test_endless);
  return g_test_run ();
}

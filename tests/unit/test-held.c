/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine and files that somebody writes to. Where a test needs somebody to be quick it looks
 * whether he was, and tries again where he was not. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "appender.h"
#include "base/th-paths.h"
#include "cache/th-fail.h"
#include "cache/th-uri.h"
#include "engine-fixture.h"
#include "engine/th-engine-private.h"

#define TRIES    20u
#define FOR_EVER (600u * 1000u)
#define WRITING  "still being written"

static void
use_fake (Fixture *fixture, const char *mode)
{
  g_autofree char *real = th_paths_worker ();
  g_autofree char *flag = g_build_filename (fixture->folder, "flag", NULL);

  g_setenv ("TH_FAKE", mode, TRUE);
  g_setenv ("TH_FAKE_REAL", real, TRUE);
  g_setenv ("TH_FAKE_FLAG", flag, TRUE);
  g_free (fixture->options.worker_path);
  fixture->options.worker_path = g_test_build_filename (G_TEST_BUILT, "unit", "fake-worker", NULL);
}

/* Each decode starts a worker, which writes that down. */
static void
start_counting (Fixture *fixture, guint quiet_ms, guint hold_ms)
{
  use_fake (fixture, "count");
  fixture->options.worker_files = 1;
  fixture->options.quiet_ms = quiet_ms;
  fixture->options.hold_ms = hold_ms;
  fixture_start (fixture);
}

/* Since it was asked last. */
static gsize
n_decodes (Fixture *fixture)
{
  g_autofree char *flag = g_build_filename (fixture->folder, "flag", NULL);
  g_autofree char *text = NULL;
  gsize n = 0;

  if (g_file_get_contents (flag, &text, &n, NULL))
    g_unlink (flag);
  return n;
}

static void
write_file (const char *path, const char *data, gsize size)
{
  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
}

/* A picture's bytes. */
static char *
picture_data (Fixture *fixture, gsize *size)
{
  g_autofree char *path = fixture_path (fixture, "model.png");
  char *data = NULL;

  g_free (fixture_picture (fixture, "model.png", 300, 200, 5));
  g_assert_true (g_file_get_contents (path, &data, size, NULL));
  return data;
}

/* One of which the end is missing. */
static char *
half_picture (Fixture *fixture, const char *name)
{
  g_autofree char *path = fixture_path (fixture, name);
  gsize size;
  g_autofree char *data = picture_data (fixture, &size);

  write_file (path, data, size / 2);
  return th_uri_from_path (path);
}

static gboolean
is_held (Fixture *fixture)
{
  gboolean held;

  g_mutex_lock (&fixture->engine->lock);
  held = th_motion_due (fixture->engine->motion) != 0;
  g_mutex_unlock (&fixture->engine->lock);
  return held;
}

/* FALSE: it was not seen before all was over. */
static gboolean
wait_until_held (Fixture *fixture)
{
  while (!is_held (fixture) && fixture->finished == 0)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (200);
    }
  return is_held (fixture);
}

static gboolean
has_marker (Fixture *fixture, const char *uri)
{
  g_autofree char *path = th_fail_path (fixture->cache, uri);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

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

/* At rest: one decode, which is believed, whoever waits. */
static void
test_complete (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 60, 50, 1);

  start_counting (fixture, FOR_EVER, FOR_EVER);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_null (fixture_error (fixture, uri));
  g_assert_cmpuint (n_decodes (fixture), ==, 1);
  g_assert_false (is_held (fixture));
}

#define QUIET_MS 200u

/* Half of a picture is shown once it is clear that there will be no more. */
static void
test_partial (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = half_picture (fixture, "a.png");
  gsize decodes;

  start_counting (fixture, QUIET_MS, FOR_EVER);
  for (guint klass = 0; klass < TH_N_CLASSES; klass++)
    {
      gint64 began = g_get_monotonic_time ();

      fixture_forget (fixture);
      fixture_queue (fixture, (Uris) &uri, 1, (ThClass) klass);
      fixture_wait (fixture, 1);
      g_assert_null (fixture_error (fixture, uri));
      g_assert_cmpint (g_get_monotonic_time () - began, >=, QUIET_MS * 1000);
      /* One only where that took so long by itself. */
      decodes = n_decodes (fixture);
      g_assert_cmpuint (decodes, >=, 1);
      g_assert_cmpuint (decodes, <=, 2);
      fixture->flavor = TH_FLAVOR_LARGE;
      fixture->check_files = FALSE;
    }
}

typedef struct
{
  const char *data;
  gsize size;
  int code;
  gboolean marked;
} BadRow;

static void
test_bad (Fixture *fixture, gconstpointer unused)
{
  static const BadRow rows[] = {
    { "\x89PNG\r\n\x1a\n\0\0\0\rIHDR????????????????????", 36, TH_ERROR_INVALID_FORMAT, TRUE },
    { "just words", 10, TH_ERROR_INVALID_FORMAT, FALSE },
    { "", 0, TH_ERROR_NO_CONTENT, FALSE },
  };

  start_counting (fixture, QUIET_MS, FOR_EVER);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      g_autofree char *path = fixture_path (fixture, name);
      g_autofree char *uri = th_uri_from_path (path);
      gint64 began = g_get_monotonic_time ();

      write_file (path, rows[i].data, rows[i].size);
      fixture_forget (fixture);
      fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
      fixture_wait (fixture, 1);
      g_assert_cmpint (fixture_error (fixture, uri)->code, ==, rows[i].code);
      g_assert_cmpint (has_marker (fixture, uri), ==, rows[i].marked);
      g_assert_cmpint (g_get_monotonic_time () - began, >=, QUIET_MS * 1000);
    }
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
  g_autofree char *data = picture_data (fixture, &plan.size);
  gint64 longest;
  Appender *appender;

  plan.data = data;
  plan.pause_ms = row->pause_ms;
  plan.reopen = row->reopen;
  fixture_forget (fixture);
  n_decodes (fixture);
  appender = appender_start (&plan);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  wait_until_held (fixture);
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

  start_counting (fixture, WRITER_QUIET_MS, FOR_EVER);
  fixture->check_files = FALSE;
  for (guint i = 0; i < TRIES && !steady; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      g_autofree char *path = fixture_path (fixture, name);
      g_autofree char *uri = th_uri_from_path (path);
      gsize decodes;

      steady = watch_writer (fixture, row, path);
      if (!steady)
        continue;
      decodes = n_decodes (fixture);
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

#define HOLD_MS 1000u

/* Whether the writer kept his pace. */
static gboolean
watch_endless (Fixture *fixture, const char *path)
{
  g_autofree char *uri = th_uri_from_path (path);
  AppenderPlan plan = { .path = path, .pieces = 2000, .pause_ms = 20, .reopen = TRUE };
  g_autofree char *data = picture_data (fixture, &plan.size);
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

  start_counting (fixture, QUIET_MS, HOLD_MS);
  fixture->check_files = FALSE;
  for (guint i = 0; i < TRIES && !steady; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      g_autofree char *path = fixture_path (fixture, name);
      g_autofree char *uri = th_uri_from_path (path);
      const Record *record;

      n_decodes (fixture);
      steady = watch_endless (fixture, path);
      if (!steady)
        continue;
      record = fixture_error (fixture, uri);
      g_assert_nonnull (record);
      g_assert_cmpint (record->code, ==, TH_ERROR_OTHER);
      g_assert_nonnull (strstr (record->message, WRITING));
      g_assert_false (has_marker (fixture, uri));
      g_assert_cmpuint (n_decodes (fixture), ==, 1);
      g_assert_false (is_held (fixture));
    }
  if (!steady)
    g_test_skip ("this machine is too busy to write steadily");
}

/* Nobody waits for another file to come to rest that has taken the place of the first. */
static void
test_replaced (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 60, 50, 1);
  g_autofree char *path = fixture_path (fixture, "a.png");
  g_autofree char *other = fixture_path (fixture, "b.png");

  g_free (fixture_picture (fixture, "b.png", 40, 30, 2));
  g_setenv ("TH_FAKE_TARGET", path, TRUE);
  g_setenv ("TH_FAKE_OTHER", other, TRUE);
  use_fake (fixture, "replace-once");
  fixture->options.quiet_ms = fixture->options.hold_ms = FOR_EVER;
  fixture_start (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_false (g_file_test (other, G_FILE_TEST_EXISTS));
  g_assert_null (fixture_error (fixture, uri));
}

/* Each does something to a file that is held, and says what comes of it. */
static void
remove_it (Fixture *fixture, const char *path)
{
  g_assert_no_errno (g_unlink (path));
}

static void
replace_it (Fixture *fixture, const char *path)
{
  g_autofree char *other = fixture_path (fixture, "other.png");

  g_free (fixture_picture (fixture, "other.png", 40, 30, 2));
  g_assert_no_errno (g_rename (other, path));
}

/* As another process would. */
static void
store_it (Fixture *fixture, const char *path)
{
  static const guint8 pixels[4 * 4 * 3] = { 0 };
  const ThImage image = { { 4, 4 }, 3, sizeof pixels / 4, (guint8 *) pixels };
  g_autoptr (ThPngBody) body = th_png_encode (&image);
  g_autofree char *uri = th_uri_from_path (path);
  ThThumbnailInfo info = { .uri = uri, .mime_type = "image/png", .full = { 4, 4 } };

  g_assert_true (th_stamp_from_path (path, &info.stamp, NULL, NULL));
  g_assert_true (th_cache_store (fixture->cache, TH_FLAVOR_NORMAL, body, &info, NULL));
}

typedef struct
{
  const char *name;
  void (*act) (Fixture *fixture, const char *path);
  gsize decodes;
  const char *error; /* NULL: ready */
} ActRow;

static const ActRow acts[] = {
  { "removed", remove_it, 1, "No such file" },
  { "replaced", replace_it, 2, NULL },
  { "stored", store_it, 1, NULL },
};

/* Whether it was done before the second look. */
static gboolean
act_in_time (Fixture *fixture, const ActRow *row, const char *path)
{
  gint64 began = g_get_monotonic_time ();

  if (!wait_until_held (fixture))
    return FALSE;
  row->act (fixture, path);
  return g_get_monotonic_time () - began < QUIET_MS * 1000;
}

static void
test_act (Fixture *fixture, gconstpointer data)
{
  const ActRow *row = data;
  gboolean in_time = FALSE;

  start_counting (fixture, QUIET_MS, FOR_EVER);
  for (guint i = 0; i < TRIES && !in_time; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      g_autofree char *path = fixture_path (fixture, name);
      g_autofree char *uri = half_picture (fixture, name);
      const Record *record;

      fixture_forget (fixture);
      n_decodes (fixture);
      fixture->check_files = FALSE;
      fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
      in_time = act_in_time (fixture, row, path);
      fixture_wait (fixture, 1);
      if (!in_time)
        continue;
      record = fixture_error (fixture, uri);
      g_assert_cmpint (record != NULL, ==, row->error != NULL);
      if (record != NULL)
        g_assert_nonnull (strstr (record->message, row->error));
      g_assert_cmpuint (n_decodes (fixture), ==, row->decodes);
    }
  if (!in_time)
    g_test_skip ("this machine is too busy to do it in time");
}

/* Several requests, of which one is left, and none. */
static void
test_dequeue (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = half_picture (fixture, "a.png");
  guint32 handles[3];

  fixture->options.quiet_ms = fixture->options.hold_ms = FOR_EVER;
  fixture_start (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (handles); i++)
    handles[i] = fixture_queue (fixture, (Uris) &uri, 1, (ThClass) (i % TH_N_CLASSES));
  g_assert_true (wait_until_held (fixture));
  g_assert_cmpuint (th_engine_pending (fixture->engine), ==, 3);
  for (guint i = 0; i < G_N_ELEMENTS (handles); i++)
    {
      g_assert_true (is_held (fixture));
      th_engine_dequeue (fixture->engine, handles[i]);
      fixture_wait (fixture, i + 1);
      g_assert_cmpuint (th_engine_pending (fixture->engine), ==, 2 - i);
    }
  g_assert_false (is_held (fixture));
  for (guint i = 0; i < fixture->records->len; i++)
    g_assert_cmpint (((Record *) fixture->records->pdata[i])->kind % 3, ==, 0);
}

/* No event afterwards, and nothing is left. */
static void
test_freed (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = half_picture (fixture, "a.png");
  guint records;

  fixture->options.quiet_ms = fixture->options.hold_ms = FOR_EVER;
  fixture_start (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_queue (fixture, (Uris) &uri, 1, TH_BACKGROUND);
  g_assert_true (wait_until_held (fixture));
  records = fixture->records->len;
  fixture_stop (fixture);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (fixture->records->len, ==, records);
}

/* Many at once that look incomplete. */
static void
test_many (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = g_ptr_array_new_with_free_func (g_free);
  guint32 handle;

  for (guint i = 0; i < 1000; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      g_autofree char *path = fixture_path (fixture, name);

      write_file (path, "", 0);
      g_ptr_array_add (uris, th_uri_from_path (path));
    }
  fixture_start (fixture);
  for (guint i = 0; i < TH_N_CLASSES; i++)
    {
      handle = fixture_queue (fixture, (Uris) uris->pdata, uris->len, (ThClass) i);
      fixture_wait (fixture, i + 1);
      g_assert_cmpuint (fixture_check (fixture, handle, (Uris) uris->pdata, uris->len), ==, 0);
    }
  g_assert_false (is_held (fixture));
}

/* An Error at once, but not for a thumbnail that is there. */
static void
test_name (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png.PART", 60, 50, 1);
  g_autofree char *path = fixture_path (fixture, "a.png.PART");
  const Record *record;

  start_counting (fixture, FOR_EVER, FOR_EVER);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  record = fixture_error (fixture, uri);
  g_assert_nonnull (record);
  g_test_message ("%s", record->message);
  g_assert_cmpint (record->code, ==, TH_ERROR_OTHER);
  g_assert_nonnull (strstr (record->message, "“a.png.PART” is that of a file that is still being"));
  g_assert_false (has_marker (fixture, uri));
  store_it (fixture, path);
  fixture_forget (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_null (fixture_error (fixture, uri));
  g_assert_cmpuint (n_decodes (fixture), ==, 0);
}

static void
add (const char *folder, const char *name, gconstpointer data,
     void (*test) (Fixture *fixture, gconstpointer data))
{
  g_autofree char *path = g_strdup_printf ("/held/%s%s", folder, name);

  g_test_add (path, Fixture, data, fixture_set_up, test, fixture_tear_down);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("", "complete", NULL, test_complete);
  add ("", "partial", NULL, test_partial);
  add ("", "bad", NULL, test_bad);
  for (guint i = 0; i < G_N_ELEMENTS (writers); i++)
    add ("writer/", writers[i].name, &writers[i], test_writer);
  add ("", "endless", NULL, test_endless);
  add ("", "replaced", NULL, test_replaced);
  for (guint i = 0; i < G_N_ELEMENTS (acts); i++)
    add ("act/", acts[i].name, &acts[i], test_act);
  add ("", "dequeue", NULL, test_dequeue);
  add ("", "freed", NULL, test_freed);
  add ("", "many", NULL, test_many);
  add ("", "name", NULL, test_name);
  return g_test_run ();
}

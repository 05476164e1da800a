/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine and files that look as if somebody were writing to them. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "cache/th-uri.h"
#include "engine/th-engine.h"
#include "held-world.h"

static void
write_file (const char *path, const char *data, gsize size)
{
  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
}

/* At rest: one decode, which is believed, whoever waits. */
static void
test_complete (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 60, 50, 1);

  held_start (fixture, HELD_FOR_EVER, HELD_FOR_EVER);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_null (fixture_error (fixture, uri));
  g_assert_cmpuint (held_decodes (fixture), ==, 1);
  g_assert_false (held_is_any (fixture));
}

#define QUIET_MS 200u

/* Half of a picture is shown once it is clear that there will be no more. */
static void
test_partial (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = held_half_picture (fixture, "a.png");
  gsize decodes;

  held_start (fixture, QUIET_MS, HELD_FOR_EVER);
  for (guint klass = 0; klass < TH_N_CLASSES; klass++)
    {
      gint64 began = g_get_monotonic_time ();

      fixture_forget (fixture);
      fixture_queue (fixture, (Uris) &uri, 1, (ThClass) klass);
      fixture_wait (fixture, 1);
      g_assert_null (fixture_error (fixture, uri));
      g_assert_cmpint (g_get_monotonic_time () - began, >=, QUIET_MS * 1000);
      /* One only where that took so long by itself. */
      decodes = held_decodes (fixture);
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

  held_start (fixture, QUIET_MS, HELD_FOR_EVER);
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
      g_assert_cmpint (held_is_marked (fixture, uri), ==, rows[i].marked);
      g_assert_cmpint (g_get_monotonic_time () - began, >=, QUIET_MS * 1000);
    }
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
  held_use_fake (fixture, "replace-once");
  fixture->options.quiet_ms = fixture->options.hold_ms = HELD_FOR_EVER;
  fixture_start (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_false (g_file_test (other, G_FILE_TEST_EXISTS));
  g_assert_null (fixture_error (fixture, uri));
}

/* Written to while it was decoded, and then no more. */
static void
test_touched (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 60, 50, 1);

  held_use_fake (fixture, "touch-once");
  fixture->options.hold_ms = HELD_FOR_EVER;
  fixture_start (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_null (fixture_error (fixture, uri));
}

/* Who asks for what others are held for has nothing decoded. The only thread takes background
 * requests in their order, so that the last one's answer comes after all others'. */
static void
test_joined (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = held_half_picture (fixture, "a.png");
  g_autofree char *last = fixture_picture (fixture, "b.png", 60, 50, 1);

  fixture->options.cores = 1;
  held_start (fixture, HELD_FOR_EVER, HELD_FOR_EVER);
  fixture_queue (fixture, (Uris) &uri, 1, TH_BACKGROUND);
  g_assert_true (held_wait (fixture));
  fixture_queue (fixture, (Uris) &uri, 1, TH_BACKGROUND);
  fixture_queue (fixture, (Uris) &last, 1, TH_BACKGROUND);
  fixture_wait (fixture, 1);
  g_assert_null (fixture_error (fixture, last));
  g_assert_cmpuint (held_decodes (fixture), ==, 2);
  g_assert_cmpuint (th_engine_pending (fixture->engine), ==, 2);
}

/* Nobody is held who has gone while his file was decoded. */
static void
test_dequeue_busy (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 60, 50, 1);
  g_autofree char *next = fixture_picture (fixture, "b.png", 60, 50, 1);
  g_autofree char *begun = g_build_filename (fixture->folder, "begun", NULL);
  g_autofree char *flag = g_build_filename (fixture->folder, "flag", NULL);
  guint32 handle;

  held_use_fake (fixture, "wait");
  g_setenv ("TH_FAKE_OTHER", begun, TRUE);
  fixture->options.cores = 1;
  fixture->options.quiet_ms = fixture->options.hold_ms = HELD_FOR_EVER;
  fixture_start (fixture);
  handle = fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  while (!g_file_test (begun, G_FILE_TEST_EXISTS))
    g_usleep (1000);
  th_engine_dequeue (fixture->engine, handle);
  fixture_wait (fixture, 1);
  write_file (flag, "", 0);
  handle = fixture_queue (fixture, (Uris) &next, 1, TH_FOREGROUND);
  while (!held_is_any (fixture))
    g_usleep (1000);
  th_engine_dequeue (fixture->engine, handle);
  g_assert_false (held_is_any (fixture));
  fixture_wait (fixture, 2);
}

/* Those who are held for a file of a mount that is about to go need not wait for it to rest. */
static void
test_unmounted (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *folder = fixture_path (fixture, "leaving");
  g_autofree char *leaving = NULL;
  g_autofree char *staying = held_half_picture (fixture, "a.png");
  guint32 handle;

  g_assert_no_errno (g_mkdir (folder, 0700));
  leaving = held_half_picture (fixture, "leaving/b.png");
  held_start (fixture, HELD_FOR_EVER, HELD_FOR_EVER);
  handle = fixture_queue (fixture, (Uris) &leaving, 1, TH_FOREGROUND);
  fixture_queue (fixture, (Uris) &staying, 1, TH_FOREGROUND);
  g_assert_true (held_wait (fixture));
  th_engine_leave (fixture->engine, folder);
  fixture_wait (fixture, 1);
  g_assert_cmpuint (fixture_check (fixture, handle, (Uris) &leaving, 1), ==, 0);
  g_assert_nonnull (strstr (fixture_error (fixture, leaving)->message, "unmounted"));
  g_assert_null (fixture_error (fixture, staying));
  g_assert_false (held_is_marked (fixture, leaving));
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

  if (!held_wait (fixture))
    return FALSE;
  row->act (fixture, path);
  return g_get_monotonic_time () - began < QUIET_MS * 1000;
}

static void
test_act (Fixture *fixture, gconstpointer data)
{
  const ActRow *row = data;
  gboolean in_time = FALSE;

  held_start (fixture, QUIET_MS, HELD_FOR_EVER);
  for (guint i = 0; i < HELD_TRIES && !in_time; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      g_autofree char *path = fixture_path (fixture, name);
      g_autofree char *uri = held_half_picture (fixture, name);
      const Record *record;

      fixture_forget (fixture);
      held_decodes (fixture);
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
      g_assert_cmpuint (held_decodes (fixture), ==, row->decodes);
    }
  if (!in_time)
    g_test_skip ("this machine is too busy to do it in time");
}

/* Several requests, of which one is left, and none. */
static void
test_dequeue (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = held_half_picture (fixture, "a.png");
  guint32 handles[3];

  fixture->options.quiet_ms = fixture->options.hold_ms = HELD_FOR_EVER;
  fixture_start (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (handles); i++)
    handles[i] = fixture_queue (fixture, (Uris) &uri, 1, (ThClass) (i % TH_N_CLASSES));
  g_assert_true (held_wait (fixture));
  g_assert_cmpuint (th_engine_pending (fixture->engine), ==, 3);
  for (guint i = 0; i < G_N_ELEMENTS (handles); i++)
    {
      /* The others may just be on their way there. */
      while (!held_is_any (fixture))
        g_usleep (1000);
      th_engine_dequeue (fixture->engine, handles[i]);
      fixture_wait (fixture, i + 1);
      g_assert_cmpuint (th_engine_pending (fixture->engine), ==, 2 - i);
    }
  g_assert_false (held_is_any (fixture));
  for (guint i = 0; i < fixture->records->len; i++)
    g_assert_cmpint (((Record *) fixture->records->pdata[i])->kind % 3, ==, 0);
}

/* No event afterwards, and nothing is left. */
static void
test_freed (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = held_half_picture (fixture, "a.png");
  guint records;

  fixture->options.quiet_ms = fixture->options.hold_ms = HELD_FOR_EVER;
  fixture_start (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_queue (fixture, (Uris) &uri, 1, TH_BACKGROUND);
  g_assert_true (held_wait (fixture));
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
  g_assert_false (held_is_any (fixture));
}

/* An Error at once, but not for a thumbnail that is there. */
static void
test_name (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png.PART", 60, 50, 1);
  g_autofree char *path = fixture_path (fixture, "a.png.PART");
  const Record *record;

  held_start (fixture, HELD_FOR_EVER, HELD_FOR_EVER);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  record = fixture_error (fixture, uri);
  g_assert_nonnull (record);
  g_test_message ("%s", record->message);
  g_assert_cmpint (record->code, ==, TH_ERROR_OTHER);
  g_assert_nonnull (strstr (record->message, "“a.png.PART” is that of a file that is still being"));
  g_assert_false (held_is_marked (fixture, uri));
  store_it (fixture, path);
  fixture_forget (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_null (fixture_error (fixture, uri));
  g_assert_cmpuint (held_decodes (fixture), ==, 0);
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
  add ("", "replaced", NULL, test_replaced);
  add ("", "touched", NULL, test_touched);
  add ("", "joined", NULL, test_joined);
  add ("", "dequeue-busy", NULL, test_dequeue_busy);
  add ("", "unmounted", NULL, test_unmounted);
  for (guint i = 0; i < G_N_ELEMENTS (acts); i++)
    add ("act/", acts[i].name, &acts[i], test_act);
  add ("", "dequeue", NULL, test_dequeue);
  add ("", "freed", NULL, test_freed);
  add ("", "many", NULL, test_many);
  add ("", "name", NULL, test_name);
  return g_test_run ();
}

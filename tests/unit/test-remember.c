/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the engine remembers of files that it could make nothing of, and which it is told to leave
 * alone. */
#include "config.h"

#include "engine/th-engine.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "cache/th-fail.h"
#include "cache/th-uri.h"
#include "engine-fixture.h"

#define REMEMBERED "remembered"

static void
use_fake (Fixture *fixture, const char *mode)
{
  g_setenv ("TH_FAKE", mode, TRUE);
  g_free (fixture->options.worker_path);
  fixture->options.worker_path = g_test_build_filename (G_TEST_BUILT, "unit", "fake-worker", NULL);
}

static guint
n_children (void)
{
  g_autoptr (GArray) children = fixture_children ();

  return children->len;
}

/* NULL where it is ready. */
static const Record *
ask_as (Fixture *fixture, const char *uri, const char *type, const char *flavor)
{
  fixture_forget (fixture);
  fixture->check_files = FALSE;
  th_engine_queue (fixture->engine, &uri, &type, 1, flavor, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  return fixture_error (fixture, uri);
}

static const Record *
ask (Fixture *fixture, const char *uri)
{
  return ask_as (fixture, uri, "image/png", "normal");
}

static void
expect (const Record *record, int code, const char *text, gboolean remembered)
{
  g_assert_nonnull (record);
  g_test_message ("%s", record->message);
  g_assert_cmpint (record->code, ==, code);
  g_assert_nonnull (strstr (record->message, text));
  g_assert_cmpint (strstr (record->message, REMEMBERED) != NULL, ==, remembered);
}

static gboolean
has_marker (Fixture *fixture, const char *uri)
{
  g_autofree char *path = th_fail_path (fixture->cache, uri);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* A signature and a header, and then nothing that makes sense. */
static char *
make_corrupt (Fixture *fixture, const char *name)
{
  g_autofree char *path = fixture_path (fixture, name);

  g_assert_true (
      g_file_set_contents (path, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR????????????????????", 36, NULL));
  return th_uri_from_path (path);
}

static void
test_corrupt (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = make_corrupt (fixture, "a.png");
  g_autofree char *first = NULL;
  g_autofree char *good = NULL;
  const Record *record;

  fixture_start (fixture);
  record = ask (fixture, uri);
  expect (record, TH_ERROR_INVALID_FORMAT, uri, FALSE);
  first = g_strdup (record->message);
  g_assert_true (has_marker (fixture, uri));
  /* By another process, with nothing started. */
  fixture_stop (fixture);
  fixture_start (fixture);
  expect (ask (fixture, uri), TH_ERROR_INVALID_FORMAT, first, TRUE);
  g_assert_cmpuint (n_children (), ==, 0);
  /* The file is mended. */
  good = fixture_picture (fixture, "a.png", 40, 40, 1);
  g_assert_null (ask (fixture, uri));
  g_assert_false (has_marker (fixture, uri));
}

/* One marker for each spelling that was asked for, none for others. */
static void
test_spellings (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = make_corrupt (fixture, "a b.png");
  g_autofree char *other = g_strconcat ("file://localhost", uri + strlen ("file://"), NULL);

  fixture_start (fixture);
  expect (ask (fixture, uri), TH_ERROR_INVALID_FORMAT, uri, FALSE);
  g_assert_true (has_marker (fixture, uri));
  g_assert_false (has_marker (fixture, other));
}

typedef struct
{
  const char *content;
  gsize size;
  const char *type;
  int code;
} PassingRow;

/* Not of the file's making, or as cheap to find out as to remember. */
static void
test_not_remembered (Fixture *fixture, gconstpointer unused)
{
  static const PassingRow rows[] = {
    { "just words", 10, "image/png", TH_ERROR_INVALID_FORMAT },
    { "", 0, "image/png", TH_ERROR_NO_CONTENT },
    { "just words", 10, "text/plain", TH_ERROR_UNSUPPORTED },
  };
  g_autofree char *path = fixture_path (fixture, "a.png");
  g_autofree char *uri = th_uri_from_path (path);

  fixture_start (fixture);
  for (gsize i = 0; i < 2 * G_N_ELEMENTS (rows); i++)
    {
      const PassingRow *row = &rows[i / 2];

      g_assert_true (g_file_set_contents (path, row->content, (gssize) row->size, NULL));
      expect (ask_as (fixture, uri, row->type, "normal"), row->code, uri, FALSE);
      g_assert_false (has_marker (fixture, uri));
    }
}

static void
test_crash (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 40, 40, 1);

  use_fake (fixture, "crash");
  fixture_start (fixture);
  expect (ask (fixture, uri), TH_ERROR_INVALID_FORMAT, "crashed", FALSE);
  expect (ask (fixture, uri), TH_ERROR_INVALID_FORMAT, "crashed", TRUE);
  /* Another program tries again, and takes the marker away. */
  fixture_stop (fixture);
  g_clear_pointer (&fixture->options.worker_path, g_free);
  fixture_start (fixture);
  g_assert_null (ask (fixture, uri));
  g_assert_false (has_marker (fixture, uri));
}

static void
test_timeout (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 40, 40, 1);

  use_fake (fixture, "hang");
  fixture->options.limits.wall_ms = 200;
  fixture_start (fixture);
  expect (ask (fixture, uri), TH_ERROR_OTHER, "too long", FALSE);
  g_assert_true (has_marker (fixture, uri));
  expect (ask (fixture, uri), TH_ERROR_OTHER, "too long", FALSE);
  expect (ask (fixture, uri), TH_ERROR_OTHER, "too long", TRUE);
  /* More time, another try. */
  fixture_stop (fixture);
  fixture->options.limits.wall_ms = 250;
  fixture_start (fixture);
  expect (ask (fixture, uri), TH_ERROR_OTHER, "too long", FALSE);
}

/* Many who wait for one decode have seen one failure. */
static void
test_counted_once (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 40, 40, 1);
  const char *const uris[] = { uri, uri, uri };

  use_fake (fixture, "hang");
  fixture->options.limits.wall_ms = 300;
  fixture_start (fixture);
  fixture_queue (fixture, uris, 3, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  expect (ask (fixture, uri), TH_ERROR_OTHER, "too long", FALSE);
}

static void
test_too_large (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 2000, 1000, 1);

  fixture->options.limits.max_pixels = 1000000;
  fixture_start (fixture);
  expect (ask (fixture, uri), TH_ERROR_OTHER, "megapixel", FALSE);
  expect (ask (fixture, uri), TH_ERROR_OTHER, "megapixel", TRUE);
  fixture_stop (fixture);
  fixture->options.limits.max_pixels = 3000000;
  fixture_start (fixture);
  g_assert_null (ask (fixture, uri));
  g_assert_false (has_marker (fixture, uri));
}

/* A thumbnail that is there is shown, whatever became of a later try. */
static void
test_valid_wins (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 40, 40, 1);

  fixture_start (fixture);
  g_assert_null (ask (fixture, uri));
  fixture_stop (fixture);
  use_fake (fixture, "crash");
  fixture_start (fixture);
  expect (ask_as (fixture, uri, "image/png", "large"), TH_ERROR_INVALID_FORMAT, "crashed", FALSE);
  g_assert_null (ask (fixture, uri));
  expect (ask_as (fixture, uri, "image/png", "x-large"), TH_ERROR_INVALID_FORMAT, "crashed", TRUE);
}

static void
set_rules (Fixture *fixture, const char *text)
{
  g_autoptr (ThConf) conf = th_conf_new ();

  th_conf_add_text (conf, NULL, text);
  g_clear_pointer (&fixture->options.rules, th_rules_unref);
  fixture->options.rules = th_rules_from_conf (conf);
  fixture_stop (fixture);
  fixture_start (fixture);
}

static void
test_rules (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 40, 40, 1);
  g_autofree char *other = fixture_picture (fixture, "b.png", 40, 40, 1);
  g_autofree char *excluding = g_strdup_printf ("[rules]\nexclude=%s", fixture->pictures);
  g_autofree char *link = fixture_path (fixture, "../link");
  g_autofree char *behind = g_build_filename (link, "a.png", NULL);
  g_autofree char *uri_behind = th_uri_from_path (behind);

  fixture_start (fixture);
  g_assert_null (ask (fixture, uri));
  /* What forbids the place forbids the thumbnail that is there, on every way to it. */
  g_assert_no_errno (symlink ("pictures", link));
  set_rules (fixture, excluding);
  expect (ask (fixture, uri), TH_ERROR_UNSUPPORTED, "excludes", FALSE);
  expect (ask (fixture, uri_behind), TH_ERROR_UNSUPPORTED, "excludes", FALSE);
  /* What only forbids making one does not. */
  set_rules (fixture, "[rules png]\nenabled=false");
  g_assert_null (ask (fixture, uri));
  expect (ask (fixture, other), TH_ERROR_UNSUPPORTED, "[rules png]", FALSE);
  g_assert_cmpuint (n_children (), ==, 0);
  /* A type that does not tell is no way around. */
  expect (ask_as (fixture, other, "application/octet-stream", "normal"), TH_ERROR_UNSUPPORTED,
          "[rules png]", FALSE);
  g_assert_false (has_marker (fixture, other));
  set_rules (fixture, "[rules gif]\nenabled=false");
  g_assert_null (ask (fixture, other));
}

#define ADD(name, test) g_test_add (name, Fixture, NULL, fixture_set_up, test, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/remember/corrupt", test_corrupt);
  ADD ("/remember/spellings", test_spellings);
  ADD ("/remember/passing", test_not_remembered);
  ADD ("/remember/crash", test_crash);
  ADD ("/remember/timeout", test_timeout);
  ADD ("/remember/counted-once", test_counted_once);
  ADD ("/remember/too-large", test_too_large);
  ADD ("/remember/valid-wins", test_valid_wins);
  ADD ("/remember/rules", test_rules);
  return g_test_run ();
}

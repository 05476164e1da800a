/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-engine.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "cache/th-png-text.h"
#include "cache/th-uri.h"
#include "engine-fixture.h"
#include "engine/th-engine-private.h"

static void
test_one (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 300, 200, 1);
  g_autofree char *cached = th_cache_path (fixture->cache, uri, TH_FLAVOR_NORMAL);
  g_autoptr (ThPngText) text = NULL;
  guint32 handle;

  fixture_start (fixture);
  handle = fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  g_assert_cmpuint (handle, ==, 1);
  g_assert_cmpuint (fixture->records->len, ==, 0);
  g_assert_cmpuint (th_engine_pending (fixture->engine), ==, 1);
  fixture_wait (fixture, 1);
  g_assert_cmpuint (th_engine_pending (fixture->engine), ==, 0);
  g_assert_cmpuint (fixture_check (fixture, handle, (Uris) &uri, 1), ==, 1);
  text = th_png_text_read (cached, NULL);
  g_assert_nonnull (text);
  g_assert_cmpstr (th_png_text_get (text, "Thumb::Image::Width"), ==, "300");
  g_assert_cmpuint (th_png_text_size (text).width, ==, 128);
  g_assert_null (th_engine_trouble (fixture->engine));
}

typedef struct
{
  const char *uri; /* NULL: of name */
  const char *name;
  const char *type;
  int code;
  const char *text;
} VerdictRow;

static const VerdictRow verdicts[] = {
  { "", NULL, "image/png", TH_ERROR_OTHER, "g-io-error-quark, code 15" },
  { "http://example.org/a.png", NULL, "image/png", TH_ERROR_OTHER, "g-io-error-quark, code 15" },
  { "/a/bare/path.png", NULL, "image/png", TH_ERROR_OTHER, "g-io-error-quark, code 15" },
  { NULL, "missing.png", "image/png", TH_ERROR_OTHER, "(domain g-io-error-quark, code 1) " },
  { NULL, "folder", "image/png", TH_ERROR_UNSUPPORTED, "folder" },
  { NULL, "fifo", "image/png", TH_ERROR_UNSUPPORTED, "regular" },
  { NULL, "good.png", "text/plain", TH_ERROR_UNSUPPORTED, "text/plain" },
  { NULL, "good.png", "image/x-no-such-thing", TH_ERROR_UNSUPPORTED, "image/x-no-such-thing" },
  { NULL, "text.png", "image/png", TH_ERROR_INVALID_FORMAT, "text.png" },
  { NULL, "empty.png", "application/x-zerosize", TH_ERROR_NO_CONTENT, "empty.png" },
  { NULL, "../cache/normal/any.png", "image/png", TH_ERROR_IS_THUMBNAIL, "thumbnail itself" },
  { NULL, "cached/any.png", "image/png", TH_ERROR_IS_THUMBNAIL, "thumbnail itself" },
  { NULL, "link.png", "image/png", TH_ERROR_IS_THUMBNAIL, "thumbnail itself" },
};

static void
make_odd_files (Fixture *fixture)
{
  g_autofree char *good = fixture_picture (fixture, "good.png", 20, 20, 3);
  g_autofree char *folder = fixture_path (fixture, "folder");
  g_autofree char *fifo = fixture_path (fixture, "fifo");
  g_autofree char *text = fixture_path (fixture, "text.png");
  g_autofree char *empty = fixture_path (fixture, "empty.png");
  g_autofree char *normal = g_build_filename (fixture->cache_root, "normal", NULL);
  g_autofree char *any = g_build_filename (normal, "any.png", NULL);
  g_autofree char *cached = fixture_path (fixture, "cached");
  g_autofree char *link = fixture_path (fixture, "link.png");

  g_assert_nonnull (good);
  g_assert_no_errno (g_mkdir (folder, 0700));
  g_assert_no_errno (mkfifo (fifo, 0600));
  g_assert_true (g_file_set_contents (text, "just words", -1, NULL));
  g_assert_true (g_file_set_contents (empty, "", 0, NULL));
  g_assert_no_errno (g_mkdir_with_parents (normal, 0700));
  g_assert_true (g_file_set_contents (any, "x", 1, NULL));
  g_assert_no_errno (symlink (normal, cached));
  g_assert_no_errno (symlink ("cached/any.png", link));
}

static void
test_verdicts (Fixture *fixture, gconstpointer unused)
{
  make_odd_files (fixture);
  fixture_start (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (verdicts); i++)
    {
      const VerdictRow *row = &verdicts[i];
      g_autofree char *uri =
          row->uri != NULL ? g_strdup (row->uri) : fixture_uri (fixture, row->name);
      const Record *record;
      guint32 handle;

      g_test_message ("%s as %s", uri, row->type);
      fixture_forget (fixture);
      handle =
          th_engine_queue (fixture->engine, (Uris) &uri, &row->type, 1, "normal", TH_FOREGROUND);
      fixture_wait (fixture, 1);
      g_assert_cmpuint (fixture_check (fixture, handle, (Uris) &uri, 1), ==, 0);
      record = fixture_error (fixture, uri);
      g_assert_nonnull (record);
      g_test_message ("%s", record->message);
      g_assert_cmpint (record->code, ==, row->code);
      g_assert_nonnull (strstr (record->message, row->text));
      g_assert_nonnull (strstr (record->message, uri));
    }
}

static void
test_unreadable (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 30, 30, 1);
  g_autofree char *path = fixture_path (fixture, "a.png");

  if (geteuid () == 0)
    {
      g_test_skip ("root may read everything");
      return;
    }
  fixture_start (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_null (fixture_error (fixture, uri));
  fixture_forget (fixture);
  g_assert_no_errno (g_chmod (path, 0));
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_cmpint (fixture_error (fixture, uri)->code, ==, TH_ERROR_OTHER);
}

static void
test_read_only_cache (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 30, 30, 1);

  if (geteuid () == 0)
    {
      g_test_skip ("root may write everywhere");
      return;
    }
  g_assert_no_errno (g_mkdir (fixture->cache_root, 0500));
  fixture_start (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_cmpint (fixture_error (fixture, uri)->code, ==, TH_ERROR_SAVE_FAILED);
}

static void
note_types (const char *const *schemes, const char *const *types, gpointer data)
{
  gboolean *told = data;

  g_assert_true (g_strv_contains (types, "image/png"));
  g_assert_cmpuint (g_strv_length ((char **) types), ==, g_strv_length ((char **) schemes));
  *told = TRUE;
}

static void
test_types (Fixture *fixture, gconstpointer unused)
{
  static const char *const tried[] = { "image/png",   "",          "application/octet-stream",
                                       "image/x-png", "IMAGE/PNG", "image/jpeg" };
  g_autofree char *uri = fixture_picture (fixture, "a.png", 30, 30, 1);
  gboolean told = FALSE;

  fixture_start (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (tried); i++)
    th_engine_queue (fixture->engine, (Uris) &uri, &tried[i], 1, "large", TH_FOREGROUND);
  fixture->flavor = TH_FLAVOR_LARGE;
  fixture_wait (fixture, G_N_ELEMENTS (tried));
  g_assert_null (fixture_error (fixture, uri));
  th_engine_supported (fixture->engine, note_types, &told);
  while (!told)
    g_main_context_iteration (NULL, TRUE);
}

/* Half of the files are cached: they come first, together, in order. */
static void
test_cached_first (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = fixture_pictures (fixture, 200, 40);
  g_autoptr (GPtrArray) half = g_ptr_array_new ();
  g_autoptr (GPtrArray) records = NULL;
  const Record *first;
  guint32 handle;

  fixture_start (fixture);
  for (guint i = 0; i < uris->len; i += 2)
    g_ptr_array_add (half, uris->pdata[i]);
  fixture_queue (fixture, (Uris) half->pdata, half->len, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  fixture_forget (fixture);
  handle = fixture_queue (fixture, (Uris) uris->pdata, uris->len, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_cmpuint (fixture_check (fixture, handle, (Uris) uris->pdata, uris->len), ==, 200);
  records = fixture_records (fixture, handle);
  first = records->pdata[1];
  g_assert_cmpint (first->kind, ==, READY);
  g_assert_cmpuint (first->n, ==, half->len);
  for (guint i = 0; i < half->len; i++)
    g_assert_cmpstr (first->uris[i], ==, half->pdata[i]);
  g_assert_cmpuint (records->len, ==, 3 + 100);
}

/* Repeated URIs, other spellings, hard links: each is answered, each has its own file. */
static void
test_same_file (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a-b.png", 300, 300, 1);
  g_autofree char *path = fixture_path (fixture, "a-b.png");
  g_autofree char *link_path = fixture_path (fixture, "link.png");
  g_autofree char *link_uri = th_uri_from_path (link_path);
  g_autofree char *spelled = g_strdup_printf ("file://%s/a%%2Db.png", fixture->pictures);
  const char *uris[] = { uri, spelled, uri, link_uri, uri };

  g_assert_no_errno (link (path, link_path));
  fixture_start (fixture);
  for (guint klass = 0; klass < TH_N_CLASSES; klass++)
    {
      guint32 handle = fixture_queue (fixture, uris, G_N_ELEMENTS (uris), (ThClass) klass);

      fixture_wait (fixture, 1);
      g_assert_cmpuint (fixture_check (fixture, handle, uris, G_N_ELEMENTS (uris)), ==, 5);
      fixture_forget (fixture);
      /* Then all again, cached. */
      handle = fixture_queue (fixture, uris, G_N_ELEMENTS (uris), (ThClass) klass);
      fixture_wait (fixture, 1);
      g_assert_cmpuint (fixture_check (fixture, handle, uris, G_N_ELEMENTS (uris)), ==, 5);
      fixture_forget (fixture);
      fixture->flavor = TH_FLAVOR_X_LARGE;
    }
}

static void
test_bad_flavor (Fixture *fixture, gconstpointer unused)
{
  const char *uris[] = { "file:///a", "file:///b", "file:///a" };
  const char *types[] = { "image/png", "image/png", "image/png" };
  guint32 handle;

  fixture_start (fixture);
  handle = th_engine_queue (fixture->engine, uris, types, 3, "huge", TH_BACKGROUND);
  fixture_wait (fixture, 1);
  g_assert_cmpuint (fixture_check (fixture, handle, uris, 3), ==, 0);
  g_assert_cmpint (fixture_error (fixture, "file:///b")->code, ==, TH_ERROR_UNSUPPORTED_FLAVOR);
  handle = th_engine_queue (fixture->engine, uris, types, 0, "normal", TH_FOREGROUND);
  fixture_wait (fixture, 2);
  g_assert_cmpuint (fixture_check (fixture, handle, NULL, 0), ==, 0);
}

/* After the last number comes 1, and numbers in use are left out. */
static void
test_handles (Fixture *fixture, gconstpointer unused)
{
  guint32 handle;

  fixture_start (fixture);
  g_assert_cmpuint (fixture_queue (fixture, NULL, 0, TH_FOREGROUND), ==, 1);
  fixture->engine->last_handle = G_MAXUINT32 - 1;
  handle = fixture_queue (fixture, NULL, 0, TH_FOREGROUND);
  g_assert_cmpuint (handle, ==, G_MAXUINT32);
  g_assert_cmpuint (fixture_queue (fixture, NULL, 0, TH_FOREGROUND), ==, 2);
  fixture_wait (fixture, 3);
  g_assert_cmpuint (fixture_queue (fixture, NULL, 0, TH_FOREGROUND), ==, 3);
  fixture_wait (fixture, 4);
}

static void
test_dequeue (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = fixture_pictures (fixture, 100, 200);
  g_autoptr (GPtrArray) records = NULL;
  guint32 first, second;

  fixture_start (fixture);
  first = fixture_queue (fixture, (Uris) uris->pdata, uris->len, TH_FOREGROUND);
  second = fixture_queue (fixture, (Uris) uris->pdata, 20, TH_BACKGROUND);
  while (fixture->records->len < 10)
    g_main_context_iteration (NULL, TRUE);
  th_engine_dequeue (fixture->engine, first);
  th_engine_dequeue (fixture->engine, first);
  th_engine_dequeue (fixture->engine, 4711);
  fixture_wait (fixture, 2);
  g_assert_cmpuint (fixture_check (fixture, second, (Uris) uris->pdata, 20), ==, 20);
  records = fixture_records (fixture, first);
  g_assert_cmpuint (records->len, <, uris->len);
  th_engine_dequeue (fixture->engine, second);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (fixture->finished, ==, 2);
}

static void
test_background (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = fixture_pictures (fixture, 300, 20);
  g_autoptr (GPtrArray) records = NULL;
  guint32 handle;

  for (guint i = 0; i < 300; i++)
    g_ptr_array_add (uris, g_strdup_printf ("file:///nowhere/%u", i));
  fixture_start (fixture);
  handle = fixture_queue (fixture, (Uris) uris->pdata, uris->len, TH_BACKGROUND);
  fixture_wait (fixture, 1);
  g_assert_cmpuint (fixture_check (fixture, handle, (Uris) uris->pdata, uris->len), ==, 300);
  records = fixture_records (fixture, handle);
  for (guint i = 0; i < records->len; i++)
    {
      const Record *record = records->pdata[i];
      g_auto (GStrv) lines = g_strsplit (record->message != NULL ? record->message : "", "\n", -1);

      g_assert_cmpuint (record->n, <=, 256);
      if (record->kind == FAILED)
        g_assert_cmpuint (g_strv_length (lines), ==, record->n);
    }
}

/* No two decodes fit into the memory: they wait for each other, none fails, and whoever is no
 * longer wanted stops waiting. */
static void
test_budget (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = fixture_pictures (fixture, 30, 300);
  guint32 handles[TH_N_CLASSES];
  guint32 dropped;

  fixture->options.cores = 4;
  fixture->options.limits.budget_bytes = 1;
  fixture_start (fixture);
  for (guint i = 0; i < TH_N_CLASSES; i++)
    handles[i] = fixture_queue (fixture, (Uris) uris->pdata + 10 * i, 10, (ThClass) i);
  dropped = fixture_queue (fixture, (Uris) uris->pdata + 20, 10, TH_FOREGROUND);
  while (fixture->records->len < 6)
    g_main_context_iteration (NULL, TRUE);
  th_engine_dequeue (fixture->engine, dropped);
  fixture_wait (fixture, 3);
  for (guint i = 0; i < TH_N_CLASSES; i++)
    g_assert_cmpuint (fixture_check (fixture, handles[i], (Uris) uris->pdata + 10 * i, 10), ==, 10);
}

/* A hundred thousand that are not there: told one by one, in bounded turns of the main loop. */
static void
test_flood (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = g_ptr_array_new_with_free_func (g_free);
  guint before = 0;
  guint32 handle;

  for (guint i = 0; i < 100000; i++)
    g_ptr_array_add (uris, g_strdup_printf ("file:///nowhere/at/all/picture-%u.png", i));
  fixture_start (fixture);
  handle = fixture_queue (fixture, (Uris) uris->pdata, uris->len, TH_FOREGROUND);
  while (fixture->finished == 0)
    {
      g_main_context_iteration (NULL, TRUE);
      g_assert_cmpuint (fixture->records->len - before, <=, 64);
      before = fixture->records->len;
    }
  g_assert_cmpuint (fixture_check (fixture, handle, (Uris) uris->pdata, uris->len), ==, 0);
}

/* More than there is room for is refused, as a whole; what is done makes room. */
static void
test_bound (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = fixture_pictures (fixture, 20, 40);
  guint32 first, second;

  fixture->options.max_queued = 15;
  fixture_start (fixture);
  first = fixture_queue (fixture, (Uris) uris->pdata, 10, TH_FOREGROUND);
  second = fixture_queue (fixture, (Uris) uris->pdata + 10, 10, TH_BACKGROUND);
  fixture_wait (fixture, 2);
  g_assert_cmpuint (fixture_check (fixture, first, (Uris) uris->pdata, 10), ==, 10);
  g_assert_cmpuint (fixture_check (fixture, second, (Uris) uris->pdata + 10, 10), ==, 0);
  g_assert_cmpint (fixture_error (fixture, uris->pdata[10])->code, ==, TH_ERROR_OTHER);
  g_assert_nonnull (strstr (fixture_error (fixture, uris->pdata[10])->message, "too many"));
  second = fixture_queue (fixture, (Uris) uris->pdata + 10, 10, TH_BACKGROUND);
  fixture_wait (fixture, 3);
  g_assert_cmpuint (fixture_check (fixture, second, (Uris) uris->pdata + 10, 10), ==, 10);
}

/* What nobody hears of is made all the same, but not without end. */
static void
test_orphans (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = fixture_pictures (fixture, 20, 40);
  guint32 first, second;

  fixture->options.max_orphaned = 15;
  fixture_start (fixture);
  first = fixture_queue (fixture, (Uris) uris->pdata, 10, TH_FOREGROUND);
  th_engine_orphan (fixture->engine, first);
  second = fixture_queue (fixture, (Uris) uris->pdata + 10, 10, TH_FOREGROUND);
  th_engine_orphan (fixture->engine, second);
  th_engine_orphan (fixture->engine, second + 1);
  fixture_wait (fixture, 2);
  g_assert_cmpuint (fixture_check (fixture, first, (Uris) uris->pdata, 10), ==, 10);
  g_assert_null (fixture_error (fixture, uris->pdata[10]));
}

static void
test_free_busy (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = fixture_pictures (fixture, 60, 600);
  guint records;

  for (guint round = 0; round < 6; round++)
    {
      fixture_start (fixture);
      fixture_queue (fixture, (Uris) uris->pdata, uris->len, TH_FOREGROUND);
      fixture_queue (fixture, (Uris) uris->pdata, uris->len, TH_BACKGROUND);
      for (guint i = 0; i < round * 3; i++)
        g_main_context_iteration (NULL, TRUE);
      records = fixture->records->len;
      fixture_stop (fixture);
      while (g_main_context_iteration (NULL, FALSE))
        ;
      g_assert_cmpuint (fixture->records->len, ==, records);
      fixture->flavor = (ThFlavor) ((fixture->flavor + 1) % TH_N_FLAVORS);
    }
}

#define ADD(path, function)                                                                        \
  g_test_add (path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/engine/one", test_one);
  ADD ("/engine/verdicts", test_verdicts);
  ADD ("/engine/unreadable", test_unreadable);
  ADD ("/engine/read-only-cache", test_read_only_cache);
  ADD ("/engine/types", test_types);
  ADD ("/engine/cached-first", test_cached_first);
  ADD ("/engine/same-file", test_same_file);
  ADD ("/engine/bad-flavor", test_bad_flavor);
  ADD ("/engine/handles", test_handles);
  ADD ("/engine/dequeue", test_dequeue);
  ADD ("/engine/background", test_background);
  ADD ("/engine/budget", test_budget);
  ADD ("/engine/flood", test_flood);
  ADD ("/engine/bound", test_bound);
  ADD ("/engine/orphans", test_orphans);
  ADD ("/engine/free-busy", test_free_busy);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine-fixture.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "cache/th-png-write.h"
#include "cache/th-uri.h"

#define PATIENCE (60 * G_USEC_PER_SEC)

static void
record_free (gpointer data)
{
  Record *record = data;

  g_strfreev (record->uris);
  g_free (record->message);
  g_free (record);
}

static Record *
add_record (Fixture *fixture, RecordKind kind, guint32 handle, const char *const *uris)
{
  Record *record = g_new0 (Record, 1);

  record->kind = kind;
  record->handle = handle;
  record->uris = g_strdupv ((char **) uris);
  record->n = uris != NULL ? g_strv_length (record->uris) : 0;
  g_ptr_array_add (fixture->records, record);
  return record;
}

static void
on_started (guint32 handle, gpointer data)
{
  add_record (data, STARTED, handle, NULL);
}

static void
check_file (Fixture *fixture, const char *uri)
{
  g_autofree char *path = th_uri_to_path (uri, NULL);
  ThStamp stamp;

  g_assert_true (th_stamp_from_path (path, &stamp, NULL, NULL));
  g_assert_cmpint (th_cache_lookup (fixture->cache, uri, fixture->flavor, &stamp), ==,
                   TH_CACHE_VALID);
}

static void
on_ready (guint32 handle, const char *const *uris, gpointer data)
{
  Fixture *fixture = data;

  for (guint i = 0; fixture->check_files && uris[i] != NULL; i++)
    check_file (fixture, uris[i]);
  add_record (fixture, READY, handle, uris);
}

static void
on_error (guint32 handle, const char *const *uris, ThError code, const char *message, gpointer data)
{
  Record *record = add_record (data, FAILED, handle, uris);

  g_assert_nonnull (message);
  g_assert_true (g_utf8_validate (message, -1, NULL));
  record->code = (int) code;
  record->message = g_strdup (message);
}

static void
on_finished (guint32 handle, gpointer data)
{
  Fixture *fixture = data;

  fixture->finished++;
  add_record (fixture, FINISHED, handle, NULL);
}

static void
fixture_init (Fixture *fixture)
{
  *fixture = (Fixture){ .check_files = TRUE };
  fixture->folder = g_dir_make_tmp ("thimble-engine-XXXXXX", NULL);
  g_assert_nonnull (fixture->folder);
  fixture->pictures = g_build_filename (fixture->folder, "pictures", NULL);
  fixture->cache_root = g_build_filename (fixture->folder, "cache", NULL);
  g_assert_no_errno (g_mkdir (fixture->pictures, 0700));
  fixture->cache = th_cache_new (fixture->cache_root, "test");
  fixture->records = g_ptr_array_new_with_free_func (record_free);
  th_engine_options_init (&fixture->options);
  fixture->options.cache_root = g_strdup (fixture->cache_root);
  fixture->options.cores = 2;
  /* Many a test waits until a file is believed to be as bad as it looks. */
  fixture->options.quiet_ms = 20;
  fixture->options.hold_ms = 400;
  /* Whatever is installed on this machine. */
  fixture->options.external.folders = g_new0 (char *, 2);
  fixture->options.external.folders[0] = g_build_filename (fixture->folder, "entries", NULL);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (g_file_test (path, G_FILE_TEST_IS_SYMLINK) || !g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      g_unlink (path);
      return;
    }
  g_chmod (path, 0700);
  dir = g_dir_open (path, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child);
    }
  g_rmdir (path);
}

void
fixture_stop (Fixture *fixture)
{
  g_clear_pointer (&fixture->engine, th_engine_free);
}

static void
fixture_clear (Fixture *fixture)
{
  fixture_stop (fixture);
  remove_tree (fixture->folder);
  th_cache_free (fixture->cache);
  th_engine_options_clear (&fixture->options);
  g_ptr_array_unref (fixture->records);
  g_free (fixture->folder);
  g_free (fixture->pictures);
  g_free (fixture->cache_root);
}

void
fixture_set_up (Fixture *fixture, gconstpointer unused)
{
  fixture_init (fixture);
}

void
fixture_tear_down (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GArray) children = NULL;

  fixture_clear (fixture);
  children = fixture_children ();
  g_assert_cmpuint (children->len, ==, 0);
}

void
fixture_start (Fixture *fixture)
{
  static const ThEngineEvents events = { on_started, on_ready, on_error, on_finished };
  g_autoptr (GError) error = NULL;

  fixture->engine = th_engine_new (&fixture->options, &events, fixture, &error);
  g_assert_no_error (error);
  g_assert_nonnull (fixture->engine);
}

char *
fixture_path (Fixture *fixture, const char *name)
{
  return g_build_filename (fixture->pictures, name, NULL);
}

char *
fixture_uri (Fixture *fixture, const char *name)
{
  g_autofree char *path = fixture_path (fixture, name);

  return th_uri_from_path (path);
}

char *
fixture_picture (Fixture *fixture, const char *name, guint32 width, guint32 height, guint32 seed)
{
  g_autofree char *path = fixture_path (fixture, name);
  g_autofree guint8 *pixels = g_malloc ((gsize) width * height * 3);
  ThImage image = { { width, height }, 3, (gsize) width * 3, pixels };
  g_autoptr (ThPngBody) body = NULL;
  g_autoptr (GBytes) file = NULL;

  for (gsize i = 0; i < (gsize) width * height * 3; i++)
    pixels[i] = (guint8) (i * (seed % 251 + 1) / 7);
  body = th_png_encode (&image);
  file = th_png_assemble (body, NULL, 0);
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (file, NULL),
                                      (gssize) g_bytes_get_size (file), NULL));
  return th_uri_from_path (path);
}

guint32
fixture_queue (Fixture *fixture, const char *const *uris, guint n, ThClass klass)
{
  g_autofree const char **types = g_new (const char *, (gsize) n + 1);

  for (guint i = 0; i < n; i++)
    types[i] = "image/png";
  return th_engine_queue (fixture->engine, uris, types, n, th_flavor_name (fixture->flavor), klass);
}

GPtrArray *
fixture_pictures (Fixture *fixture, guint n, guint32 side)
{
  GPtrArray *uris = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%04u.png", i);

      g_ptr_array_add (uris, fixture_picture (fixture, name, side, side / 2 + 1, i));
    }
  return uris;
}

void
fixture_wait (Fixture *fixture, guint finished)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;

  while (fixture->finished < finished)
    {
      if (!g_main_context_iteration (NULL, FALSE))
        g_usleep (500);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
  g_assert_cmpuint (fixture->finished, ==, finished);
}

void
fixture_forget (Fixture *fixture)
{
  g_ptr_array_set_size (fixture->records, 0);
  fixture->finished = 0;
}

GPtrArray *
fixture_records (Fixture *fixture, guint32 handle)
{
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; i < fixture->records->len; i++)
    if (((Record *) fixture->records->pdata[i])->handle == handle)
      g_ptr_array_add (found, fixture->records->pdata[i]);
  return found;
}

static void
count (GHashTable *counts, const char *uri, int change)
{
  int before = GPOINTER_TO_INT (g_hash_table_lookup (counts, uri));

  g_hash_table_replace (counts, (gpointer) uri, GINT_TO_POINTER (before + change));
}

static void
check_no_repeats (const Record *record)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < record->n; i++)
    g_assert_true (g_hash_table_add (seen, record->uris[i]));
}

guint
fixture_check (Fixture *fixture, guint32 handle, const char *const *uris, guint n)
{
  g_autoptr (GPtrArray) records = fixture_records (fixture, handle);
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer left;
  guint ready = 0;

  g_assert_cmpuint (records->len, >=, 2);
  for (guint i = 0; i < n; i++)
    count (counts, uris[i], 1);
  for (guint i = 0; i < records->len; i++)
    {
      const Record *record = records->pdata[i];

      g_assert_cmpint (record->kind == STARTED, ==, i == 0);
      g_assert_cmpint (record->kind == FINISHED, ==, i + 1 == records->len);
      check_no_repeats (record);
      for (guint j = 0; j < record->n; j++)
        count (counts, record->uris[j], -1);
      ready += record->kind == READY ? record->n : 0;
    }
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, NULL, &left))
    g_assert_cmpint (GPOINTER_TO_INT (left), ==, 0);
  return ready;
}

const Record *
fixture_error (Fixture *fixture, const char *uri)
{
  const Record *found = NULL;

  for (guint i = 0; i < fixture->records->len; i++)
    {
      const Record *record = fixture->records->pdata[i];

      if (record->kind != FAILED || !g_strv_contains ((const char *const *) record->uris, uri))
        continue;
      g_assert_null (found);
      found = record;
    }
  return found;
}

static gboolean
is_child (const char *name)
{
  g_autofree char *path = g_build_filename ("/proc", name, "stat", NULL);
  g_autofree char *text = NULL;
  const char *end;

  if (!g_ascii_isdigit (name[0]) || !g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;
  /* "PID (NAME) STATE PARENT …", where NAME may hold anything. */
  end = strrchr (text, ')');
  return end != NULL && strlen (end) > 4
         && g_ascii_strtoll (end + 4, NULL, 10) == (gint64) getpid ();
}

GArray *
fixture_children (void)
{
  GArray *children = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    if (is_child (name))
      {
        int pid = (int) g_ascii_strtoll (name, NULL, 10);

        g_array_append_val (children, pid);
      }
  return children;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine where something is in its way. */
#include "config.h"

#include "engine/th-engine.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine-fixture.h"
#include "engine/th-engine-private.h"

/* Until the cheap pass is through with a request that is not finished by that. */
static void
wait_for_check (Fixture *fixture, guint32 handle)
{
  ThEngine *engine = fixture->engine;
  gboolean checked = FALSE;

  while (!checked)
    {
      const ThRequest *request;

      g_mutex_lock (&engine->lock);
      request = g_hash_table_lookup (engine->requests, GUINT_TO_POINTER (handle));
      g_assert_nonnull (request);
      checked = request->checked;
      g_mutex_unlock (&engine->lock);
      g_usleep (1000);
    }
}

/* Two names of one file, of which one is given another file before it is opened: the job is made
 * for the first file, opens the second, and each name gets its own thumbnail. */
static void
test_replaced_name (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *plug = fixture_picture (fixture, "plug.png", 20, 20, 1);
  g_autofree char *first = fixture_picture (fixture, "first.png", 60, 50, 3);
  g_autofree char *second = fixture_uri (fixture, "second.png");
  g_autofree char *first_path = fixture_path (fixture, "first.png");
  g_autofree char *second_path = fixture_path (fixture, "second.png");
  g_autofree char *other_path = fixture_path (fixture, "other.png");
  const char *uris[] = { first, second };
  const gint no = 0;
  guint32 handle;

  g_free (fixture_picture (fixture, "other.png", 40, 30, 2));
  g_assert_no_errno (link (first_path, second_path));
  fixture->options.cores = 1;
  fixture_start (fixture);
  /* The only thread waits for memory. */
  g_assert_true (th_admission_acquire (fixture->engine->admission, G_MAXINT64, TH_FOREGROUND, &no));
  fixture_queue (fixture, (Uris) &plug, 1, TH_FOREGROUND);
  while (th_admission_waiting (fixture->engine->admission) == 0)
    g_usleep (1000);
  handle = fixture_queue (fixture, uris, 2, TH_FOREGROUND);
  wait_for_check (fixture, handle);
  g_assert_no_errno (g_rename (other_path, first_path));
  th_admission_release (fixture->engine->admission, G_MAXINT64, TH_FOREGROUND);
  fixture_wait (fixture, 2);
  g_assert_cmpuint (fixture_check (fixture, handle, uris, 2), ==, 2);
}

/* An engine without threads would take requests and never answer. */
static void
test_no_threads (Fixture *fixture, gconstpointer unused)
{
  static const ThEngineEvents events = { 0 };
  g_autoptr (GError) error = NULL;
  struct rlimit limit, none;
  ThEngine *engine;

  if (geteuid () == 0)
    {
      g_test_skip ("root may start any number of processes");
      return;
    }
  g_assert_no_errno (getrlimit (RLIMIT_NPROC, &limit));
  none = (struct rlimit){ 0, limit.rlim_max };
  g_assert_no_errno (setrlimit (RLIMIT_NPROC, &none));
  engine = th_engine_new (&fixture->options, &events, NULL, &error);
  g_assert_no_errno (setrlimit (RLIMIT_NPROC, &limit));
  g_assert_null (engine);
  g_assert_error (error, TH_ERROR, TH_ERROR_OTHER);
  g_assert_true (g_str_has_prefix (error->message, "no thread can be started: "));
}

/* A megabyte each: what is said about them does not grow with them. */
static void
test_long_uris (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *umlauts = g_strnfill (1000000, '\xc3');

  for (gsize i = 1; i < 1000000; i += 2)
    umlauts[i] = '\xa4';
  for (guint i = 0; i < 5; i++)
    g_ptr_array_add (uris, g_strdup_printf ("file:///%s%u", umlauts + i % 2, i));
  fixture_start (fixture);
  for (guint i = 0; i < TH_N_CLASSES; i++)
    {
      guint32 handle = fixture_queue (fixture, (Uris) uris->pdata, uris->len, (ThClass) i);

      fixture_wait (fixture, i + 1);
      g_assert_cmpuint (fixture_check (fixture, handle, (Uris) uris->pdata, uris->len), ==, 0);
    }
  for (guint i = 0; i < fixture->records->len; i++)
    {
      const Record *record = fixture->records->pdata[i];

      if (record->kind == FAILED)
        g_assert_cmpuint (strlen (record->message), <=, record->n * 8192);
    }
}

#define ADD(path, function)                                                                        \
  g_test_add (path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/trouble/replaced-name", test_replaced_name);
  ADD ("/trouble/long-uris", test_long_uris);
  ADD ("/trouble/no-threads", test_no_threads);
  return g_test_run ();
}

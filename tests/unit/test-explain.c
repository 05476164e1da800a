/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is said about a file in each of many situations, and whether it then comes true. */
#include "config.h"

#include "engine/th-explain.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "cache/th-uri.h"
#include "engine-fixture.h"
#include "situations.h"

#define NAME "a.png"

static void
set_rules (Fixture *fixture, const char *text)
{
  g_autoptr (ThConf) conf = th_conf_new ();

  th_conf_add_text (conf, NULL, text);
  fixture->options.rules = th_rules_from_conf (conf);
}

static void
set_fake (Fixture *fixture, const char *mode)
{
  g_setenv ("TH_FAKE", mode, TRUE);
  fixture->options.worker_path = g_test_build_filename (G_TEST_BUILT, "unit", "fake-worker", NULL);
  fixture->options.limits.wall_ms = 300;
}

/* Every file below, with its time and size. */
static void
list_tree (const char *path, GString *out)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  struct stat st;

  if (lstat (path, &st) == 0)
    g_string_append_printf (out, "%s %ld %ld.%ld\n", path, (long) st.st_size,
                            (long) st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      list_tree (child, out);
    }
}

static gboolean
is_said (const ThExplanation *about, const char *why)
{
  const char *const told[] = { about->message, about->trial.message,
                               about->thumbnails[TH_FLAVOR_NORMAL].why };
  gboolean found = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (told); i++)
    {
      if (told[i] != NULL)
        g_test_message ("%s", told[i]);
      found = found || (told[i] != NULL && strstr (told[i], why) != NULL);
    }
  return found;
}

static void
compare (const ThExplanation *about, const Situation *situation)
{
  g_assert_cmpstr (th_reason_name (about->reason), ==, th_reason_name (situation->reason));
  g_assert_cmpint (about->trial.done, ==, situation->status >= 0);
  if (situation->status >= 0)
    g_assert_cmpstr (th_status_name (about->trial.status), ==,
                     th_status_name ((ThStatus) situation->status));
  g_assert_cmpint (about->good, ==, situation->good);
  g_assert_cmpint (about->thumbnails[TH_FLAVOR_NORMAL].state, ==, situation->state);
  g_assert_cmpint (about->failure_state, ==, situation->failure);
  if (situation->why != NULL)
    g_assert_true (is_said (about, situation->why));
}

/* What was foretold is what a client is told. */
static void
check_truth (Fixture *fixture, const ThExplanation *about, const char *type)
{
  const Record *record;

  fixture->check_files = FALSE;
  fixture_forget (fixture);
  th_engine_queue (fixture->engine, (Uris) &about->uri, &type, 1, "normal", TH_FOREGROUND);
  fixture_wait (fixture, 1);
  record = fixture_error (fixture, about->uri);
  g_assert_cmpint (record == NULL, ==, about->good);
  if (record != NULL && about->verdict == TH_CHECK_ERROR)
    {
      g_assert_cmpint (record->code, ==, about->code);
      g_assert_cmpstr (record->message, ==, about->message);
    }
  else if (record != NULL)
    g_assert_nonnull (strstr (record->message, about->trial.message));
}

static void
test_situation (Fixture *fixture, gconstpointer data)
{
  const Situation *situation = data;
  const char *name = situation->file != NULL ? situation->file : NAME;
  g_autofree char *path = fixture_path (fixture, name);
  g_autofree char *uri =
      situation->uri != NULL ? g_strdup (situation->uri) : fixture_uri (fixture, name);
  g_autoptr (GString) before = g_string_new (NULL);
  g_autoptr (GString) after = g_string_new (NULL);
  g_autoptr (ThExplanation) about = NULL;
  ThExplainQuestion question = {
    .uri = uri,
    .mime_type = situation->type,
    .flavor = TH_FLAVOR_NORMAL,
    .try_it = TRUE,
  };

  if (situation->not_as_root && geteuid () == 0)
    {
      g_test_skip ("root may read everything");
      return;
    }
  situation->prepare (fixture, path, uri);
  if (situation->rules != NULL)
    set_rules (fixture, situation->rules);
  if (situation->fake != NULL)
    set_fake (fixture, situation->fake);
  fixture_start (fixture);
  list_tree (fixture->folder, before);
  about = th_explain (fixture->engine, &question);
  list_tree (fixture->folder, after);
  if (!situation->moves)
    g_assert_cmpstr (after->str, ==, before->str);
  compare (about, situation);
  check_truth (fixture, about, situation->type);
}

static ThExplanation *
explain (Fixture *fixture, const char *uri, const char *type, ThFlavor flavor, gboolean try_it)
{
  return th_explain (fixture->engine, &(ThExplainQuestion){ uri, type, flavor, try_it });
}

/* A thumbnail itself, whoever's repository it lies in. */
static void
test_thumbnail (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_uri (fixture, NAME);
  g_autofree char *path = fixture_path (fixture, NAME);
  g_autofree char *shared = fixture_path (fixture, ".sh_thumbnails/large");
  g_autofree char *in_shared = NULL;
  g_autofree char *own = th_cache_path (fixture->cache, uri, TH_FLAVOR_NORMAL);
  g_autofree char *in_own = th_uri_from_path (own);
  const char *uris[2];

  situation_valid (fixture, path, uri);
  g_assert_no_errno (g_mkdir_with_parents (shared, 0700));
  in_shared = fixture_picture (fixture, ".sh_thumbnails/large/" NAME, 20, 20, 1);
  uris[0] = in_own;
  uris[1] = in_shared;
  fixture_start (fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (uris); i++)
    {
      g_autoptr (ThExplanation) about =
          explain (fixture, uris[i], "image/png", TH_FLAVOR_NORMAL, TRUE);

      g_assert_cmpint (about->reason, ==, TH_REASON_IS_THUMBNAIL);
      g_assert_false (about->trial.done);
      check_truth (fixture, about, "image/png");
    }
}

static void
test_types (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.txt", 40, 40, 1);
  g_autoptr (ThExplanation) about = NULL;

  fixture_start (fixture);
  about = explain (fixture, uri, "image/x-apple-ios-png", TH_FLAVOR_NORMAL, FALSE);
  g_assert_cmpstr (about->type_by_name, ==, "text/plain");
  g_assert_cmpstr (about->type_by_data, ==, "image/png");
  g_assert_true (
      g_strv_contains ((const char *const *) about->type_chain, "application/octet-stream"));
  g_assert_cmpstr (about->type_chain[0], ==, "image/x-apple-ios-png");
  g_assert_false (about->trial.done);
  g_assert_cmpstr (about->kind, ==, "regular");
}

/* What failed for a large one only is said so, and does not speak against a small one. */
static void
test_sizes (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *path = fixture_path (fixture, NAME);
  g_autofree char *uri = fixture_uri (fixture, NAME);
  g_autofree char *worker = th_paths_worker ();
  g_autofree char *handler = th_check_handler (worker);
  g_autoptr (ThExplanation) large = NULL;
  g_autoptr (ThExplanation) small = NULL;

  situation_mark (fixture, path, uri, TH_STATUS_CRASHED, 256, handler);
  fixture_start (fixture);
  large = explain (fixture, uri, "image/png", TH_FLAVOR_LARGE, FALSE);
  g_assert_cmpint (large->reason, ==, TH_REASON_REMEMBERED);
  g_assert_true (large->failure_forbids);
  small = explain (fixture, uri, "image/png", TH_FLAVOR_NORMAL, TRUE);
  g_assert_cmpint (small->reason, ==, TH_REASON_MAKE);
  g_assert_cmpint (small->failure_state, ==, TH_FAIL_VALID);
  g_assert_false (small->failure_forbids);
  g_assert_true (small->good);
}

/* A black square of eight pixels, as a program may write it. */
#define SQUARE                                                                                     \
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAAAAADhZOFXAAAADElEQVR42mNgoA4AAABIAA"                         \
  "EQRe/SAAAAAElFTkSuQmCC"

#define TYPE "application/x-thimble-words"

static void
add_entry (Fixture *fixture, const char *name, const char *exec, const char *more)
{
  g_autofree char *folder = g_build_filename (fixture->folder, "entries", NULL);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *text = g_strdup_printf (
      "[Thumbnailer Entry]\nMimeType=" TYPE ";\nExec=%s\n[X-Tumbler Settings]\n%s\n", exec, more);

  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Programs of others: all of them are named, in their order, and the first that can has it. */
static void
test_programs (Fixture *fixture, gconstpointer unused)
{
  static const char *const names[] = { "forbidden.thumbnailer", "bad.thumbnailer",
                                       "good.thumbnailer" };
  g_autofree char *path = fixture_path (fixture, "a.words");
  g_autofree char *uri = fixture_uri (fixture, "a.words");
  g_autoptr (ThExplanation) about = NULL;

  g_assert_true (g_file_set_contents (path, "just words", -1, NULL));
  add_entry (fixture, names[0], "false %i %o", "Priority=9\nMaxFileSize=1");
  add_entry (fixture, names[1], "false %i %o", "Priority=5");
  add_entry (fixture, names[2], "sh -c \"echo " SQUARE " | base64 -d >$0\" %o %i", "Priority=1");
  fixture_start (fixture);
  about = explain (fixture, uri, TYPE, TH_FLAVOR_NORMAL, TRUE);
  g_assert_cmpuint (about->handlers->len, ==, G_N_ELEMENTS (names));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const ThExplainedHandler *handler = &g_array_index (about->handlers, ThExplainedHandler, i);

      g_assert_cmpstr (handler->name, ==, names[i]);
      g_assert_false (handler->built_in);
      g_assert_cmpint (handler->rule != NULL, ==, i == 0);
    }
  g_assert_cmpint (about->reason, ==, TH_REASON_MAKE);
  if (about->trial.status == TH_STATUS_NO_SANDBOX)
    {
      g_auto (ThExplainedSystem) system = { 0 };

      th_explain_system (fixture->engine, FALSE, &system);
      g_assert_nonnull (system.external);
      g_test_skip (system.external);
      return;
    }
  g_assert_cmpstr (about->trial.message, ==, NULL);
  g_assert_cmpstr (about->trial.codec, ==, "external");
  g_assert_true (about->good);
  check_truth (fixture, about, TYPE);
}

static void
test_system (Fixture *fixture, gconstpointer unused)
{
  g_auto (ThExplainedSystem) quick = { 0 };
  g_auto (ThExplainedSystem) system = { 0 };
  g_auto (ThExplainedSystem) none = { 0 };
  g_autoptr (GArray) children = NULL;

  fixture_start (fixture);
  th_explain_system (fixture->engine, FALSE, &quick);
  children = fixture_children ();
  g_assert_cmpuint (children->len, ==, 0);
  g_assert_cmpstr (quick.cache_root, ==, fixture->cache_root);
  g_assert_null (quick.unwritable);
  g_assert_false (quick.asked);
  th_explain_system (fixture->engine, TRUE, &system);
  g_assert_true (system.asked);
  g_assert_cmpstr (system.trouble, ==, NULL);
  g_assert_true (system.seccomp);
  g_assert_cmpint (system.landlock_abi, >=, 0);
  fixture_stop (fixture);
  fixture->options.worker_path = g_strdup ("/nowhere/thimble-worker");
  g_assert_true (g_file_set_contents (fixture->cache_root, "in the way", 10, NULL));
  fixture_start (fixture);
  th_explain_system (fixture->engine, TRUE, &none);
  g_assert_nonnull (strstr (none.trouble, "/nowhere/thimble-worker"));
  g_assert_false (none.seccomp);
  g_assert_nonnull (strstr (none.unwritable, "not a folder"));
}

#define ADD(name, test) g_test_add (name, Fixture, NULL, fixture_set_up, test, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < n_situations; i++)
    {
      g_autofree char *path = g_strdup_printf ("/explain/%s", situations[i].name);

      g_test_add (path, Fixture, &situations[i], fixture_set_up, test_situation, fixture_tear_down);
    }
  ADD ("/explain/thumbnail", test_thumbnail);
  ADD ("/explain/types", test_types);
  ADD ("/explain/sizes", test_sizes);
  ADD ("/explain/programs", test_programs);
  ADD ("/explain/system", test_system);
  return g_test_run ();
}

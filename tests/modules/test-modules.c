/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Modules that come and go, lie about their types, crash and cannot be started: with the worker of
 * the suite "hostile" as one. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "engine/th-decoders.h"
#include "engine/th-engine-private.h"
#include "engine/th-explain.h"
#include "unit/engine-fixture.h"

#define EVIL_TYPE     "image/x-evil"
#define EVIL_MANIFEST "[Codec evil]\nMimeTypes=" EVIL_TYPE ";\n"
#define GOOD          "EVIL good 0\n"

typedef struct
{
  Fixture engine;
  char *manifests;
} World;

static char *
manifest_path (World *world, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".manifest", NULL);

  return g_build_filename (world->manifests, file, NULL);
}

/* NULL: takes it away. What the engine knows of it is what is there now. */
static void
set_manifest (World *world, const char *name, const char *text)
{
  g_autofree char *path = manifest_path (world, name);

  if (text != NULL)
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
  else
    g_assert_no_errno (g_unlink (path));
  if (world->engine.engine != NULL)
    th_mime_expire (world->engine.engine->mime);
}

static void
copy_builtin (World *world)
{
  g_autofree char *folder = th_paths_manifests ();
  g_autofree char *path = g_build_filename (folder, "builtin.manifest", NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  set_manifest (world, "builtin", text);
}

static void
set_up (World *world, gconstpointer data)
{
  fixture_set_up (&world->engine, NULL);
  world->manifests = g_build_filename (world->engine.folder, "manifests", NULL);
  g_assert_no_errno (g_mkdir (world->manifests, 0700));
  copy_builtin (world);
  world->engine.options.manifest_dir = g_strdup (world->manifests);
  world->engine.options.module_dir = g_test_build_filename (G_TEST_BUILT, "hostile", NULL);
}

static void
tear_down (World *world, gconstpointer data)
{
  g_free (world->manifests);
  fixture_tear_down (&world->engine, NULL);
}

static char *
evil_file (World *world, const char *name, const char *text)
{
  g_autofree char *path = fixture_path (&world->engine, name);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return fixture_uri (&world->engine, name);
}

/* Asks for one file under a type: -1 where it is ready, else the error. */
static int
ask (World *world, const char *uri, const char *type)
{
  Fixture *engine = &world->engine;
  const char *const uris[] = { uri, NULL };
  const char *const types[] = { type, NULL };
  guint32 handle;
  guint ready;
  int code;

  fixture_forget (engine);
  handle = th_engine_queue (engine->engine, uris, types, 1, th_flavor_name (engine->flavor),
                            TH_FOREGROUND);
  fixture_wait (engine, engine->finished + 1);
  ready = fixture_check (engine, handle, uris, 1);
  code = ready == 1 ? -1 : fixture_error (engine, uri)->code;
  return code;
}

/* A copy of the worker, anew each time. */
static void
install_evil (World *world, const char *path)
{
  g_autofree char *from =
      g_test_build_filename (G_TEST_BUILT, "hostile", "thimble-worker-evil", NULL);
  g_autofree char *program = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (from, &program, &size, NULL));
  g_assert_true (g_file_set_contents_full (path, program, (gssize) size,
                                           G_FILE_SET_CONTENTS_CONSISTENT, 0700, NULL));
}

static gboolean
lists_evil (World *world)
{
  return g_strv_contains (th_mime_types (world->engine.engine->mime), EVIL_TYPE);
}

static void
test_comes_and_goes (World *world, gconstpointer data)
{
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autofree char *third = NULL;

  fixture_start (&world->engine);
  first = evil_file (world, "first.evil", GOOD);
  second = evil_file (world, "second.evil", GOOD);
  third = evil_file (world, "third.evil", GOOD);
  g_assert_false (lists_evil (world));
  g_assert_cmpint (ask (world, first, EVIL_TYPE), ==, TH_ERROR_UNSUPPORTED);
  set_manifest (world, "evil", EVIL_MANIFEST);
  g_assert_true (lists_evil (world));
  g_assert_cmpint (ask (world, first, EVIL_TYPE), ==, -1);
  g_assert_cmpint (ask (world, second, EVIL_TYPE), ==, -1);
  set_manifest (world, "evil", NULL);
  g_assert_false (lists_evil (world));
  g_assert_cmpint (ask (world, third, EVIL_TYPE), ==, TH_ERROR_UNSUPPORTED);
  /* What was made stays good. */
  g_assert_cmpint (ask (world, second, EVIL_TYPE), ==, -1);
}

/* The data decide, whatever a file is called. */
static void
test_lying_types (World *world, gconstpointer data)
{
  g_autofree char *picture = NULL;
  g_autofree char *evil = NULL;

  set_manifest (world, "evil", EVIL_MANIFEST);
  fixture_start (&world->engine);
  picture = fixture_picture (&world->engine, "picture.evil", 40, 30, 1);
  g_assert_cmpint (ask (world, picture, EVIL_TYPE), ==, -1);
  evil = evil_file (world, "evil.png", GOOD);
  g_assert_cmpint (ask (world, evil, "image/png"), ==, TH_ERROR_INVALID_FORMAT);
}

/* One that is announced but not there, and one that is no program of ours. */
static void
test_cannot_start (World *world, gconstpointer data)
{
  g_autofree char *picture = NULL;
  g_autofree char *again = NULL;
  g_autofree char *evil = NULL;

  set_manifest (world, "missing", "[Codec missing]\nMimeTypes=" EVIL_TYPE ";\n");
  g_test_expect_message ("thimble", G_LOG_LEVEL_MESSAGE, "*“missing” is left out*");
  fixture_start (&world->engine);
  picture = fixture_picture (&world->engine, "picture.evil", 40, 30, 1);
  again = fixture_picture (&world->engine, "again.evil", 40, 30, 2);
  evil = evil_file (world, "good.evil", GOOD);
  g_assert_cmpint (ask (world, picture, EVIL_TYPE), ==, -1);
  g_assert_cmpint (ask (world, evil, EVIL_TYPE), ==, TH_ERROR_OTHER);
  g_assert_nonnull (strstr (fixture_error (&world->engine, evil)->message, "can be started"));
  g_assert_cmpint (ask (world, again, EVIL_TYPE), ==, -1);
  g_test_assert_expected_messages ();
  g_assert_null (th_engine_trouble (world->engine.engine));
}

/* A crash costs its file, is remembered, and not of the built-in decoders. */
static void
test_crash (World *world, gconstpointer data)
{
  g_autofree char *bad = NULL;
  g_autofree char *good = NULL;

  set_manifest (world, "evil", EVIL_MANIFEST);
  fixture_start (&world->engine);
  bad = evil_file (world, "bad.evil", "EVIL crash 0\n");
  good = evil_file (world, "good.evil", GOOD);
  g_assert_cmpint (ask (world, bad, EVIL_TYPE), !=, -1);
  g_assert_cmpint (ask (world, good, EVIL_TYPE), ==, -1);
  g_assert_cmpint (ask (world, bad, EVIL_TYPE), !=, -1);
  g_assert_nonnull (strstr (fixture_error (&world->engine, bad)->message, "remembered"));
}

/* What one build of a module failed at, another is asked again. */
static void
test_another_build (World *world, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (world->engine.folder, "workers", NULL);
  g_autofree char *worker = th_paths_module (folder, "evil");
  g_autofree char *good = NULL;
  g_autofree char *bad = NULL;

  g_assert_no_errno (g_mkdir (folder, 0700));
  set_manifest (world, "evil", EVIL_MANIFEST);
  install_evil (world, worker);
  g_free (world->engine.options.module_dir);
  world->engine.options.module_dir = g_strdup (folder);
  fixture_start (&world->engine);
  bad = evil_file (world, "bad.evil", "EVIL crash 0\n");
  g_assert_cmpint (ask (world, bad, EVIL_TYPE), !=, -1);
  g_assert_cmpint (ask (world, bad, EVIL_TYPE), !=, -1);
  g_assert_nonnull (strstr (fixture_error (&world->engine, bad)->message, "remembered"));
  install_evil (world, worker);
  g_assert_cmpint (ask (world, bad, EVIL_TYPE), !=, -1);
  g_assert_null (strstr (fixture_error (&world->engine, bad)->message, "remembered"));
  good = evil_file (world, "good.evil", GOOD);
  g_assert_cmpint (ask (world, good, EVIL_TYPE), ==, -1);
}

/* Neither does a module get a type that is built in, nor one with a name that leads elsewhere. */
static void
test_names (World *world, gconstpointer data)
{
  g_autofree char *picture = NULL;
  ThMime *mime;

  set_manifest (world, "evil", "[Codec evil]\nMimeTypes=image/png;" EVIL_TYPE ";\n");
  set_manifest (world, "Evil One", "[Codec other]\nMimeTypes=image/x-other;\n");
  set_manifest (world, "..", "[Codec dots]\nMimeTypes=image/x-dots;\n");
  fixture_start (&world->engine);
  mime = world->engine.engine->mime;
  g_assert_null (th_mime_module (mime, "image/png"));
  g_assert_cmpstr (th_mime_module (mime, EVIL_TYPE), ==, "evil");
  g_assert_null (th_mime_codec (mime, "image/x-other"));
  g_assert_null (th_mime_codec (mime, "image/x-dots"));
  picture = fixture_picture (&world->engine, "picture.png", 40, 30, 1);
  g_assert_cmpint (ask (world, picture, "image/png"), ==, -1);
}

static void
test_order (World *world, gconstpointer data)
{
  static const char *const types[] = { "image/png", EVIL_TYPE, "image/x-b", EVIL_TYPE, NULL };
  static const char *const seen[] = { NULL, "image/x-b", "image/x-c", "image/jpeg" };
  static const char *const first[] = { "evil", "b", "", NULL };
  g_autoptr (GPtrArray) decoders = NULL;
  g_autoptr (GPtrArray) further = NULL;
  ThMime *mime;

  set_manifest (world, "evil", EVIL_MANIFEST);
  set_manifest (world, "b", "[Codec b]\nMimeTypes=image/x-b;\n");
  set_manifest (world, "c", "[Codec c]\nMimeTypes=image/x-c;\n");
  fixture_start (&world->engine);
  mime = world->engine.engine->mime;
  decoders = th_decoders_first (mime, types);
  g_assert_cmpstrv (th_decoders (decoders), first);
  further = th_decoders_further (mime, seen, G_N_ELEMENTS (seen), types);
  g_assert_cmpstrv (th_decoders (further), ((const char *const[]){ "c", NULL }));
  g_assert_null (th_decoders_further (mime, seen, 2, types));
}

/* However many kinds take turns. */
static void
test_few_processes (World *world, gconstpointer data)
{
  set_manifest (world, "evil", EVIL_MANIFEST);
  world->engine.options.cores = 1;
  fixture_start (&world->engine);
  for (guint i = 0; i < 6; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.evil", i);
      g_autofree char *uri = evil_file (world, name, GOOD);
      g_autofree char *file = g_strdup_printf ("%u.png", i);
      g_autofree char *picture = fixture_picture (&world->engine, file, 40, 30, i);
      g_autoptr (GArray) children = NULL;

      g_assert_cmpint (ask (world, uri, EVIL_TYPE), ==, -1);
      g_assert_cmpint (ask (world, picture, "image/png"), ==, -1);
      children = fixture_children ();
      g_assert_cmpuint (children->len, <=, 2);
    }
}

static ThExplanation *
explain (World *world, const char *uri)
{
  const ThExplainQuestion question = { uri, EVIL_TYPE, TH_FLAVOR_NORMAL, TRUE };

  return th_explain (world->engine.engine, &question);
}

/* Which module has it, and how its worker is locked down, or why there is none. */
static void
test_explained (World *world, gconstpointer data)
{
  g_autofree char *folder = fixture_path (&world->engine, "modules");
  g_autofree char *good = g_strdup (world->engine.options.module_dir);
  const char *const folders[] = { good, folder };

  set_manifest (world, "evil", EVIL_MANIFEST);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      const ThExplainedHandler *handler;
      g_autofree char *uri = NULL;
      ThExplanation *about;

      g_free (world->engine.options.module_dir);
      world->engine.options.module_dir = g_strdup (folders[i]);
      fixture_start (&world->engine);
      uri = evil_file (world, "a.evil", GOOD);
      about = explain (world, uri);
      handler = &g_array_index (about->handlers, ThExplainedHandler, 0);
      g_assert_cmpstr (handler->module, ==, "evil");
      g_assert_true (handler->asked);
      g_assert_cmpint (handler->seccomp, ==, i == 0);
      g_assert_cmpint (handler->trouble != NULL, ==, i == 1);
      g_assert_cmpint (about->good, ==, i == 0);
      th_explanation_free (about);
      fixture_stop (&world->engine);
    }
}

/* Code that this process has mapped, in lines of its map. */
static guint
count_mapped_code (void)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint n = 0;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    n += strstr (lines[i], " r-xp ") != NULL ? 1 : 0;
  return n;
}

/* Nothing is loaded or started to learn of them. */
static void
test_many (World *world, gconstpointer data)
{
  const char *const *types;
  g_autoptr (GArray) children = NULL;
  guint code;

  set_manifest (world, "evil", EVIL_MANIFEST);
  fixture_start (&world->engine);
  g_assert_true (lists_evil (world));
  code = count_mapped_code ();
  for (guint i = 0; i < 100; i++)
    {
      g_autofree char *name = g_strdup_printf ("many%u", i);
      g_autofree char *text = g_strdup_printf ("[Codec many%u]\nMimeTypes=image/x-many%u;\n", i, i);

      set_manifest (world, name, text);
    }
  types = th_mime_types (world->engine.engine->mime);
  g_assert_true (g_strv_contains (types, "image/x-many0"));
  g_assert_true (g_strv_contains (types, "image/x-many99"));
  g_assert_cmpuint (count_mapped_code (), ==, code);
  children = fixture_children ();
  g_assert_cmpuint (children->len, ==, 0);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (World *world, gconstpointer data);
  } rows[] = {
    { "/modules/comes-and-goes", test_comes_and_goes },
    { "/modules/lying-types", test_lying_types },
    { "/modules/cannot-start", test_cannot_start },
    { "/modules/crash", test_crash },
    { "/modules/another-build", test_another_build },
    { "/modules/names", test_names },
    { "/modules/order", test_order },
    { "/modules/explained", test_explained },
    { "/modules/few-processes", test_few_processes },
    { "/modules/many", test_many },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    g_test_add (rows[i].path, World, NULL, set_up, rows[i].run, tear_down);
  return g_test_run ();
}

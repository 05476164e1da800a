/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cache/th-png-text.h"
#include "cache/th-uri.h"
#include "external-world.h"

/* FALSE, and the test is skipped, where nothing can be locked in. */
static gboolean
needs_sandbox (void)
{
  if (world_can_sandbox ())
    return TRUE;
  g_test_skip ("bubblewrap is missing, or may make no namespaces here");
  return FALSE;
}

/* In "large", so that the size shows what was asked for. */
static ThPngText *
thumbnail_of (World *world, const char *uri)
{
  g_autofree char *path = th_cache_path (world->fixture.cache, uri, world->fixture.flavor);
  g_autoptr (GError) error = NULL;
  ThPngText *text = th_png_text_read (path, &error);

  g_assert_no_error (error);
  return text;
}

#define MADE (-1)

typedef struct
{
  const char *name;
  const char *script;
  int code;         /* MADE, or of the error */
  const char *says; /* part of its message */
  guint32 width;    /* of what is ready; 0: any */
} Row;

static const Row rows[] = {
  { "png", "cp good.png \"$2\"", MADE, NULL, 256 },
  { "jpeg", "cp photo.jpg \"$2\"", MADE, NULL, 0 },
  { "sixteen-bit", "cp deep.png \"$2\"", MADE, NULL, 0 },
  { "oversized", "cp huge.png \"$2\"", MADE, NULL, 256 },
  { "nothing", "exit 0", TH_ERROR_NO_CONTENT, "it wrote no picture", 0 },
  { "empty", ": > \"$2\"", TH_ERROR_NO_CONTENT, "it wrote no picture", 0 },
  { "garbage", "echo garbage > \"$2\"", TH_ERROR_INVALID_FORMAT, "no picture that can be shown",
    0 },
  { "half", "head -c 40 good.png > \"$2\"", TH_ERROR_INVALID_FORMAT, "no picture that can be shown",
    0 },
  { "status", "cp good.png \"$2\"; echo no such luck >&2; exit 3", TH_ERROR_INVALID_FORMAT,
    "exit status 3: no such luck", 0 },
  { "crash", "kill -SEGV $$", TH_ERROR_INVALID_FORMAT, "it crashed", 0 },
  { "hang", "exec sleep 600", TH_ERROR_OTHER, "it took too long", 0 },
  { "spin", "while :; do :; done", TH_ERROR_OTHER, "", 0 },
  { "deaf", "trap '' TERM HUP INT; while :; do sleep 1; done", TH_ERROR_OTHER, "it took too long",
    0 },
  { "survivor", "(while :; do sleep 1; done) & cp good.png \"$2\"", MADE, NULL, 256 },
  { "setsid", "setsid sh -c 'while :; do sleep 1; done' & cp good.png \"$2\"", MADE, NULL, 256 },
  { "double-fork", "(setsid sh -c '(while :; do sleep 1; done) &' &); cp good.png \"$2\"", MADE,
    NULL, 256 },
  { "large-file", "head -c 1073741824 /dev/zero > \"$2\"", TH_ERROR_INVALID_FORMAT, "", 0 },
  { "many-files",
    "for i in 1 2 3 4 5; do head -c 60000000 /dev/zero > /tmp/$i; done; cp huge.png \"$2\"",
    TH_ERROR_INVALID_FORMAT, "", 0 },
  { "link", "ln -s /etc/ld.so.cache \"$2\"", TH_ERROR_INVALID_FORMAT, "no regular file", 0 },
  { "fifo", "mkfifo \"$2\"", TH_ERROR_INVALID_FORMAT, "no regular file", 0 },
  { "folder", "mkdir \"$2\"", TH_ERROR_INVALID_FORMAT, "no regular file", 0 },
  { "flood", "yes thimble | head -c 100000000 >&2; cp good.png \"$2\"", MADE, NULL, 256 },
  { "renames", "cp good.png \"$2.part\" && mv \"$2.part\" \"$2\"", MADE, NULL, 256 },
  { "writes-source", "(echo x >> \"$1\") 2>/dev/null && exit 9; cp good.png \"$2\"", MADE, NULL,
    256 },
  { "looks-around",
    "[ -e '@OUTSIDE@/pictures' ] && exit 9; [ -e /etc/passwd ] && exit 9; [ -e /home ] && exit 9;"
    "[ -e /run ] && exit 9; [ -n \"$DBUS_SESSION_BUS_ADDRESS$XDG_RUNTIME_DIR\" ] && exit 9;"
    "[ -n \"$(ls /tmp | grep -v pro)\" ] && [ ! -d /tmp/.cache ] && cp good.png \"$2\";"
    "[ $(ls -d /proc/[0-9]* | wc -l) -lt 10 ] && cp good.png \"$2\"",
    MADE, NULL, 256 },
  { "writes-anywhere",
    "for d in / /usr /dev /source /proc /bin; do (: > $d/x) 2>/dev/null && exit 9; done;"
    "cp good.png \"$2\"",
    MADE, NULL, 256 },
  /* Without a pipe, both ends of which the shell has for a moment. */
  { "descriptors", "ls /proc/$$/fd > /tmp/fds; [ $(wc -l < /tmp/fds) -le 5 ] && cp good.png \"$2\"",
    MADE, NULL, 256 },
  { "mounts",
    "unshare -r true 2>/dev/null && exit 9; mount -t tmpfs x /tmp 2>/dev/null && exit 9;"
    "cp good.png \"$2\"",
    MADE, NULL, 256 },
  { "size", "[ \"$3\" = 256 ] && cp good.png \"$2\"", MADE, NULL, 256 },
  { "cwd-and-input", "grep -q 'no.*hing' \"$1\" < /dev/null && cp good.png \"$2\"", MADE, NULL,
    256 },
};

/* Those that do not end by themselves are not waited for so long. */
static void
set_wall (World *world, const Row *row)
{
  if (row->code == TH_ERROR_OTHER)
    world->fixture.options.external.wall_ms = 2000;
}

static void
check_outcome (World *world, const Row *row, const char *uri)
{
  const Record *record = world_try (world, uri);
  g_autoptr (ThPngText) text = NULL;

  if (record != NULL)
    g_test_message ("%d: %s", record->code, record->message);
  if (row->code != MADE)
    {
      g_assert_nonnull (record);
      g_assert_cmpint (record->code, ==, row->code);
      g_assert_nonnull (strstr (record->message, row->says));
      g_assert_nonnull (strstr (record->message, "helper: "));
      return;
    }
  g_assert_null (record);
  text = thumbnail_of (world, uri);
  if (row->width != 0)
    g_assert_cmpuint (th_png_text_size (text).width, ==, row->width);
  g_assert_cmpstr (th_png_text_get (text, "Thumb::Mimetype"), ==, WORLD_TYPE);
  g_assert_cmpstr (th_png_text_get (text, "Thumb::URI"), ==, uri);
  g_assert_null (th_png_text_get (text, "Thumb::Image::Width"));
}

static void
test_behaviour (World *world, gconstpointer data)
{
  const Row *row = data;
  g_autofree char *uri = NULL;

  if (!needs_sandbox ())
    return;
  world->fixture.flavor = TH_FLAVOR_LARGE;
  set_wall (world, row);
  world_add (world, "helper", row->script, NULL);
  fixture_start (&world->fixture);
  uri = world_file (world, "file.xyz");
  check_outcome (world, row, uri);
  world_assert_quiet (world);
}

/* A person's limit of processes does not hold for root. */
static void
test_fork_bomb (World *world, gconstpointer unused)
{
  static const Row row = { "bomb", "(f () { f & f; }; f) 2>/dev/null & exec sleep 600",
                           TH_ERROR_OTHER, "", 0 };

  if (geteuid () == 0)
    g_test_skip ("root may have any number of processes");
  else
    test_behaviour (world, &row);
}

static void
test_names (World *world, gconstpointer unused)
{
  static const char *const names[] = {
    "a b.xyz",        "-dash.xyz",       "quote'\"`$(x).xyz", "new\nline.xyz", "per%41cent#?.xyz",
    "latin\xff.xyz",  "noextension",     ".hidden",           "dot.",          "x.tar.gz",
    "[brackets].xyz", "back\\slash.xyz", "odd.ex t",
  };

  if (!needs_sandbox ())
    return;
  world_add (world, "helper", "grep -q nothing \"$1\" && cp good.png \"$2\"", NULL);
  fixture_start (&world->fixture);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *uri = world_file (world, names[i]);
      const Record *record = world_try (world, uri);

      g_test_message ("%s: %s", uri, record != NULL ? record->message : "ready");
      g_assert_null (record);
    }
}

/* The extension stays. */
static void
test_extension (World *world, gconstpointer unused)
{
  g_autofree char *uri = NULL;

  if (!needs_sandbox ())
    return;
  world_add (world, "helper", "case \"$1\" in *.xyz) cp good.png \"$2\";; esac", NULL);
  fixture_start (&world->fixture);
  uri = world_file (world, "a.xyz");
  g_assert_null (world_try (world, uri));
}

static void
test_exec_words (World *world, gconstpointer unused)
{
  g_autofree char *exec = NULL;
  g_autofree char *uri = NULL;

  if (!needs_sandbox ())
    return;
  exec = g_strdup_printf ("sh -c '[ \"$1\" = \"a \\\\\"b\" ] && cp \"%s/good.png\" \"$3\"' - "
                          "\"a \\\\\"b\" %%u %%o %%m",
                          world->programs);
  world_add_entry (world, "helper", exec, NULL);
  fixture_start (&world->fixture);
  uri = world_file (world, "a.xyz");
  g_assert_null (world_try (world, uri));
}

static void
test_next (World *world, gconstpointer unused)
{
  g_autofree char *uri = NULL;

  if (!needs_sandbox ())
    return;
  world_add (world, "first", "exit 1", "[X-Tumbler Settings]\nPriority=9\n");
  world_add (world, "second", "echo garbage > \"$2\"", "[X-Tumbler Settings]\nPriority=8\n");
  world_add_entry (world, "third", "/opt/thimble-no-such-program %i %o",
                   "[X-Tumbler Settings]\nPriority=7\n");
  world_add (world, "fourth", "cp good.png \"$2\"", "[X-Tumbler Settings]\nPriority=6\n");
  fixture_start (&world->fixture);
  uri = world_file (world, "a.xyz");
  g_assert_null (world_try (world, uri));
}

static void
test_rules (World *world, gconstpointer unused)
{
  g_autofree char *uri = NULL;
  const Record *record;

  world_add (world, "helper", "cp good.png \"$2\"", "[X-Tumbler Settings]\nMaxFileSize=5\n");
  fixture_start (&world->fixture);
  uri = world_file (world, "a.xyz");
  record = world_try (world, uri);
  g_assert_nonnull (record);
  g_assert_cmpint (record->code, ==, TH_ERROR_UNSUPPORTED);
}

/* One that is not to be run is not run, also where only the data tell that it would be. */
static void
test_forbidden (World *world, gconstpointer unused)
{
  g_autoptr (ThConf) conf = th_conf_new ();
  g_autofree char *uri = NULL;
  const char *blank = "application/octet-stream";
  const Record *record;

  th_conf_add_text (conf, NULL, "[rules external]\nenabled=false\n");
  world->fixture.options.rules = th_rules_from_conf (conf);
  world_add (world, "helper", "exec sleep 600", "MimeType=text/plain;\n");
  fixture_start (&world->fixture);
  uri = world_file (world, "no-extension");
  th_engine_queue (world->fixture.engine, (Uris) &uri, &blank, 1, "normal", TH_FOREGROUND);
  fixture_wait (&world->fixture, 1);
  record = fixture_error (&world->fixture, uri);
  g_assert_nonnull (record);
  g_assert_nonnull (strstr (record->message, "a rule forbids it"));
}

/* Pictures go on while programs hang, in either class, and the first error of those comes last. */
static void
test_no_delay (World *world, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = g_ptr_array_new_with_free_func (g_free);
  guint failed = 0;
  guint ready = 0;

  if (!needs_sandbox ())
    return;
  world->fixture.options.external.wall_ms = 5000;
  world_add (world, "helper", "exec sleep 600", NULL);
  fixture_start (&world->fixture);
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("hang%u.xyz", i);

      g_ptr_array_add (uris, world_file (world, name));
    }
  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *name = g_strdup_printf ("picture%u.png", i);

      g_ptr_array_add (uris, fixture_picture (&world->fixture, name, 60, 40, i));
    }
  g_ptr_array_add (uris, NULL);
  world_queue (world, (const char *const *) uris->pdata, TH_FOREGROUND);
  fixture_wait (&world->fixture, 1);
  for (guint i = 0; i < world->fixture.records->len; i++)
    {
      const Record *record = world->fixture.records->pdata[i];

      failed += record->kind == FAILED ? record->n : 0;
      ready += record->kind == READY && failed == 0 ? record->n : 0;
    }
  g_assert_cmpuint (failed, ==, 4);
  g_assert_cmpuint (ready, ==, 20);
}

/* Nobody waits for the program any more: it is ended, long before its time. */
static void
test_dequeue (World *world, gconstpointer unused)
{
  const char *uris[] = { NULL, NULL };
  g_autofree char *uri = NULL;
  guint32 handle;

  if (!needs_sandbox ())
    return;
  world->fixture.options.external.wall_ms = 600 * 1000;
  world_add (world, "helper", "exec sleep 600", NULL);
  fixture_start (&world->fixture);
  uris[0] = uri = world_file (world, "a.xyz");
  handle = world_queue (world, uris, TH_FOREGROUND);
  for (guint i = 0; i < 100; i++)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (2000);
    }
  th_engine_dequeue (world->fixture.engine, handle);
  fixture_wait (&world->fixture, 1);
  world_assert_quiet (world);
}

/* The same when everything ends. */
static void
test_close (World *world, gconstpointer unused)
{
  const char *uris[] = { NULL, NULL };
  g_autofree char *uri = NULL;

  if (!needs_sandbox ())
    return;
  world->fixture.options.external.wall_ms = 600 * 1000;
  world_add (world, "helper", "exec sleep 600", NULL);
  fixture_start (&world->fixture);
  uris[0] = uri = world_file (world, "a.xyz");
  world_queue (world, uris, TH_BACKGROUND);
  g_usleep (200000);
  fixture_stop (&world->fixture);
  world_assert_quiet (world);
}

static void
set_fake_bwrap (World *world)
{
  g_autofree char *path = g_build_filename (world->programs, "bwrap", NULL);

  g_assert_true (g_file_set_contents_full (
      path, "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", -1,
      G_FILE_SET_CONTENTS_CONSISTENT, 0755, NULL));
  g_setenv ("TH_BWRAP", path, TRUE);
}

static void
test_cannot (World *world, gconstpointer unused)
{
  g_autofree char *uri = NULL;
  g_autofree char *trouble = NULL;
  const Record *record;

  set_fake_bwrap (world);
  world_add (world, "helper", "cp good.png \"$2\"", NULL);
  world_add (world, "other", "cp good.png \"$2\"", NULL);
  fixture_start (&world->fixture);
  g_assert_null (th_engine_external_trouble (world->fixture.engine));
  uri = world_file (world, "a.xyz");
  record = world_try (world, uri);
  g_assert_nonnull (record);
  g_assert_cmpint (record->code, ==, TH_ERROR_OTHER);
  g_assert_nonnull (strstr (record->message, "No permissions to create new namespace"));
  trouble = th_engine_external_trouble (world->fixture.engine);
  g_assert_cmpstr (trouble, ==, "bwrap: No permissions to create new namespace");
  /* Nothing else is the worse for it. */
  g_assert_null (th_engine_trouble (world->fixture.engine));
}

static const Row bare_rows[] = {
  { "png", "cp good.png \"$2\"", MADE, NULL, 256 },
  { "survivor", "(while :; do sleep 1; done) & cp good.png \"$2\"", MADE, NULL, 256 },
  { "setsid", "setsid sh -c 'while :; do sleep 1; done' & cp good.png \"$2\"", MADE, NULL, 256 },
  { "hang", "(setsid sh -c 'while :; do sleep 1; done' &); while :; do sleep 1; done",
    TH_ERROR_OTHER, "it took too long", 0 },
  { "litter", "mkdir \"$TMPDIR/a\"; : > \"$TMPDIR/a/b\"; cp good.png \"$2\"", MADE, NULL, 256 },
};

static guint
count_own_folders (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    n += g_str_has_prefix (name, "thimble-external-") ? 1 : 0;
  return n;
}

/* Only where a person said so. */
static void
test_bare (World *world, gconstpointer data)
{
  const Row *row = data;
  g_autofree char *uri = NULL;

  set_fake_bwrap (world);
  world->fixture.flavor = TH_FLAVOR_LARGE;
  world->fixture.options.external.allow_unsandboxed = TRUE;
  set_wall (world, row);
  world_add (world, "helper", row->script, NULL);
  fixture_start (&world->fixture);
  uri = world_file (world, "file.xyz");
  check_outcome (world, row, uri);
  world_assert_quiet (world);
  g_assert_cmpuint (count_own_folders (g_get_user_runtime_dir ()), ==, 0);
  g_assert_cmpuint (count_own_folders (g_get_tmp_dir ()), ==, 0);
}

static void
test_outside (World *world, gconstpointer unused)
{
  g_autofree char *path = g_build_filename (world->fixture.folder, "outside", NULL);
  g_autofree char *exec = g_strdup_printf ("%s %%i %%o", path);
  g_autofree char *uri = NULL;
  const Record *record;

  if (!needs_sandbox ())
    return;
  g_assert_true (g_file_set_contents_full (path, "#!/bin/sh\n", -1, 0, 0755, NULL));
  world_add_entry (world, "helper", exec, NULL);
  fixture_start (&world->fixture);
  uri = world_file (world, "a.xyz");
  record = world_try (world, uri);
  g_assert_nonnull (record);
  g_assert_nonnull (strstr (record->message, "lies outside /usr"));
}

static void
add_rows (const char *prefix, const Row *table, guint n,
          void (*test) (World *world, gconstpointer data))
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strconcat (prefix, table[i].name, NULL);

      g_test_add (path, World, &table[i], world_set_up, test, world_tear_down);
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*test) (World *world, gconstpointer unused);
  } tests[] = {
    { "/external/fork-bomb", test_fork_bomb }, { "/external/names", test_names },
    { "/external/extension", test_extension }, { "/external/exec-words", test_exec_words },
    { "/external/next", test_next },           { "/external/rules", test_rules },
    { "/external/forbidden", test_forbidden }, { "/external/no-delay", test_no_delay },
    { "/external/dequeue", test_dequeue },     { "/external/close", test_close },
    { "/external/cannot", test_cannot },       { "/external/outside", test_outside },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].name, World, NULL, world_set_up, tests[i].test, world_tear_down);
  add_rows ("/external/", rows, G_N_ELEMENTS (rows), test_behaviour);
  add_rows ("/external/bare/", bare_rows, G_N_ELEMENTS (bare_rows), test_bare);
  return g_test_run ();
}

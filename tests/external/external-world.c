/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "external-world.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "cache/th-uri.h"

/* How long the end of what was killed may take on a slow day. */
#define PATIENCE (10 * G_USEC_PER_SEC)

static void
copy_program_file (World *world, const char *from, const char *name)
{
  g_autofree char *to = g_build_filename (world->programs, name, NULL);
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (from, &data, &size, NULL));
  g_assert_true (g_file_set_contents (to, data, (gssize) size, NULL));
}

static void
add_picture (World *world, const char *name, guint32 width, guint32 height)
{
  g_autofree char *uri = fixture_picture (&world->fixture, name, width, height, 7);
  g_autofree char *path = th_uri_to_path (uri, NULL);

  copy_program_file (world, path, name);
  g_assert_no_errno (g_unlink (path));
}

static void
add_from_tests (World *world, const char *name, const char *codec, const char *file)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", codec, file, NULL);

  copy_program_file (world, path, name);
}

void
world_set_up (World *world, gconstpointer unused)
{
  Fixture *fixture = &world->fixture;

  fixture_set_up (fixture, NULL);
  world->programs = g_build_filename (fixture->folder, "pro grams", NULL);
  world->entries = g_strdup (fixture->options.external.folders[0]);
  g_assert_no_errno (g_mkdir (world->programs, 0755));
  g_assert_no_errno (g_mkdir (world->entries, 0755));
  add_picture (world, "good.png", 300, 200);
  add_picture (world, "huge.png", 4000, 3000);
  add_from_tests (world, "photo.jpg", "jpeg", "rgb.jpg");
  add_from_tests (world, "deep.png", "png", "rgb16.png");
  /* Enough on any day, for those that end by themselves. */
  fixture->options.external.wall_ms = 60 * 1000;
  g_setenv ("TH_EXTERNAL_BIND", world->programs, TRUE);
  g_unsetenv ("TH_BWRAP");
}

static gboolean
mentions (const char *pid, const char *text)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "cmdline", NULL);
  g_autofree char *line = NULL;
  gsize size;

  if (!g_ascii_isdigit (*pid) || g_ascii_strtoll (pid, NULL, 10) == getpid ()
      || !g_file_get_contents (path, &line, &size, NULL))
    return FALSE;
  return memmem (line, size, text, strlen (text)) != NULL;
}

static guint
count_processes (const char *text)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    n += mentions (name, text) ? 1 : 0;
  return n;
}

void
world_assert_quiet (World *world)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;

  while (count_processes (world->fixture.folder) > 0)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_usleep (10000);
    }
}

void
world_tear_down (World *world, gconstpointer unused)
{
  fixture_stop (&world->fixture);
  world_assert_quiet (world);
  g_free (world->programs);
  g_free (world->entries);
  fixture_tear_down (&world->fixture, NULL);
}

gboolean
world_can_sandbox (void)
{
  const char *const argv[] = { "bwrap", "--unshare-all", "--ro-bind", "/", "/", "true", NULL };
  int status = -1;

  return g_spawn_sync (NULL, (char **) argv, NULL,
                       G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL
                           | G_SPAWN_STDERR_TO_DEV_NULL,
                       NULL, NULL, NULL, NULL, &status, NULL)
         && g_spawn_check_wait_status (status, NULL);
}

static char *
fill_in (World *world, const char *script)
{
  g_autoptr (GString) text = g_string_new (script);

  g_string_replace (text, "@PROGRAMS@", world->programs, 0);
  g_string_replace (text, "@OUTSIDE@", world->fixture.folder, 0);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

void
world_add_entry (World *world, const char *name, const char *exec, const char *more_keys)
{
  g_autofree char *file = g_strconcat (name, ".thumbnailer", NULL);
  g_autofree char *path = g_build_filename (world->entries, file, NULL);
  g_autofree char *text =
      g_strdup_printf ("[Thumbnailer Entry]\nExec=%s\nMimeType=" WORLD_TYPE ";\n%s", exec,
                       more_keys != NULL ? more_keys : "");

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

void
world_add (World *world, const char *name, const char *script, const char *more_keys)
{
  g_autofree char *path = g_build_filename (world->programs, name, NULL);
  g_autofree char *exec = g_strdup_printf ("\"%s\" %%i %%o %%s", path);
  g_autofree char *body = fill_in (world, script);
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\ncd '%s'\n%s\n", world->programs, body);

  g_assert_true (
      g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0755, NULL));
  world_add_entry (world, name, exec, more_keys);
}

char *
world_file (World *world, const char *name)
{
  g_autofree char *path = fixture_path (&world->fixture, name);

  g_assert_true (g_file_set_contents (path, "nothing that any codec knows", -1, NULL));
  return th_uri_from_path (path);
}

guint32
world_queue (World *world, const char *const *uris, ThClass klass)
{
  guint n = g_strv_length ((char **) uris);
  g_autofree const char **types = g_new0 (const char *, (gsize) n + 1);

  for (guint i = 0; i < n; i++)
    types[i] = g_str_has_suffix (uris[i], ".png") ? "image/png" : WORLD_TYPE;
  return th_engine_queue (world->fixture.engine, uris, types, n,
                          th_flavor_name (world->fixture.flavor), klass);
}

const Record *
world_try (World *world, const char *uri)
{
  const char *const uris[] = { uri, NULL };

  fixture_forget (&world->fixture);
  world_queue (world, uris, TH_FOREGROUND);
  fixture_wait (&world->fixture, 1);
  return fixture_error (&world->fixture, uri);
}

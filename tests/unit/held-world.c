/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "held-world.h"

#include <glib/gstdio.h>

#include "base/th-paths.h"
#include "cache/th-fail.h"
#include "cache/th-uri.h"
#include "engine/th-engine-private.h"

void
held_use_fake (Fixture *fixture, const char *mode)
{
  g_autofree char *real = th_paths_worker ();
  g_autofree char *flag = g_build_filename (fixture->folder, "flag", NULL);

  g_setenv ("TH_FAKE", mode, TRUE);
  g_setenv ("TH_FAKE_REAL", real, TRUE);
  g_setenv ("TH_FAKE_FLAG", flag, TRUE);
  g_free (fixture->options.worker_path);
  fixture->options.worker_path = g_test_build_filename (G_TEST_BUILT, "unit", "fake-worker", NULL);
}

void
held_start (Fixture *fixture, guint quiet_ms, guint hold_ms)
{
  held_use_fake (fixture, "count");
  fixture->options.worker_files = 1;
  fixture->options.quiet_ms = quiet_ms;
  fixture->options.hold_ms = hold_ms;
  fixture_start (fixture);
}

gsize
held_decodes (Fixture *fixture)
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

char *
held_picture_data (Fixture *fixture, gsize *size)
{
  g_autofree char *path = fixture_path (fixture, "model.png");
  char *data = NULL;

  g_free (fixture_picture (fixture, "model.png", 300, 200, 5));
  g_assert_true (g_file_get_contents (path, &data, size, NULL));
  return data;
}

char *
held_half_picture (Fixture *fixture, const char *name)
{
  g_autofree char *path = fixture_path (fixture, name);
  gsize size;
  g_autofree char *data = held_picture_data (fixture, &size);

  write_file (path, data, size / 2);
  return th_uri_from_path (path);
}

gboolean
held_is_any (Fixture *fixture)
{
  gboolean held;

  g_mutex_lock (&fixture->engine->lock);
  held = th_motion_due (fixture->engine->motion) != 0;
  g_mutex_unlock (&fixture->engine->lock);
  return held;
}

gboolean
held_wait (Fixture *fixture)
{
  while (!held_is_any (fixture) && fixture->finished == 0)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (200);
    }
  return held_is_any (fixture);
}

gboolean
held_is_marked (Fixture *fixture, const char *uri)
{
  g_autofree char *path = th_fail_path (fixture->cache, uri);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of files when something goes wrong around them. */
#include "config.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "thumbnailer/thumbnailer-fixture.h"

#define ROUNDS 10u

static char *
contents (const char *path)
{
  g_autofree char *text = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &text, &size, NULL));
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text, size);
}

/* By its name, by another spelling, through a link either way. */
static void
test_itself (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uri = g_filename_to_uri (fixture->input, NULL, NULL);
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);
  g_autofree char *before = contents (fixture->input);
  g_autofree char *after = NULL;
  const char *const pairs[][2] = { { fixture->input, fixture->input },
                                   { uri, "picture.png" },
                                   { "picture.png", "./picture.png" },
                                   { "link", "picture.png" },
                                   { "picture.png", "link" } };

  g_assert_cmpint (symlink ("picture.png", link), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      fixture_run (fixture, pairs[i][0], pairs[i][1], NULL);
      assert_failed (fixture, 1);
      g_assert_nonnull (strstr (fixture->err, "the picture itself"));
    }
  after = contents (fixture->input);
  g_assert_cmpstr (after, ==, before);
  g_assert_cmpuint (fixture_count (fixture), ==, 2);
}

/* Until something is made in the folder: the temporary file. */
static void
wait_for_file (int watch)
{
  char events[4096];

  g_assert_cmpint (read (watch, events, sizeof events), >, 0);
}

/* Who ends it in the middle of writing finds the whole thumbnail, and nothing else. */
static void
test_terminated (Fixture *fixture, gconstpointer data)
{
  static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
  char *argv[] = { fixture->program, fixture->input, fixture->output, NULL };

  for (guint i = 0; i < ROUNDS; i++)
    {
      const int watch = inotify_init1 (IN_CLOEXEC);
      int status;
      GPid pid;

      g_assert_cmpint (inotify_add_watch (watch, fixture->folder, IN_CREATE), >=, 0);
      g_assert_true (g_spawn_async (fixture->folder, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL,
                                    NULL, &pid, NULL));
      wait_for_file (watch);
      kill (pid, signals[i % G_N_ELEMENTS (signals)]);
      g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
      close (watch);
      g_assert_cmpuint (fixture_count (fixture), ==, 2);
      g_assert_true (g_file_test (fixture->output, G_FILE_TEST_IS_REGULAR));
      g_assert_cmpint (g_unlink (fixture->output), ==, 0);
    }
}

typedef void (*Test) (Fixture *fixture, gconstpointer data);

static const struct
{
  const char *path;
  Test run;
} tests[] = {
  { "/output/itself", test_itself },
  { "/output/terminated", test_terminated },
};

static void
skip_all (Fixture *fixture, gconstpointer data)
{
  g_test_skip ("this build has no PNG codec");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, fixture_set_up, TH_HAVE_PNG ? tests[i].run : skip_all,
                fixture_tear_down);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the engine makes of workers that die, hang, lie or cannot be had. */
#include "config.h"

#include "engine/th-engine.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "engine-fixture.h"

static void
use_fake (Fixture *fixture, const char *mode)
{
  g_autofree char *real = th_paths_worker ();

  g_setenv ("TH_FAKE", mode, TRUE);
  g_setenv ("TH_FAKE_REAL", real, TRUE);
  g_free (fixture->options.worker_path);
  fixture->options.worker_path = g_test_build_filename (G_TEST_BUILT, "unit", "fake-worker", NULL);
}

/* Workers that are killed while they have nothing to do cost no file. */
static void
test_killed_idle (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = fixture_pictures (fixture, 10, 50);

  fixture_start (fixture);
  for (guint i = 0; i < uris->len; i++)
    {
      g_autoptr (GArray) children = NULL;

      fixture_queue (fixture, (Uris) &uris->pdata[i], 1, TH_FOREGROUND);
      fixture_wait (fixture, i + 1);
      g_assert_null (fixture_error (fixture, uris->pdata[i]));
      children = fixture_children ();
      for (guint j = 0; j < children->len; j++)
        kill (g_array_index (children, int, j), SIGKILL);
    }
}

static void
queue_one_bad (Fixture *fixture, int code, const char *text)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 50, 50, 1);
  const Record *record;

  fixture_forget (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  record = fixture_error (fixture, uri);
  g_assert_nonnull (record);
  g_test_message ("%s", record->message);
  g_assert_cmpint (record->code, ==, code);
  g_assert_nonnull (strstr (record->message, text));
}

static void
test_no_worker (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *trouble = NULL;

  fixture->options.worker_path = g_strdup ("/nowhere/thimble-worker");
  fixture_start (fixture);
  trouble = th_engine_trouble (fixture->engine);
  g_assert_nonnull (trouble);
  queue_one_bad (fixture, TH_ERROR_OTHER, "/nowhere/thimble-worker");
  queue_one_bad (fixture, TH_ERROR_OTHER, "/nowhere/thimble-worker");
}

typedef struct
{
  const char *mode;
  int code;
  const char *text;
  gboolean trouble;
} FakeRow;

static const FakeRow fakes[] = {
  { "crash", TH_ERROR_INVALID_FORMAT, "crashed", FALSE },
  { "hang", TH_ERROR_OTHER, "too long", FALSE },
  { "touch", TH_ERROR_OTHER, "still being written", FALSE },
  { "deaf", TH_ERROR_OTHER, "no decoder can be started: the worker ended at its start", TRUE },
  { "old", TH_ERROR_SHUTTING_DOWN, "no decoder can be started: a worker of another version", TRUE },
  { "bare", TH_ERROR_OTHER, "this kernel has no filter", TRUE },
};

static void
test_fake (Fixture *fixture, gconstpointer data)
{
  const FakeRow *row = data;
  g_autofree char *trouble = NULL;

  use_fake (fixture, row->mode);
  if (g_str_equal (row->mode, "hang"))
    fixture->options.limits.wall_ms = 300;
  fixture_start (fixture);
  queue_one_bad (fixture, row->code, row->text);
  queue_one_bad (fixture, row->code, row->text);
  trouble = th_engine_trouble (fixture->engine);
  g_assert_cmpint (trouble != NULL, ==, row->trouble);
}

/* A crash that does not repeat costs nothing. */
static void
test_crash_once (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 50, 50, 1);
  g_autofree char *flag = g_build_filename (fixture->folder, "flag", NULL);

  g_setenv ("TH_FAKE_FLAG", flag, TRUE);
  use_fake (fixture, "crash-once");
  fixture_start (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  g_assert_true (g_file_test (flag, G_FILE_TEST_EXISTS));
  g_assert_null (fixture_error (fixture, uri));
}

/* Idle workers end by themselves, and none stays as a zombie. */
static void
test_idle_end (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *uri = fixture_picture (fixture, "a.png", 50, 50, 1);
  gint64 end = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;
  guint left = 1;

  fixture->options.worker_idle_ms = 100;
  fixture_start (fixture);
  fixture_queue (fixture, (Uris) &uri, 1, TH_FOREGROUND);
  fixture_wait (fixture, 1);
  while (left > 0)
    {
      g_autoptr (GArray) children = NULL;

      g_main_context_iteration (NULL, TRUE);
      children = fixture_children ();
      left = children->len;
      g_assert_cmpint (g_get_monotonic_time (), <, end);
    }
}

static int
only_child (void)
{
  g_autoptr (GArray) children = fixture_children ();

  g_assert_cmpuint (children->len, ==, 1);
  return g_array_index (children, int, 0);
}

/* As /proc names it: S for one that waits, Z for one that is dead and not reaped. */
static char
state_of (int pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/stat", pid);
  g_autofree char *text = NULL;
  const char *end;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return '?';
  end = strrchr (text, ')');
  return end != NULL && strlen (end) > 2 ? end[2] : '?';
}

static void
wait_until_it_waits (int pid)
{
  gint64 end = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;
  char state;

  while ((state = state_of (pid)) != 'S')
    {
      g_assert_cmpint (state, !=, 'Z');
      g_assert_cmpint (state, !=, '?');
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_usleep (1000);
    }
}

/* What a worker does once its picture is told, it survives too: the next goes to the same one. */
static void
test_resident (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = fixture_pictures (fixture, 3, 50);
  int first = 0;

  fixture->options.cores = 1;
  fixture_start (fixture);
  for (guint i = 0; i < uris->len; i++)
    {
      int child;

      fixture_queue (fixture, (Uris) &uris->pdata[i], 1, TH_FOREGROUND);
      fixture_wait (fixture, i + 1);
      child = only_child ();
      first = i == 0 ? child : first;
      g_assert_cmpint (child, ==, first);
      wait_until_it_waits (child);
    }
}

/* The kernel runs background workers only where nobody else wants to, and foreground ones as
 * everybody. */
static void
test_priority (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = fixture_pictures (fixture, TH_N_CLASSES, 50);
  static const int expected[TH_N_CLASSES] = { SCHED_OTHER, SCHED_IDLE };

  for (guint i = 0; i < TH_N_CLASSES; i++)
    {
      int child;

      fixture_start (fixture);
      fixture_queue (fixture, (Uris) &uris->pdata[i], 1, (ThClass) i);
      fixture_wait (fixture, i + 1);
      child = only_child ();
      g_assert_cmpint (sched_getscheduler (child), ==, expected[i]);
      g_assert_cmpint (syscall (SYS_ioprio_get, 1, child) >> 13 == 3, ==, i == TH_BACKGROUND);
      fixture_stop (fixture);
    }
  g_assert_cmpint (sched_getscheduler (0), ==, SCHED_OTHER);
}

/* After so many files, and after a damaged one, another process goes on. */
static void
test_replaced (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) uris = fixture_pictures (fixture, 9, 50);
  g_autofree char *damaged = fixture_path (fixture, "0001.png");
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  g_assert_true (g_file_set_contents (damaged, "\x89PNG\r\n\x1a\n????????????????", 24, NULL));
  fixture->options.cores = 1;
  fixture->options.worker_files = 3;
  /* The damaged one is believed at once, and decoded once. */
  fixture->options.quiet_ms = 0;
  fixture_start (fixture);
  for (guint i = 0; i < uris->len; i++)
    {
      g_autoptr (GArray) children = NULL;

      fixture_queue (fixture, (Uris) &uris->pdata[i], 1, TH_FOREGROUND);
      fixture_wait (fixture, i + 1);
      g_assert_cmpint (fixture_error (fixture, uris->pdata[i]) != NULL, ==, i == 1);
      children = fixture_children ();
      for (guint j = 0; j < children->len; j++)
        g_hash_table_add (seen, GINT_TO_POINTER (g_array_index (children, int, j)));
    }
  /* 0 1 | 2 3 4 | 5 6 7 | 8; the last of a worker may be reaped before it is looked for. */
  g_assert_cmpuint (g_hash_table_size (seen), >=, 3);
  g_assert_cmpuint (g_hash_table_size (seen), <=, 4);
}

#define ADD(path, function)                                                                        \
  g_test_add (path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/workers/killed-idle", test_killed_idle);
  ADD ("/workers/none", test_no_worker);
  ADD ("/workers/crash-once", test_crash_once);
  ADD ("/workers/resident", test_resident);
  ADD ("/workers/priority", test_priority);
  ADD ("/workers/replaced", test_replaced);
  ADD ("/workers/idle-end", test_idle_end);
  for (guint i = 0; i < G_N_ELEMENTS (fakes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/workers/%s", fakes[i].mode);

      g_test_add (path, Fixture, &fakes[i], fixture_set_up, test_fake, fixture_tear_down);
    }
  return g_test_run ();
}

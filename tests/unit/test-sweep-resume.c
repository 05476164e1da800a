/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Being stopped, killed and interfered with. */
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep-world.h"

#define STATE   ".sweep"
#define FILES   24u
#define MANY    3000u
#define RUBBISH 300u

/* Half of them go, and of those some for their age. */
typedef struct
{
  char *paths[FILES];
  ThSweepOptions options;
} Scene;

static void
scene_set_up (Scene *scene, World *world)
{
  guint64 bytes = 0;

  for (guint i = 0; i < FILES; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);

      scene->paths[i] =
          sweep_entry (world, (ThFlavor) (i % TH_N_FLAVORS), name, (1 + i) * SWEEP_DAY);
      bytes += sweep_bytes (scene->paths[i]);
    }
  scene->options = sweep_options ();
  scene->options.budget.max_bytes = bytes / 2;
  scene->options.budget.max_age = FILES * 3 / 4;
}

static void
scene_check (Scene *scene)
{
  for (guint i = 0; i < FILES; i++)
    g_assert_cmpint (g_file_test (scene->paths[i], G_FILE_TEST_EXISTS), ==, i < FILES / 2);
}

static void
scene_tear_down (Scene *scene)
{
  for (guint i = 0; i < FILES; i++)
    g_free (scene->paths[i]);
}

static char *
state_path (World *world)
{
  return g_build_filename (th_cache_root (world->cache), STATE, NULL);
}

/* What each callback does after so many calls. */
typedef struct
{
  guint left;
  gint stop;
  gboolean kill;
} Fate;

static void
count (Fate *fate)
{
  if (fate->left > 0)
    {
      fate->left--;
      return;
    }
  if (fate->kill)
    _exit (0);
  g_atomic_int_set (&fate->stop, 1);
}

static gboolean
count_asked (const ThSweepSource *source, gpointer data)
{
  count (data);
  return FALSE;
}

static void
count_removed (const ThSwept *swept, gpointer data)
{
  count (data);
}

static void
set_fate (Scene *scene, Fate *fate)
{
  scene->options.is_gone = count_asked;
  scene->options.removed = count_removed;
  scene->options.data = fate;
  scene->options.stop = &fate->stop;
}

static void
test_stopped (World *world, gconstpointer unused)
{
  g_autofree char *state = state_path (world);

  for (guint n = 0; n < 3 * FILES; n++)
    {
      Scene scene;
      Fate fate = { .left = n };
      ThSweepTally tally;
      ThSweepEnd end;

      scene_set_up (&scene, world);
      set_fate (&scene, &fate);
      end = th_sweep (world->cache, &scene.options, &tally, NULL);
      g_assert_cmpint (end, ==, fate.stop ? TH_SWEEP_STOPPED : TH_SWEEP_DONE);
      g_assert_cmpint (g_file_test (state, G_FILE_TEST_EXISTS), ==, fate.stop);
      if (fate.stop)
        {
          fate.stop = 0;
          fate.left = G_MAXUINT;
          tally = sweep_run (world, &scene.options);
          g_assert_true (tally.resumed);
        }
      scene_check (&scene);
      sweep_assert_went (state);
      g_assert_cmpuint (tally.left.files, ==, FILES / 2);
      scene_tear_down (&scene);
    }
}

/* One entry a call: it ends all the same. */
static void
test_stopped_again_and_again (World *world, gconstpointer unused)
{
  Scene scene;
  Fate fate = { 0 };
  ThSweepTally tally;
  guint calls = 0;

  scene_set_up (&scene, world);
  scene.options.removed = count_removed;
  scene.options.data = &fate;
  scene.options.stop = &fate.stop;
  while (th_sweep (world->cache, &scene.options, &tally, NULL) == TH_SWEEP_STOPPED)
    {
      fate.stop = 0;
      g_assert_cmpuint (++calls, <=, FILES);
    }
  g_assert_cmpuint (calls, >=, FILES / 2);
  scene_check (&scene);
  scene_tear_down (&scene);
}

static void
test_killed (World *world, gconstpointer unused)
{
  for (guint n = 0; n < 3 * FILES; n++)
    {
      Scene scene;
      Fate fate = { .left = n, .kill = TRUE };
      pid_t child;
      int status;

      scene_set_up (&scene, world);
      child = fork ();
      g_assert_cmpint (child, >=, 0);
      if (child == 0)
        {
          ThSweepTally tally;

          set_fate (&scene, &fate);
          th_sweep (world->cache, &scene.options, &tally, NULL);
          _exit (0);
        }
      g_assert_cmpint (waitpid (child, &status, 0), ==, child);
      g_assert_cmpint (status, ==, 0);
      sweep_run (world, &scene.options);
      scene_check (&scene);
      scene_tear_down (&scene);
    }
}

/* Steps that were done before are not done again. */
static void
test_goes_on (World *world, gconstpointer unused)
{
  Fate fate = { .left = FILES / 2 };
  Scene scene;
  ThSweepTally tally;
  guint asked;

  scene_set_up (&scene, world);
  scene.options.budget = sweep_options ().budget;
  scene.options.is_gone = count_asked;
  scene.options.data = &fate;
  scene.options.stop = &fate.stop;
  g_assert_cmpint (th_sweep (world->cache, &scene.options, &tally, NULL), ==, TH_SWEEP_STOPPED);
  fate = (Fate){ .left = 1000 };
  tally = sweep_run (world, &scene.options);
  asked = 1000 - fate.left;
  g_assert_true (tally.resumed);
  g_assert_cmpuint (tally.left.files, ==, FILES);
  g_assert_cmpuint (asked, >=, FILES / 2 - 1);
  g_assert_cmpuint (asked, <, FILES * 3 / 4);
  scene_tear_down (&scene);
}

/* Other budgets, clocks put back and long pauses begin anew. */
static void
test_begins_anew (World *world, gconstpointer unused)
{
  static const gint64 later[] = { 8 * SWEEP_DAY, -60 };

  for (gsize i = 0; i <= G_N_ELEMENTS (later); i++)
    {
      Scene scene;
      Fate fate = { .left = FILES / 2 };
      ThSweepTally tally;

      scene_set_up (&scene, world);
      set_fate (&scene, &fate);
      g_assert_cmpint (th_sweep (world->cache, &scene.options, &tally, NULL), ==, TH_SWEEP_STOPPED);
      fate = (Fate){ .left = 1000 };
      if (i < G_N_ELEMENTS (later))
        scene.options.now = time (NULL) + later[i];
      else
        scene.options.budget.max_age++;
      tally = sweep_run (world, &scene.options);
      g_assert_false (tally.resumed);
      scene_tear_down (&scene);
    }
}

static char *
read_state (World *world)
{
  g_autofree char *path = state_path (world);
  char *text;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static void
write_rubbish (World *world, GRand *rand, const char *text)
{
  static const char letters[] = "0123456789 \n-ae";
  g_autofree char *path = state_path (world);
  g_autofree char *bad = g_strdup (text);
  gsize length = strlen (bad);

  for (guint i = g_rand_int_range (rand, 1, 4); i > 0; i--)
    bad[g_rand_int_range (rand, 0, (gint32) length)] =
        letters[g_rand_int_range (rand, 0, sizeof letters - 1)];
  if (g_rand_boolean (rand))
    length = g_rand_int_range (rand, 0, (gint32) length);
  g_assert_true (g_file_set_contents (path, bad, (gssize) length, NULL));
}

/* Whatever it says, an age that is too young is not removed, and the walk ends. */
static void
test_rubbish (World *world, gconstpointer unused)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (18);
  g_autofree char *state = state_path (world);
  g_autofree char *text = NULL;
  Fate fate = { .left = FILES / 2 };
  Scene scene;
  ThSweepTally tally;

  scene_set_up (&scene, world);
  scene.options.budget = sweep_options ().budget;
  set_fate (&scene, &fate);
  g_assert_cmpint (th_sweep (world->cache, &scene.options, &tally, NULL), ==, TH_SWEEP_STOPPED);
  text = read_state (world);
  scene.options.is_gone = NULL;
  scene.options.removed = NULL;
  scene.options.stop = NULL;
  for (guint i = 0; i < RUBBISH; i++)
    {
      write_rubbish (world, rand, text);
      sweep_run (world, &scene.options);
      sweep_assert_went (state);
    }
  g_assert_cmpint (g_mkdir (state, 0700), ==, 0);
  sweep_run (world, &scene.options);
  g_rmdir (state);
  scene_tear_down (&scene);
}

/* A thumbnail that is made anew while its old state is judged. */
static gboolean
rewrite (const ThSweepSource *source, gpointer data)
{
  World *world = data;
  g_autofree char *name = g_path_get_basename (source->uri);

  g_free (sweep_entry (world, TH_FLAVOR_NORMAL, name, 50 * SWEEP_DAY));
  return TRUE;
}

static void
test_rewritten (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *entry = sweep_entry (world, TH_FLAVOR_NORMAL, "a", 50 * SWEEP_DAY);
  ThSweepTally tally;

  options.is_gone = rewrite;
  options.data = world;
  tally = sweep_run (world, &options);
  sweep_assert_stays (entry);
  g_assert_cmpuint (tally.verdicts[TH_SWEEP_ORPHAN].files, ==, 0);
  g_assert_cmpuint (tally.failed, ==, 0);
  g_assert_cmpuint (tally.left.files, ==, 1);
}

static void
note (const ThSwept *swept, gpointer data)
{
  g_ptr_array_add (data, g_strdup (swept->path));
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
test_dry_run (World *world, gconstpointer unused)
{
  g_autoptr (GPtrArray) told = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) went = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *state = state_path (world);
  Scene scene;
  ThSweepTally dry, wet;

  scene_set_up (&scene, world);
  scene.options.dry_run = TRUE;
  scene.options.removed = note;
  scene.options.data = told;
  dry = sweep_run (world, &scene.options);
  for (guint i = 0; i < FILES; i++)
    sweep_assert_stays (scene.paths[i]);
  sweep_assert_went (state);
  scene.options.dry_run = FALSE;
  scene.options.data = went;
  wet = sweep_run (world, &scene.options);
  g_assert_cmpint (memcmp (&dry, &wet, sizeof dry), ==, 0);
  g_ptr_array_sort (told, compare_names);
  g_ptr_array_sort (went, compare_names);
  g_assert_cmpuint (told->len, ==, FILES / 2);
  g_assert_cmpuint (told->len, ==, went->len);
  for (guint i = 0; i < told->len; i++)
    g_assert_cmpstr (told->pdata[i], ==, went->pdata[i]);
  scene_check (&scene);
  scene_tear_down (&scene);
}

/* What it remembers does not grow with the cache; tests/bench has the memory of it. */
static void
test_many (World *world, gconstpointer unused)
{
  const char *knob = g_getenv ("TH_TEST_SWEEP_FILES");
  guint n = knob != NULL ? (guint) g_ascii_strtoull (knob, NULL, 10) : MANY;
  ThSweepOptions options = sweep_options ();
  guint64 bytes = 0;
  ThSweepTally tally;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i);
      g_autofree char *path = sweep_entry (world, TH_FLAVOR_NORMAL, name, (i % 100) * SWEEP_DAY);

      bytes += sweep_bytes (path);
    }
  options.budget.max_bytes = bytes / 4;
  tally = sweep_run (world, &options);
  g_assert_cmpuint (tally.left.bytes, <=, bytes / 4);
  g_assert_cmpuint (tally.left.bytes, >, bytes / 4 - 64 * 1024);
  g_assert_cmpuint (tally.left.files + tally.verdicts[TH_SWEEP_EXCESS].files, ==, n);
}

#define ADD(path, test)                                                                            \
  g_test_add ("/sweep-resume/" path, World, NULL, world_set_up, test, world_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("stopped", test_stopped);
  ADD ("stopped-again-and-again", test_stopped_again_and_again);
  ADD ("killed", test_killed);
  ADD ("goes-on", test_goes_on);
  ADD ("begins-anew", test_begins_anew);
  ADD ("rubbish", test_rubbish);
  ADD ("rewritten", test_rewritten);
  ADD ("dry-run", test_dry_run);
  ADD ("many", test_many);
  return g_test_run ();
}

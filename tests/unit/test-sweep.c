/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What goes and what stays. */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/th-error.h"
#include "cache/th-fail.h"
#include "cache/th-stray.h"
#include "cache/th-sweep-ages.h"
#include "cache/th-uri.h"
#include "sweep-world.h"

#define HOUR 3600
#define NAME "0123456789abcdef0123456789abcdef.png"

static void
test_names (void)
{
  static const struct
  {
    const char *name;
    ThStray kind;
  } names[] = {
    { NAME, TH_STRAY_ENTRY },
    { "0123456789abcdef0123456789abcdef0.png", TH_STRAY_NONE },
    { "0123456789ABCDEF0123456789ABCDEF.png", TH_STRAY_NONE },
    { ".thimble-0123456789ab", TH_STRAY_OWN },
    { ".thimble-0123456789a", TH_STRAY_NONE },
    { NAME ".Ab12Cd", TH_STRAY_OTHER },
    { NAME ".Ab12C", TH_STRAY_NONE },
    { NAME ".Ab12Cde", TH_STRAY_NONE },
    { NAME ".backup", TH_STRAY_OTHER }, /* six letters are six letters */
    { ".goutputstream-A1B2C3", TH_STRAY_OTHER },
    { ".goutputstream-A1B2C", TH_STRAY_NONE },
    { "0123456789abcdef0123456789abcdef-1700000000.png", TH_STRAY_OTHER },
    { "0123456789abcdef0123456789abcdef-.png", TH_STRAY_NONE },
    { "0123456789abcdef0123456789abcdef-1700000000.jpg", TH_STRAY_NONE },
    { "holiday.png", TH_STRAY_NONE },
    { "", TH_STRAY_NONE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_test_message ("%s", names[i].name);
      g_assert_cmpint (th_stray_kind (names[i].name), ==, names[i].kind);
    }
}

static void
test_ranks (void)
{
  guint before = 0;

  g_assert_cmpuint (th_sweep_rank (G_MININT64), ==, 0);
  g_assert_cmpuint (th_sweep_rank (HOUR), ==, 1);
  g_assert_cmpuint (th_sweep_rank (14 * SWEEP_DAY), ==, TH_SWEEP_HOURS);
  g_assert_cmpuint (th_sweep_rank (15 * SWEEP_DAY), ==, TH_SWEEP_HOURS + 1);
  g_assert_cmpuint (th_sweep_rank (G_MAXINT64), ==, TH_SWEEP_NAMELESS - 1);
  for (gint64 age = 0; age < 3000 * (gint64) SWEEP_DAY; age += HOUR / 2)
    {
      guint rank = th_sweep_rank (age);

      g_assert_cmpuint (rank, >=, before);
      g_assert_cmpuint (rank, <=, before + 1);
      before = rank;
    }
}

static void
test_cut (void)
{
  g_autofree ThSweepAges *ages = g_new0 (ThSweepAges, 1);
  ThSweepCut cut;

  ages->bytes[0] = 10;
  ages->bytes[5] = 20;
  ages->bytes[TH_SWEEP_NAMELESS] = 5;
  cut = th_sweep_ages_cut (ages, 35);
  g_assert_cmpuint (cut.rank, ==, TH_SWEEP_RANKS);
  cut = th_sweep_ages_cut (ages, 32);
  g_assert_cmpuint (cut.rank, ==, TH_SWEEP_NAMELESS);
  g_assert_cmpuint (cut.bytes, ==, 3);
  cut = th_sweep_ages_cut (ages, 12);
  g_assert_cmpuint (cut.rank, ==, 5);
  g_assert_cmpuint (cut.bytes, ==, 18);
  cut = th_sweep_ages_cut (ages, 0);
  g_assert_cmpuint (cut.rank, ==, 0);
  g_assert_cmpuint (cut.bytes, ==, 10);
}

static void
test_no_cache (World *world, gconstpointer unused)
{
  const ThSweepOptions options = sweep_options ();
  ThSweepTally tally = sweep_run (world, &options);

  g_assert_cmpuint (tally.left.files, ==, 0);
  g_assert_false (g_file_test (th_cache_root (world->cache), G_FILE_TEST_EXISTS));
}

static void
test_age (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *fresh = sweep_entry (world, TH_FLAVOR_NORMAL, "a", 9 * SWEEP_DAY);
  g_autofree char *old = sweep_entry (world, TH_FLAVOR_LARGE, "b", 11 * SWEEP_DAY);
  g_autofree char *read = sweep_entry (world, TH_FLAVOR_XX_LARGE, "c", 0);
  g_autofree char *ahead = sweep_entry (world, TH_FLAVOR_X_LARGE, "d", -SWEEP_DAY);
  g_autofree char *read_ahead = sweep_entry (world, TH_FLAVOR_X_LARGE, "e", 0);
  ThSweepTally tally;

  sweep_set_ages (read, SWEEP_DAY, 100 * SWEEP_DAY);
  /* A clock that was wrong once. */
  sweep_set_ages (read_ahead, -1000 * SWEEP_DAY, 100 * SWEEP_DAY);
  options.budget.max_age = 10;
  tally = sweep_run (world, &options);
  sweep_assert_stays (fresh);
  sweep_assert_stays (read);
  sweep_assert_stays (ahead);
  sweep_assert_went (old);
  sweep_assert_went (read_ahead);
  g_assert_cmpuint (tally.verdicts[TH_SWEEP_UNUSED].files, ==, 2);
  g_assert_cmpuint (tally.left.files, ==, 3);
  g_assert_false (tally.resumed);
}

static void
test_asking_is_no_use (World *world, gconstpointer unused)
{
  const ThSweepOptions options = sweep_options ();
  g_autofree char *path = sweep_entry (world, TH_FLAVOR_NORMAL, "a", 100 * SWEEP_DAY);
  struct stat before, after;

  g_assert_cmpint (stat (path, &before), ==, 0);
  sweep_run (world, &options);
  g_assert_cmpint (stat (path, &after), ==, 0);
  g_assert_cmpint (before.st_atim.tv_sec, ==, after.st_atim.tv_sec);
}

static void
test_least_used_first (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  char *paths[20];
  guint64 bytes = 0;
  ThSweepTally tally;

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);

      paths[i] = sweep_entry (world, (ThFlavor) (i % TH_N_FLAVORS), name, (1 + i) * SWEEP_DAY);
      bytes += sweep_bytes (paths[i]);
    }
  options.budget.max_bytes = bytes / 2;
  tally = sweep_run (world, &options);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_assert_cmpint (g_file_test (paths[i], G_FILE_TEST_EXISTS), ==, i < 10);
      g_free (paths[i]);
    }
  g_assert_cmpuint (tally.verdicts[TH_SWEEP_EXCESS].files, ==, 10);
  g_assert_cmpuint (tally.left.bytes, ==, bytes / 2);
  g_assert_cmpuint (tally.left.files, ==, 10);
}

/* Of equal age no more goes than has to. */
static void
test_all_alike (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  guint64 each = 0;
  ThSweepTally tally;

  for (guint i = 0; i < 40; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.png", i);
      g_autofree char *path = sweep_entry (world, TH_FLAVOR_NORMAL, name, SWEEP_DAY);

      each = sweep_bytes (path);
    }
  options.budget.max_bytes = each * 30 + 1;
  tally = sweep_run (world, &options);
  g_assert_cmpuint (tally.left.files, ==, 30);
  options.budget.max_bytes = 0;
  tally = sweep_run (world, &options);
  g_assert_cmpuint (tally.left.files, ==, 0);
  g_assert_cmpuint (tally.verdicts[TH_SWEEP_EXCESS].files, ==, 30);
}

static void
test_nameless_first (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *old = sweep_entry (world, TH_FLAVOR_NORMAL, "old.png", 300 * SWEEP_DAY);
  g_autofree char *recent = sweep_entry (world, TH_FLAVOR_NORMAL, "new.png", 2 * HOUR);
  g_autofree char *folder = g_path_get_dirname (recent);
  /* Of another URI than its name says. */
  g_autofree char *nameless = g_build_filename (folder, NAME, NULL);
  ThSweepTally tally;

  g_assert_cmpint (g_rename (recent, nameless), ==, 0);
  sweep_run (world, &options);
  sweep_assert_stays (nameless);
  options.budget.max_bytes = sweep_bytes (old);
  tally = sweep_run (world, &options);
  sweep_assert_stays (old);
  sweep_assert_went (nameless);
  g_assert_cmpuint (tally.verdicts[TH_SWEEP_EXCESS].files, ==, 1);
}

static void
test_damaged (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *half = sweep_file (world, "normal/" NAME, "\x89PNG\r\n\x1a\nhalf", 5 * HOUR);
  g_autofree char *other = sweep_file (world, "normal/readme.txt", "hello", 900 * SWEEP_DAY);
  ThSweepTally tally;

  /* Its state changed just now: somebody may be writing it. */
  sweep_run (world, &options);
  sweep_assert_stays (half);
  options.now = time (NULL) + 2 * HOUR;
  tally = sweep_run (world, &options);
  sweep_assert_went (half);
  sweep_assert_stays (other);
  g_assert_cmpuint (tally.verdicts[TH_SWEEP_DAMAGED].files, ==, 1);
}

/* The state of a file cannot be made old, so that the clock is put ahead. */
static void
test_left_behind (void)
{
  g_autofree char *folder = g_dir_make_tmp ("thimble-stray-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, ".thimble-0123456789ab", NULL);
  const char *name = strrchr (path, '/') + 1;
  int at = open (folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  int fd;
  struct stat st;
  gint64 soon, late;

  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
  g_assert_cmpint (stat (path, &st), ==, 0);
  soon = st.st_ctim.tv_sec + HOUR / 2;
  late = st.st_ctim.tv_sec + 2 * HOUR;
  g_assert_false (th_stray_is_abandoned (TH_STRAY_OWN, at, name, &st, soon));
  g_assert_false (th_stray_is_abandoned (TH_STRAY_OTHER, at, name, &st, late));
  g_assert_true (th_stray_is_abandoned (TH_STRAY_OWN, at, name, &st, late));
  g_assert_true (th_stray_is_abandoned (TH_STRAY_OTHER, at, name, &st, late + 24 * HOUR));
  fd = open (path, O_WRONLY | O_CLOEXEC);
  g_assert_false (th_stray_is_abandoned (TH_STRAY_OWN, at, name, &st, late));
  close (fd);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  g_assert_false (th_stray_is_abandoned (TH_STRAY_OWN, at, name, &st, late));
  close (fd);
  g_assert_true (th_stray_is_abandoned (TH_STRAY_OWN, at, name, &st, late));
  close (at);
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_temporaries (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *own = sweep_file (world, "large/.thimble-0123456789ab", "x", 0);
  g_autofree char *walks = sweep_file (world, ".thimble-0123456789ab", "x", 0);
  g_autofree char *gnome = sweep_file (world, "normal/" NAME ".Ab12Cd", "x", 0);
  g_autofree char *strange = sweep_file (world, NAME, "x", 0);
  ThSweepTally tally;

  options.now = time (NULL) + 2 * HOUR;
  tally = sweep_run (world, &options);
  sweep_assert_went (own);
  sweep_assert_went (walks);
  sweep_assert_stays (gnome);
  g_assert_cmpuint (tally.verdicts[TH_SWEEP_TEMPORARY].files, ==, 2);
  options.now = time (NULL) + 25 * HOUR;
  tally = sweep_run (world, &options);
  sweep_assert_went (gnome);
  sweep_assert_stays (strange);
}

static void
test_markers (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *older = sweep_file (world, "fail/thimble-0.0.1/" NAME, "x", 0);
  g_autofree char *own = sweep_file (world, "fail/" TH_FAIL_FOLDER "/" NAME, "x", 0);
  g_autofree char *gnome = sweep_file (world, "fail/gnome-thumbnail-factory/" NAME, "x", 0);
  g_autofree char *kept = sweep_file (world, "fail/thimble-0.0.2/notes", "x", 0);
  g_autofree char *older_folder = g_path_get_dirname (older);
  ThSweepTally tally = sweep_run (world, &options);

  sweep_assert_went (older_folder);
  sweep_assert_stays (own);
  sweep_assert_stays (gnome);
  sweep_assert_stays (kept);
  g_assert_cmpuint (tally.verdicts[TH_SWEEP_OUTDATED].files, ==, 1);
}

static gboolean
gone_by_name (const ThSweepSource *source, gpointer data)
{
  return g_str_has_suffix (source->uri, data);
}

static void
test_orphans (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *gone = sweep_entry (world, TH_FLAVOR_NORMAL, "gone", HOUR);
  g_autofree char *there = sweep_entry (world, TH_FLAVOR_NORMAL, "there", HOUR);
  ThSweepTally tally;

  options.is_gone = gone_by_name;
  options.data = (gpointer) "gone";
  tally = sweep_run (world, &options);
  sweep_assert_went (gone);
  sweep_assert_stays (there);
  g_assert_cmpuint (tally.verdicts[TH_SWEEP_ORPHAN].files, ==, 1);
}

static void
test_symlinks (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *victim = sweep_entry (world, TH_FLAVOR_NORMAL, "a", 90 * SWEEP_DAY);
  g_autofree char *normal = g_path_get_dirname (victim);
  g_autofree char *away = g_build_filename (world->folder, "away", NULL);
  g_autofree char *kept = g_build_filename (away, strrchr (victim, '/') + 1, NULL);
  g_autofree char *large = sweep_entry (world, TH_FLAVOR_LARGE, "b", 90 * SWEEP_DAY);
  g_autofree char *large_folder = g_path_get_dirname (large);
  g_autofree char *link = g_build_filename (large_folder, NAME, NULL);

  g_assert_cmpint (g_rename (normal, away), ==, 0);
  g_assert_cmpint (symlink (away, normal), ==, 0);
  g_assert_cmpint (symlink (kept, link), ==, 0);
  options.budget = (ThSweepBudget){ 0, 1 };
  sweep_run (world, &options);
  sweep_assert_stays (kept);
  sweep_assert_stays (link);
  sweep_assert_went (large);
}

/* The whole cache may lie elsewhere. */
static void
test_root_elsewhere (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *entry = sweep_entry (world, TH_FLAVOR_NORMAL, "a", 90 * SWEEP_DAY);
  g_autofree char *away = g_build_filename (world->folder, "away", NULL);

  g_assert_cmpint (g_rename (th_cache_root (world->cache), away), ==, 0);
  g_assert_cmpint (symlink (away, th_cache_root (world->cache)), ==, 0);
  options.budget.max_age = 1;
  sweep_run (world, &options);
  sweep_assert_went (entry);
}

static void
test_others_files (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *entry = sweep_entry (world, TH_FLAVOR_NORMAL, "a", 90 * SWEEP_DAY);
  ThSweepTally tally;

  if (geteuid () != 0)
    {
      g_test_skip ("only root can give files away");
      return;
    }
  g_assert_cmpint (chown (entry, 12345, (gid_t) -1), ==, 0);
  options.budget = (ThSweepBudget){ 0, 1 };
  tally = sweep_run (world, &options);
  sweep_assert_stays (entry);
  g_assert_cmpuint (tally.left.files, ==, 0);
}

static void
test_read_only (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *entry = sweep_entry (world, TH_FLAVOR_NORMAL, "a", 90 * SWEEP_DAY);
  g_autofree char *folder = g_path_get_dirname (entry);
  g_autoptr (GError) error = NULL;
  ThSweepTally tally;

  if (geteuid () == 0)
    {
      g_test_skip ("root may write everywhere");
      return;
    }
  options.budget.max_age = 1;
  g_assert_cmpint (g_chmod (folder, 0500), ==, 0);
  tally = sweep_run (world, &options);
  g_assert_cmpuint (tally.failed, ==, 1);
  g_assert_cmpuint (tally.verdicts[TH_SWEEP_UNUSED].files, ==, 0);
  g_assert_cmpint (g_chmod (th_cache_root (world->cache), 0500), ==, 0);
  g_assert_cmpint (th_sweep (world->cache, &options, &tally, &error), ==, TH_SWEEP_FAILED);
  g_assert_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED);
  g_assert_cmpint (g_chmod (th_cache_root (world->cache), 0700), ==, 0);
  g_assert_cmpint (g_chmod (folder, 0700), ==, 0);
  sweep_assert_stays (entry);
}

static void
test_one_at_a_time (World *world, gconstpointer unused)
{
  ThSweepOptions options = sweep_options ();
  g_autofree char *entry = sweep_entry (world, TH_FLAVOR_NORMAL, "a", 90 * SWEEP_DAY);
  int root = open (th_cache_root (world->cache), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ThSweepTally tally;

  options.budget.max_age = 1;
  g_assert_cmpint (flock (root, LOCK_EX), ==, 0);
  g_assert_cmpint (th_sweep (world->cache, &options, &tally, NULL), ==, TH_SWEEP_BUSY);
  sweep_assert_stays (entry);
  close (root);
  sweep_run (world, &options);
  sweep_assert_went (entry);
}

#define ADD(path, test)                                                                            \
  g_test_add ("/sweep/" path, World, NULL, world_set_up, test, world_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sweep/names", test_names);
  g_test_add_func ("/sweep/ranks", test_ranks);
  g_test_add_func ("/sweep/cut", test_cut);
  g_test_add_func ("/sweep/left-behind", test_left_behind);
  ADD ("no-cache", test_no_cache);
  ADD ("age", test_age);
  ADD ("asking-is-no-use", test_asking_is_no_use);
  ADD ("least-used-first", test_least_used_first);
  ADD ("all-alike", test_all_alike);
  ADD ("nameless-first", test_nameless_first);
  ADD ("damaged", test_damaged);
  ADD ("temporaries", test_temporaries);
  ADD ("markers", test_markers);
  ADD ("orphans", test_orphans);
  ADD ("symlinks", test_symlinks);
  ADD ("root-elsewhere", test_root_elsewhere);
  ADD ("others-files", test_others_files);
  ADD ("read-only", test_read_only);
  ADD ("one-at-a-time", test_one_at_a_time);
  return g_test_run ();
}

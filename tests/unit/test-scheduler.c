/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-scheduler.h"

static ThFileKey
key_of (guint file)
{
  return (ThFileKey){ .device = 1, .inode = file, .size = 10, .mtime = -5, .mtime_ns = 3 };
}

static gboolean
add (ThScheduler *scheduler, guint file, guint32 handle, guint32 index)
{
  ThFileKey key = key_of (file);
  ThWaiter waiter = { handle, index, TH_FLAVOR_NORMAL };

  return th_scheduler_add (scheduler, &key, &waiter);
}

/* A request for files first to last, which are their own indexes. */
static void
open_with (ThScheduler *scheduler, guint32 handle, ThClass klass, guint first, guint last)
{
  th_scheduler_open (scheduler, handle, klass);
  for (guint i = first; i <= last; i++)
    g_assert_true (add (scheduler, i, handle, i));
}

static guint
drop (ThScheduler *scheduler, guint32 handle)
{
  g_autoptr (GPtrArray) orphans = g_ptr_array_new ();

  th_scheduler_drop (scheduler, handle, orphans);
  return orphans->len;
}

/* Ends a running job; how many waited for it. */
static guint
end (ThScheduler *scheduler, ThFileJob *job, ThWaiter *first)
{
  g_autoptr (GArray) waiters = g_array_new (FALSE, TRUE, sizeof (ThWaiter));

  th_scheduler_collect (scheduler, job, waiters);
  g_assert_true (th_scheduler_finish (scheduler, job));
  if (first != NULL && waiters->len > 0)
    *first = g_array_index (waiters, ThWaiter, 0);
  return waiters->len;
}

/* Takes and ends one job that one waiter waits for; its index, 0 where there is none. */
static guint
next (ThScheduler *scheduler, ThClass klass)
{
  ThFileJob *job = th_scheduler_take (scheduler, klass);
  ThWaiter waiter = { 0 };

  if (job == NULL)
    return 0;
  g_assert_cmpuint (end (scheduler, job, &waiter), ==, 1);
  return waiter.index;
}

/* The newest request first, in its own order; each fourth time the oldest one. */
static void
test_foreground (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  static const guint expected[] = { 301, 302, 303, 101, 304, 305, 201, 102,
                                    202, 203, 204, 103, 205, 104, 105, 0 };

  open_with (scheduler, 1, TH_FOREGROUND, 101, 105);
  open_with (scheduler, 2, TH_FOREGROUND, 201, 205);
  open_with (scheduler, 3, TH_FOREGROUND, 301, 305);
  g_assert_cmpuint (th_scheduler_waiting (scheduler, TH_FOREGROUND), ==, 15);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpuint (next (scheduler, TH_FOREGROUND), ==, expected[i]);
}

static void
test_background (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();

  open_with (scheduler, 9, TH_BACKGROUND, 1, 50);
  open_with (scheduler, 4, TH_BACKGROUND, 51, 100);
  for (guint i = 1; i <= 100; i++)
    g_assert_cmpuint (next (scheduler, TH_BACKGROUND), ==, i);
  g_assert_cmpuint (next (scheduler, TH_BACKGROUND), ==, 0);
  g_assert_cmpuint (next (scheduler, TH_FOREGROUND), ==, 0);
}

/* Whatever comes anew, the oldest request gets its share. */
static void
test_no_starvation (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  guint served = 0;

  open_with (scheduler, 1, TH_FOREGROUND, 1, 10);
  for (guint32 i = 0; i < 10 * TH_OLDEST_SHARE; i++)
    {
      open_with (scheduler, 100 + i, TH_FOREGROUND, 1000 + 2 * i, 1001 + 2 * i);
      served += next (scheduler, TH_FOREGROUND) <= 10;
    }
  g_assert_cmpuint (served, ==, 10);
}

/* One job for all who want the file, whatever the flavor; those who come while it runs join where
 * their flavor is made. */
static void
test_same_file (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  ThFileKey key = key_of (7);
  ThWaiter large = { 2, 1, TH_FLAVOR_LARGE };
  ThWaiter normal = { 2, 2, TH_FLAVOR_NORMAL };
  ThFileJob *job, *other;

  open_with (scheduler, 1, TH_FOREGROUND, 7, 7);
  th_scheduler_open (scheduler, 2, TH_FOREGROUND);
  g_assert_false (add (scheduler, 7, 1, 8));
  job = th_scheduler_take (scheduler, TH_FOREGROUND);
  g_assert_cmpuint (th_file_job_flavors (job), ==, TH_FLAVOR_BIT (TH_FLAVOR_NORMAL));
  g_assert_false (th_scheduler_add (scheduler, &key, &normal));
  g_assert_true (th_scheduler_add (scheduler, &key, &large));
  other = th_scheduler_take (scheduler, TH_FOREGROUND);
  g_assert_cmpuint (th_file_job_flavors (other), ==, TH_FLAVOR_BIT (TH_FLAVOR_LARGE));
  g_assert_null (th_scheduler_take (scheduler, TH_FOREGROUND));
  g_assert_cmpuint (end (scheduler, job, NULL), ==, 3);
  g_assert_false (th_scheduler_add (scheduler, &key, &large));
  g_assert_cmpuint (end (scheduler, other, NULL), ==, 2);
  g_assert_true (th_scheduler_add (scheduler, &key, &large));
}

static void
test_flavors (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  ThFileKey key = key_of (7);
  ThFileJob *job;

  th_scheduler_open (scheduler, 1, TH_BACKGROUND);
  for (guint32 i = 0; i < TH_N_FLAVORS; i++)
    {
      ThWaiter waiter = { 1, i, (ThFlavor) i };

      g_assert_cmpint (th_scheduler_add (scheduler, &key, &waiter), ==, i == 0);
    }
  job = th_scheduler_take (scheduler, TH_BACKGROUND);
  g_assert_cmpuint (th_file_job_flavors (job), ==, (1u << TH_N_FLAVORS) - 1);
  g_assert_cmpuint (end (scheduler, job, NULL), ==, TH_N_FLAVORS);
}

/* Another state of a file is another file. */
static void
test_keys (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  ThFileKey keys[6];
  ThWaiter waiter = { 1, 0, TH_FLAVOR_NORMAL };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    keys[i] = key_of (1);
  keys[1].device++;
  keys[2].inode++;
  keys[3].size++;
  keys[4].mtime++;
  keys[5].mtime_ns++;
  th_scheduler_open (scheduler, 1, TH_FOREGROUND);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (th_scheduler_add (scheduler, &keys[i], &waiter));
  g_assert_cmpuint (th_scheduler_waiting (scheduler, TH_FOREGROUND), ==, G_N_ELEMENTS (keys));
}

/* A foreground waiter makes a waiting background job foreground's, and does not trust a running
 * one, which may be starved. */
static void
test_promotion (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  ThFileJob *job, *again;

  open_with (scheduler, 1, TH_BACKGROUND, 1, 3);
  th_scheduler_open (scheduler, 2, TH_FOREGROUND);
  g_assert_true (add (scheduler, 3, 2, 30));
  g_assert_cmpuint (th_scheduler_waiting (scheduler, TH_BACKGROUND), ==, 3);
  g_assert_cmpuint (th_scheduler_waiting (scheduler, TH_FOREGROUND), ==, 1);
  job = th_scheduler_take (scheduler, TH_FOREGROUND);
  g_assert_cmpuint (th_scheduler_waiting (scheduler, TH_BACKGROUND), ==, 2);
  /* The background joins the foreground. */
  g_assert_false (add (scheduler, 3, 1, 31));
  g_assert_cmpuint (end (scheduler, job, NULL), ==, 3);
  job = th_scheduler_take (scheduler, TH_BACKGROUND);
  g_assert_true (add (scheduler, 1, 2, 10));
  again = th_scheduler_take (scheduler, TH_FOREGROUND);
  g_assert_nonnull (again);
  g_assert_cmpuint (end (scheduler, job, NULL), ==, 1);
  g_assert_cmpuint (end (scheduler, again, NULL), ==, 1);
}

static void
test_drop (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  ThFileJob *job;
  ThWaiter waiter = { 0 };

  open_with (scheduler, 1, TH_FOREGROUND, 1, 5);
  th_scheduler_open (scheduler, 2, TH_FOREGROUND);
  add (scheduler, 5, 2, 50);
  job = th_scheduler_take (scheduler, TH_FOREGROUND);
  g_assert_cmpuint (drop (scheduler, 2), ==, 0);
  g_assert_cmpuint (end (scheduler, job, &waiter), ==, 1);
  g_assert_cmpuint (waiter.handle, ==, 1);
  job = th_scheduler_take (scheduler, TH_FOREGROUND);
  g_assert_cmpuint (drop (scheduler, 1), ==, 1);
  g_assert_cmpuint (drop (scheduler, 1), ==, 0);
  g_assert_cmpuint (th_scheduler_waiting (scheduler, TH_FOREGROUND), ==, 0);
  g_assert_null (th_scheduler_take (scheduler, TH_FOREGROUND));
  /* Nobody joins a job that nobody waits for: it may have been told to stop. */
  th_scheduler_open (scheduler, 3, TH_FOREGROUND);
  g_assert_true (add (scheduler, 1, 3, 1));
  g_assert_cmpuint (end (scheduler, job, NULL), ==, 0);
}

static void
test_put_back (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  g_autoptr (GArray) waiters = g_array_new (FALSE, FALSE, sizeof (ThWaiter));
  ThFileJob *job;

  open_with (scheduler, 1, TH_FOREGROUND, 1, 1);
  th_scheduler_open (scheduler, 2, TH_FOREGROUND);
  add (scheduler, 1, 2, 9);
  job = th_scheduler_take (scheduler, TH_FOREGROUND);
  th_scheduler_collect (scheduler, job, waiters);
  g_assert_cmpuint (waiters->len, ==, 2);
  g_assert_cmpuint (drop (scheduler, 1), ==, 0);
  for (guint i = 0; i < waiters->len; i++)
    th_scheduler_put_back (scheduler, job, &g_array_index (waiters, ThWaiter, i));
  g_assert_false (th_scheduler_finish (scheduler, job));
  g_assert_cmpuint (th_scheduler_narrow (scheduler, job), ==, 1);
  g_assert_cmpuint (end (scheduler, job, NULL), ==, 1);
}

/* Whoever joins while the waiters are in hand, and leaves again, does not take the job along. */
static void
test_in_hand (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  g_autoptr (GArray) waiters = g_array_new (FALSE, FALSE, sizeof (ThWaiter));
  ThFileJob *job;

  open_with (scheduler, 1, TH_FOREGROUND, 1, 1);
  job = th_scheduler_take (scheduler, TH_FOREGROUND);
  th_scheduler_collect (scheduler, job, waiters);
  th_scheduler_open (scheduler, 2, TH_FOREGROUND);
  g_assert_false (add (scheduler, 1, 2, 1));
  g_assert_cmpuint (drop (scheduler, 2), ==, 0);
  th_scheduler_put_back (scheduler, job, &g_array_index (waiters, ThWaiter, 0));
  g_assert_cmpuint (th_scheduler_narrow (scheduler, job), ==, 1);
  g_assert_cmpuint (drop (scheduler, 1), ==, 1);
  g_assert_cmpuint (end (scheduler, job, NULL), ==, 0);
}

/* A job that has another file open than the one of its key takes no more waiters for that. */
static void
test_seal (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  ThFileJob *sealed, *job;

  open_with (scheduler, 1, TH_FOREGROUND, 1, 1);
  sealed = th_scheduler_take (scheduler, TH_FOREGROUND);
  th_scheduler_seal (scheduler, sealed);
  th_scheduler_open (scheduler, 2, TH_FOREGROUND);
  g_assert_true (add (scheduler, 1, 2, 1));
  job = th_scheduler_take (scheduler, TH_FOREGROUND);
  g_assert_true (job != NULL && job != sealed);
  g_assert_cmpuint (end (scheduler, sealed, NULL), ==, 1);
  g_assert_cmpuint (end (scheduler, job, NULL), ==, 1);
}

/* A request of the background is behind what the foreground wants, where it was not before; a file
 * that both wait for stays in both. */
static void
test_demote (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  ThFileJob *running;

  open_with (scheduler, 1, TH_FOREGROUND, 101, 103);
  running = th_scheduler_take (scheduler, TH_FOREGROUND);
  th_scheduler_open (scheduler, 2, TH_FOREGROUND);
  add (scheduler, 103, 2, 203);
  th_scheduler_demote (scheduler, 1);
  th_scheduler_demote (scheduler, 1);
  th_scheduler_demote (scheduler, 77);
  g_assert_cmpuint (th_scheduler_waiting (scheduler, TH_FOREGROUND), ==, 1);
  g_assert_cmpuint (th_scheduler_waiting (scheduler, TH_BACKGROUND), ==, 2);
  g_assert_cmpuint (next (scheduler, TH_BACKGROUND), ==, 102);
  add (scheduler, 104, 1, 104);
  g_assert_cmpuint (th_scheduler_waiting (scheduler, TH_BACKGROUND), ==, 2);
  g_assert_cmpuint (drop (scheduler, 2), ==, 0);
  g_assert_cmpuint (next (scheduler, TH_FOREGROUND), ==, 0);
  g_assert_cmpuint (next (scheduler, TH_BACKGROUND), ==, 103);
  g_assert_cmpuint (next (scheduler, TH_BACKGROUND), ==, 104);
  g_assert_cmpuint (end (scheduler, running, NULL), ==, 1);
  g_assert_cmpuint (drop (scheduler, 1), ==, 0);
}

static gboolean
is_odd (const ThFileKey *key, const ThWaiter *waiter, gpointer data)
{
  guint *asked = data;

  (*asked)++;
  return key->inode % 2 == 1;
}

/* Running ones that match go, and only these. */
static void
test_pull_running (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  g_autoptr (GPtrArray) orphans = g_ptr_array_new ();
  g_autoptr (GArray) pulled = g_array_new (FALSE, FALSE, sizeof (ThPulled));
  ThFileJob *odd, *even;
  guint asked = 0;

  open_with (scheduler, 1, TH_FOREGROUND, 101, 106);
  odd = th_scheduler_take (scheduler, TH_FOREGROUND);
  even = th_scheduler_take (scheduler, TH_FOREGROUND);
  th_scheduler_pull_running (scheduler, is_odd, &asked, pulled, orphans);
  g_assert_cmpuint (asked, ==, 2);
  g_assert_cmpuint (pulled->len, ==, 1);
  g_assert_cmpuint (g_array_index (pulled, ThPulled, 0).waiter.index, ==, 101);
  g_assert_cmpuint (orphans->len, ==, 1);
  g_assert_true (orphans->pdata[0] == odd);
  g_assert_cmpuint (end (scheduler, odd, NULL), ==, 0);
  g_assert_cmpuint (end (scheduler, even, NULL), ==, 1);
}

/* So many more of request 1, from this one on. */
static void
expect_listed (ThScheduler *scheduler, gboolean anew, guint max, guint from, guint n)
{
  g_autoptr (GArray) listed = g_array_new (FALSE, FALSE, sizeof (ThPulled));

  th_scheduler_list (scheduler, 1, anew, max, listed);
  g_assert_cmpuint (listed->len, ==, n);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpuint (g_array_index (listed, ThPulled, i).waiter.index, ==, from + i);
      g_assert_cmpuint (g_array_index (listed, ThPulled, i).key.inode, ==, from + i);
    }
}

static gboolean
pull (ThScheduler *scheduler, guint32 index)
{
  ThPulled listed = { key_of (index), { 1, index, TH_FLAVOR_NORMAL } };

  return th_scheduler_pull (scheduler, &listed);
}

/* Those who wait are gone through piece by piece, whatever happens to them between. */
static void
test_list (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  ThFileJob *running;

  open_with (scheduler, 1, TH_FOREGROUND, 101, 109);
  open_with (scheduler, 2, TH_BACKGROUND, 201, 204);
  expect_listed (scheduler, TRUE, 2, 101, 2);
  expect_listed (scheduler, FALSE, 1, 103, 1);
  expect_listed (scheduler, TRUE, 1, 101, 1);
  /* Where it would go on vanishes, or runs. */
  g_assert_true (pull (scheduler, 102));
  g_assert_false (pull (scheduler, 102));
  g_assert_true (pull (scheduler, 101));
  running = th_scheduler_take (scheduler, TH_FOREGROUND);
  g_assert_false (pull (scheduler, 103));
  expect_listed (scheduler, FALSE, 3, 104, 3);
  expect_listed (scheduler, FALSE, 100, 107, 3);
  expect_listed (scheduler, FALSE, 100, 0, 0);
  g_assert_cmpuint (end (scheduler, running, NULL), ==, 1);
  g_assert_cmpuint (next (scheduler, TH_FOREGROUND), ==, 104);
  g_assert_cmpuint (next (scheduler, TH_BACKGROUND), ==, 201);
  g_assert_cmpuint (drop (scheduler, 1), ==, 0);
  expect_listed (scheduler, FALSE, 100, 0, 0);
  expect_listed (scheduler, TRUE, 100, 0, 0);
}

static void
add_sized (ThScheduler *scheduler, guint index, guint64 size)
{
  ThFileKey key = key_of (index);
  ThWaiter waiter = { 1, index, TH_FLAVOR_NORMAL };

  key.size = size;
  th_scheduler_add (scheduler, &key, &waiter);
}

/* Three large files, then nine small ones: these come first, and cost the large ones no more than
 * their own bytes. */
static void
test_sizes (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  static const guint expected[] = { 201, 101, 202, 203, 204, 205, 102, 206, 207, 208, 209, 103, 0 };

  th_scheduler_open (scheduler, 1, TH_FOREGROUND);
  for (guint i = 101; i <= 103; i++)
    add_sized (scheduler, i, 2 * TH_LARGE_FILE);
  for (guint i = 201; i <= 209; i++)
    add_sized (scheduler, i, TH_LARGE_FILE / 2);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmpuint (next (scheduler, TH_FOREGROUND), ==, expected[i]);
}

/* A thousand small files do not buy the next thousand large ones, which come later. */
static void
test_sizes_later (void)
{
  g_autoptr (ThScheduler) scheduler = th_scheduler_new ();
  guint small = 0;

  th_scheduler_open (scheduler, 1, TH_BACKGROUND);
  for (guint i = 1; i <= 1000; i++)
    add_sized (scheduler, i, 100000);
  for (guint i = 0; i < 900; i++)
    g_assert_cmpuint (next (scheduler, TH_BACKGROUND), >, 0);
  for (guint i = 2001; i <= 3000; i++)
    add_sized (scheduler, i, 10 * TH_LARGE_FILE);
  for (guint i = 0; i < 102; i++)
    small += next (scheduler, TH_BACKGROUND) <= 1000;
  g_assert_cmpuint (small, ==, 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scheduler/foreground", test_foreground);
  g_test_add_func ("/scheduler/background", test_background);
  g_test_add_func ("/scheduler/no-starvation", test_no_starvation);
  g_test_add_func ("/scheduler/same-file", test_same_file);
  g_test_add_func ("/scheduler/flavors", test_flavors);
  g_test_add_func ("/scheduler/keys", test_keys);
  g_test_add_func ("/scheduler/promotion", test_promotion);
  g_test_add_func ("/scheduler/drop", test_drop);
  g_test_add_func ("/scheduler/put-back", test_put_back);
  g_test_add_func ("/scheduler/in-hand", test_in_hand);
  g_test_add_func ("/scheduler/seal", test_seal);
  g_test_add_func ("/scheduler/demote", test_demote);
  g_test_add_func ("/scheduler/pull-running", test_pull_running);
  g_test_add_func ("/scheduler/list", test_list);
  g_test_add_func ("/scheduler/sizes", test_sizes);
  g_test_add_func ("/scheduler/sizes/later", test_sizes_later);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scheduler against a model that is too simple to be wrong: a list of waiters, searched from
 * end to end each time. */
#include "config.h"

#include "engine/th-scheduler.h"

#define OPERATIONS 20000u
#define FILES      12u
#define REQUESTS   6u
#define RUNNING    4u

static const guint64 sizes[] = { 0, 5000, 3 * TH_LARGE_FILE, TH_LARGE_FILE - 1, TH_LARGE_FILE };

typedef struct
{
  ThWaiter waiter;
  guint file;
  guint age; /* of the request */
  ThClass klass;
  ThFileJob *job; /* that runs, or NULL: waits */
} Entry;

typedef struct
{
  ThFileJob *job;
  guint file;
  ThClass klass;
  ThFlavors flavors;
} Run;

typedef struct
{
  ThScheduler *scheduler;
  GRand *rand;
  GArray *entries;          /* Entry, in the order of adding */
  GArray *runs;             /* Run, oldest first */
  guint ages[REQUESTS + 1]; /* by handle; 0: not open */
  ThClass classes[REQUESTS + 1];
  guint64 served[REQUESTS + 1][2]; /* bytes of small and of large files */
  guint last_age;
  guint32 last_index;
  guint64 owed; /* bytes */
} Model;

static Entry *
entry_at (Model *model, guint i)
{
  return &g_array_index (model->entries, Entry, i);
}

static Run *
run_at (Model *model, guint i)
{
  return &g_array_index (model->runs, Run, i);
}

static guint32
any_handle (Model *model)
{
  return (guint32) g_rand_int_range (model->rand, 1, REQUESTS + 1);
}

static void
do_open (Model *model)
{
  guint32 handle = any_handle (model);

  if (model->ages[handle] != 0)
    return;
  model->ages[handle] = ++model->last_age;
  model->served[handle][0] = model->served[handle][1] = 0;
  model->classes[handle] = g_rand_boolean (model->rand) ? TH_FOREGROUND : TH_BACKGROUND;
  th_scheduler_open (model->scheduler, handle, model->classes[handle]);
}

/* The latest of the running jobs that an entry may join. */
static ThFileJob *
joinable (Model *model, const Entry *entry)
{
  for (guint i = model->runs->len; i-- > 0;)
    {
      const Run *run = run_at (model, i);

      if (run->file == entry->file && run->klass <= entry->klass
          && (run->flavors & TH_FLAVOR_BIT (entry->waiter.flavor)) != 0)
        return run->job;
    }
  return NULL;
}

static guint64
size_of (guint file)
{
  return sizes[file % G_N_ELEMENTS (sizes)];
}

static gboolean
is_large (guint file)
{
  return size_of (file) >= TH_LARGE_FILE;
}

static gboolean
has_waiting (Model *model, guint32 handle, gboolean large)
{
  for (guint i = 0; i < model->entries->len; i++)
    if (entry_at (model, i)->waiter.handle == handle && entry_at (model, i)->job == NULL
        && is_large (entry_at (model, i)->file) == large)
      return TRUE;
  return FALSE;
}

static void
do_add (Model *model)
{
  guint32 handle = any_handle (model);
  guint file = (guint) g_rand_int_range (model->rand, 0, FILES);
  ThFileKey key = { .inode = file, .size = size_of (file) };
  Entry entry = { .waiter = { handle, ++model->last_index,
                              (ThFlavor) g_rand_int_range (model->rand, 0, TH_N_FLAVORS) },
                  .file = (guint) key.inode };

  if (model->ages[handle] == 0)
    return;
  entry.age = model->ages[handle];
  entry.klass = model->classes[handle];
  entry.job = joinable (model, &entry);
  if (entry.job == NULL && !has_waiting (model, handle, is_large (file)))
    model->served[handle][is_large (file)] =
        MAX (model->served[handle][0], model->served[handle][1]);
  g_array_append_val (model->entries, entry);
  th_scheduler_add (model->scheduler, &key, &entry.waiter);
}

static guint
waiters_of (Model *model, const ThFileJob *job)
{
  guint n = 0;

  for (guint i = 0; i < model->entries->len; i++)
    n += entry_at (model, i)->job == job;
  return n;
}

static void
do_drop (Model *model)
{
  guint32 handle = any_handle (model);
  g_autoptr (GPtrArray) orphans = g_ptr_array_new ();
  guint expected = 0;
  guint before[RUNNING];

  for (guint i = 0; i < model->runs->len; i++)
    before[i] = waiters_of (model, run_at (model, i)->job);
  for (guint i = model->entries->len; i-- > 0;)
    if (entry_at (model, i)->waiter.handle == handle)
      g_array_remove_index (model->entries, i);
  model->ages[handle] = 0;
  th_scheduler_drop (model->scheduler, handle, orphans);
  for (guint i = 0; i < model->runs->len; i++)
    if (before[i] > 0 && waiters_of (model, run_at (model, i)->job) == 0)
      {
        expected++;
        run_at (model, i)->flavors = 0;
        g_assert_true (g_ptr_array_find (orphans, run_at (model, i)->job, NULL));
      }
  g_assert_cmpuint (orphans->len, ==, expected);
}

/* The entry whose file is next, or NULL. */
static const Entry *
pick (Model *model, ThClass klass, gboolean oldest)
{
  const Entry *best = NULL;

  for (guint i = 0; i < model->entries->len; i++)
    {
      const Entry *entry = entry_at (model, i);

      if (entry->job != NULL || entry->klass != klass)
        continue;
      if (best == NULL || (oldest ? entry->age < best->age : entry->age > best->age))
        best = entry;
    }
  return best;
}

/* Of the request of the entry, the one whose turn it is. */
static const Entry *
pick_of_request (Model *model, const Entry *any)
{
  guint32 handle = any->waiter.handle;
  const guint64 *served = model->served[handle];
  gboolean large = !has_waiting (model, handle, FALSE)
                   || (has_waiting (model, handle, TRUE) && served[TRUE] < served[FALSE]);

  for (guint i = 0; i < model->entries->len; i++)
    {
      const Entry *entry = entry_at (model, i);

      if (entry->waiter.handle != handle || entry->job != NULL || is_large (entry->file) != large)
        continue;
      return entry;
    }
  g_assert_not_reached ();
}

static guint64
cost_of (const Entry *entry)
{
  guint64 size = size_of (entry->file);

  return MAX (size, TH_FILE_COST_MIN);
}

/* Whether it is the turn of the oldest request of the foreground, and not of the newest. */
static gboolean
is_owed (Model *model, const Entry *oldest, const Entry *newest)
{
  guint64 price = cost_of (pick_of_request (model, oldest)) * (TH_OLDEST_SHARE - 1);
  gboolean owed = model->owed >= price;

  if (oldest->waiter.handle == newest->waiter.handle)
    return FALSE;
  model->owed += owed ? -price : cost_of (pick_of_request (model, newest));
  return owed;
}

static void
do_take (Model *model)
{
  ThClass klass = g_rand_boolean (model->rand) ? TH_FOREGROUND : TH_BACKGROUND;
  const Entry *best;
  Run run = { .klass = klass };

  if (model->runs->len == RUNNING)
    return;
  best = pick (model, klass, TRUE);
  if (best != NULL && klass == TH_FOREGROUND && !is_owed (model, best, pick (model, klass, FALSE)))
    best = pick (model, klass, FALSE);
  run.job = th_scheduler_take (model->scheduler, klass);
  g_assert_cmpint (run.job == NULL, ==, best == NULL);
  if (best == NULL)
    return;
  best = pick_of_request (model, best);
  model->served[best->waiter.handle][is_large (best->file)] += cost_of (best);
  run.file = best->file;
  for (guint i = 0; i < model->entries->len; i++)
    {
      Entry *entry = entry_at (model, i);

      if (entry->file != run.file || entry->job != NULL)
        continue;
      entry->job = run.job;
      run.flavors |= TH_FLAVOR_BIT (entry->waiter.flavor);
    }
  g_assert_cmpuint (th_file_job_flavors (run.job), ==, run.flavors);
  g_array_append_val (model->runs, run);
}

static void
expect_waiter (Model *model, const ThFileJob *job, const ThWaiter *waiter)
{
  for (guint i = 0; i < model->entries->len; i++)
    if (entry_at (model, i)->waiter.index == waiter->index)
      {
        g_assert_true (entry_at (model, i)->job == job);
        g_assert_cmpuint (entry_at (model, i)->waiter.handle, ==, waiter->handle);
        g_array_remove_index (model->entries, i);
        return;
      }
  g_assert_not_reached ();
}

static void
do_finish (Model *model)
{
  g_autoptr (GArray) waiters = g_array_new (FALSE, FALSE, sizeof (ThWaiter));
  guint i;
  ThFileJob *job;

  if (model->runs->len == 0)
    return;
  i = (guint) g_rand_int_range (model->rand, 0, (gint32) model->runs->len);
  job = run_at (model, i)->job;
  if (waiters_of (model, job) > 0)
    g_assert_false (th_scheduler_finish (model->scheduler, job));
  th_scheduler_collect (model->scheduler, job, waiters);
  for (guint j = 0; j < waiters->len; j++)
    expect_waiter (model, job, &g_array_index (waiters, ThWaiter, j));
  g_assert_cmpuint (waiters_of (model, job), ==, 0);
  g_assert_true (th_scheduler_finish (model->scheduler, job));
  g_array_remove_index (model->runs, i);
}

/* Jobs that one of the class could take: files that an entry of it waits for. */
static guint
waiting (Model *model, ThClass klass)
{
  gboolean files[FILES] = { FALSE };
  guint n = 0;

  for (guint i = 0; i < model->entries->len; i++)
    if (entry_at (model, i)->job == NULL && entry_at (model, i)->klass == klass)
      files[entry_at (model, i)->file] = TRUE;
  for (guint i = 0; i < FILES; i++)
    n += files[i];
  return n;
}

typedef void (*Operation) (Model *model);

static const Operation operations[] = { do_open, do_add,  do_add,    do_add,    do_add,
                                        do_take, do_take, do_finish, do_finish, do_drop };

static void
test_model (gconstpointer data)
{
  Model model = { .scheduler = th_scheduler_new (),
                  .rand = g_rand_new_with_seed (GPOINTER_TO_UINT (data)),
                  .entries = g_array_new (FALSE, FALSE, sizeof (Entry)),
                  .runs = g_array_new (FALSE, FALSE, sizeof (Run)) };

  for (guint i = 0; i < OPERATIONS; i++)
    {
      operations[g_rand_int_range (model.rand, 0, G_N_ELEMENTS (operations))](&model);
      for (guint klass = 0; klass < TH_N_CLASSES; klass++)
        g_assert_cmpuint (th_scheduler_waiting (model.scheduler, (ThClass) klass), ==,
                          waiting (&model, (ThClass) klass));
    }
  th_scheduler_free (model.scheduler);
  g_rand_free (model.rand);
  g_array_unref (model.entries);
  g_array_unref (model.runs);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint seed = 1; seed <= 8; seed++)
    {
      g_autofree char *path = g_strdup_printf ("/scheduler-model/seed-%u", seed);

      g_test_add_data_func (path, GUINT_TO_POINTER (seed), test_model);
    }
  return g_test_run ();
}

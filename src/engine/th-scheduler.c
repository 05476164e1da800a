/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-scheduler-private.h"

#include <string.h>

static guint
key_hash (gconstpointer data)
{
  const ThFileKey *key = data;
  guint64 hash = key->inode * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  hash ^= (key->device + (guint64) key->mtime) * G_GUINT64_CONSTANT (0xc2b2ae3d27d4eb4f);
  hash ^= key->size + ((guint64) key->mtime_ns << 32);
  return (guint) (hash ^ (hash >> 32));
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const ThFileKey *x = a;
  const ThFileKey *y = b;

  return x->inode == y->inode && x->device == y->device && x->size == y->size
         && x->mtime == y->mtime && x->mtime_ns == y->mtime_ns;
}

static int
by_age (gconstpointer a, gconstpointer b, gpointer unused)
{
  const ThLine *x = a;
  const ThLine *y = b;

  return x->age < y->age ? -1 : x->age > y->age;
}

static void
line_free (gpointer data)
{
  g_free (data);
}

ThScheduler *
th_scheduler_new (void)
{
  ThScheduler *scheduler = g_new0 (ThScheduler, 1);

  scheduler->requests = g_hash_table_new_full (NULL, NULL, NULL, line_free);
  scheduler->waiting = g_hash_table_new (key_hash, key_equal);
  scheduler->running = g_hash_table_new (key_hash, key_equal);
  for (guint i = 0; i < TH_N_CLASSES; i++)
    scheduler->lines[i] = g_sequence_new (NULL);
  return scheduler;
}

void
th_scheduler_job_free (ThFileJob *job)
{
  GList *link;

  while ((link = g_queue_peek_head_link (&job->nodes)) != NULL)
    {
      g_queue_unlink (&job->nodes, link);
      g_free (link->data);
    }
  g_free (job);
}

static void
free_chain (gpointer key, gpointer value, gpointer unused)
{
  ThFileJob *job = value;

  while (job != NULL)
    {
      ThFileJob *next = job->next;

      th_scheduler_job_free (job);
      job = next;
    }
}

void
th_scheduler_free (ThScheduler *scheduler)
{
  g_hash_table_foreach (scheduler->waiting, free_chain, NULL);
  g_hash_table_foreach (scheduler->running, free_chain, NULL);
  g_hash_table_unref (scheduler->waiting);
  g_hash_table_unref (scheduler->running);
  for (guint i = 0; i < TH_N_CLASSES; i++)
    g_sequence_free (scheduler->lines[i]);
  g_hash_table_unref (scheduler->requests);
  g_free (scheduler);
}

void
th_scheduler_open (ThScheduler *scheduler, guint32 handle, ThClass klass)
{
  ThLine *line = g_new0 (ThLine, 1);

  line->handle = handle;
  line->klass = klass;
  line->age = ++scheduler->last_age;
  g_hash_table_insert (scheduler->requests, GUINT_TO_POINTER (handle), line);
}

ThSizeClass
th_scheduler_size_of (const ThFileJob *job)
{
  return job->key.size < TH_LARGE_FILE ? TH_SMALL : TH_LARGE;
}

static gboolean
is_empty (const ThLine *line)
{
  return line->waiting[TH_SMALL].head == NULL && line->waiting[TH_LARGE].head == NULL;
}

void
th_scheduler_enter_class (ThScheduler *scheduler, ThLine *line)
{
  if (line->place == NULL && !is_empty (line))
    line->place = g_sequence_insert_sorted (scheduler->lines[line->klass], line, by_age, NULL);
}

/* Who comes back has no claim to what the others got meanwhile. */
static void
line_push (ThScheduler *scheduler, ThLine *line, ThNode *node)
{
  ThSizeClass size = th_scheduler_size_of (node->job);
  guint64 others = line->served[size == TH_SMALL ? TH_LARGE : TH_SMALL];

  if (line->waiting[size].head == NULL)
    line->served[size] = MAX (line->served[size], others);
  g_queue_push_tail_link (&line->waiting[size], &node->in_line);
  th_scheduler_enter_class (scheduler, line);
}

static void
line_unlink (ThNode *node)
{
  ThLine *line = node->line;

  if (line->listed == &node->in_line)
    line->listed = node->in_line.next;
  g_queue_unlink (node->job->taken ? &line->running
                                   : &line->waiting[th_scheduler_size_of (node->job)],
                  &node->in_line);
  if (line->place != NULL && is_empty (line))
    {
      g_sequence_remove (line->place);
      line->place = NULL;
    }
}

void
th_scheduler_count_node (ThScheduler *scheduler, ThFileJob *job, ThClass klass, int change)
{
  guint before = job->waiting[klass];

  job->waiting[klass] = before + (guint) change;
  if (job->taken)
    return;
  if (before == 0)
    scheduler->jobs[klass]++;
  else if (job->waiting[klass] == 0)
    scheduler->jobs[klass]--;
}

static void
attach (ThScheduler *scheduler, ThFileJob *job, ThLine *line, const ThWaiter *waiter)
{
  ThNode *node = g_new0 (ThNode, 1);

  node->waiter = *waiter;
  node->job = job;
  node->line = line;
  node->in_job.data = node;
  node->in_line.data = node;
  g_queue_push_tail_link (&job->nodes, &node->in_job);
  if (job->taken)
    g_queue_push_tail_link (&line->running, &node->in_line);
  else
    line_push (scheduler, line, node);
  th_scheduler_count_node (scheduler, job, line->klass, 1);
}

void
th_scheduler_detach (ThScheduler *scheduler, ThNode *node)
{
  line_unlink (node);
  g_queue_unlink (&node->job->nodes, &node->in_job);
  th_scheduler_count_node (scheduler, node->job, node->line->klass, -1);
  g_free (node);
}

/* A background job is no help to a foreground waiter: it may be starved of CPU for long. */
static ThFileJob *
find_running (const ThScheduler *scheduler, const ThFileKey *key, ThFlavor flavor, ThClass klass)
{
  ThFileJob *job = g_hash_table_lookup (scheduler->running, key);

  for (; job != NULL; job = job->next)
    if (!job->sealed && (job->flavors & TH_FLAVOR_BIT (flavor)) != 0 && job->klass <= klass)
      return job;
  return NULL;
}

gboolean
th_scheduler_add (ThScheduler *scheduler, const ThFileKey *key, const ThWaiter *waiter)
{
  ThLine *line = g_hash_table_lookup (scheduler->requests, GUINT_TO_POINTER (waiter->handle));
  ThFileJob *job;
  guint before;

  g_return_val_if_fail (line != NULL, FALSE);
  before = scheduler->jobs[line->klass];
  job = find_running (scheduler, key, waiter->flavor, line->klass);
  if (job == NULL)
    job = g_hash_table_lookup (scheduler->waiting, key);
  if (job == NULL)
    {
      job = g_new0 (ThFileJob, 1);
      job->key = *key;
      g_hash_table_insert (scheduler->waiting, &job->key, job);
    }
  attach (scheduler, job, line, waiter);
  return scheduler->jobs[line->klass] > before;
}

static ThFlavors
wanted_flavors (const ThFileJob *job)
{
  ThFlavors flavors = 0;

  for (const GList *l = job->nodes.head; l != NULL; l = l->next)
    flavors |= TH_FLAVOR_BIT (((const ThNode *) l->data)->waiter.flavor);
  return flavors;
}

/* Takes the job out of all that leads to waiting ones. */
static void
start_job (ThScheduler *scheduler, ThFileJob *job, ThClass klass)
{
  g_hash_table_remove (scheduler->waiting, &job->key);
  for (guint i = 0; i < TH_N_CLASSES; i++)
    scheduler->jobs[i] -= job->waiting[i] > 0;
  for (GList *l = job->nodes.head; l != NULL; l = l->next)
    {
      ThNode *node = l->data;

      line_unlink (node);
      g_queue_push_tail_link (&node->line->running, &node->in_line);
    }
  job->taken = TRUE;
  job->klass = klass;
  job->flavors = wanted_flavors (job);
  job->next = g_hash_table_lookup (scheduler->running, &job->key);
  /* The key is the first job's own. */
  g_hash_table_replace (scheduler->running, &job->key, job);
}

static guint64
cost_of (const ThFileJob *job)
{
  return MAX (job->key.size, TH_FILE_COST_MIN);
}

/* Small files and large ones get the same share of bytes while both wait. */
static ThFileJob *
next_job (const ThLine *line)
{
  ThSizeClass size = TH_SMALL;

  if (line->waiting[TH_SMALL].head == NULL
      || (line->waiting[TH_LARGE].head != NULL && line->served[TH_LARGE] < line->served[TH_SMALL]))
    size = TH_LARGE;
  return ((const ThNode *) line->waiting[size].head->data)->job;
}

/* The newest request's, until the oldest is owed its share. */
static ThLine *
pick_foreground (ThScheduler *scheduler, ThLine *oldest, ThLine *newest)
{
  guint64 price = cost_of (next_job (oldest)) * (TH_OLDEST_SHARE - 1);

  if (oldest == newest)
    return newest;
  if (scheduler->owed >= price)
    {
      scheduler->owed -= price;
      return oldest;
    }
  scheduler->owed += cost_of (next_job (newest));
  return newest;
}

static ThLine *
pick_line (ThScheduler *scheduler, ThClass klass)
{
  GSequence *lines = scheduler->lines[klass];
  ThLine *oldest, *newest;

  if (g_sequence_is_empty (lines))
    return NULL;
  oldest = g_sequence_get (g_sequence_get_begin_iter (lines));
  newest = g_sequence_get (g_sequence_iter_prev (g_sequence_get_end_iter (lines)));
  return klass == TH_FOREGROUND ? pick_foreground (scheduler, oldest, newest) : oldest;
}

ThFileJob *
th_scheduler_take (ThScheduler *scheduler, ThClass klass)
{
  ThLine *line = pick_line (scheduler, klass);
  ThFileJob *job;

  if (line == NULL)
    return NULL;
  job = next_job (line);
  line->served[th_scheduler_size_of (job)] += cost_of (job);
  start_job (scheduler, job, klass);
  return job;
}

guint
th_scheduler_waiting (const ThScheduler *scheduler, ThClass klass)
{
  return scheduler->jobs[klass];
}

ThFlavors
th_file_job_flavors (const ThFileJob *job)
{
  return job->flavors;
}

const ThFileKey *
th_file_job_key (const ThFileJob *job)
{
  return &job->key;
}

void
th_file_job_set_data (ThFileJob *job, gpointer data)
{
  job->data = data;
}

gpointer
th_file_job_data (const ThFileJob *job)
{
  return job->data;
}

void
th_scheduler_collect (ThScheduler *scheduler, ThFileJob *job, GArray *out)
{
  ThNode *node;

  while ((node = g_queue_peek_head (&job->nodes)) != NULL)
    {
      g_array_append_val (out, node->waiter);
      th_scheduler_detach (scheduler, node);
      job->in_hand = TRUE;
    }
}

void
th_scheduler_put_back (ThScheduler *scheduler, ThFileJob *job, const ThWaiter *waiter)
{
  ThLine *line = g_hash_table_lookup (scheduler->requests, GUINT_TO_POINTER (waiter->handle));

  if (line != NULL)
    attach (scheduler, job, line, waiter);
}

ThFlavors
th_scheduler_narrow (ThScheduler *scheduler, ThFileJob *job)
{
  job->flavors = wanted_flavors (job);
  job->in_hand = FALSE;
  return job->flavors;
}

void
th_scheduler_seal (ThScheduler *scheduler, ThFileJob *job)
{
  job->sealed = TRUE;
}

static void
leave_running (ThScheduler *scheduler, ThFileJob *job)
{
  ThFileJob *first = g_hash_table_lookup (scheduler->running, &job->key);
  ThFileJob *before = first;

  if (first == job && job->next == NULL)
    {
      g_hash_table_remove (scheduler->running, &job->key);
      return;
    }
  if (first == job)
    {
      g_hash_table_replace (scheduler->running, &job->next->key, job->next);
      return;
    }
  while (before->next != job)
    before = before->next;
  before->next = job->next;
}

gboolean
th_scheduler_finish (ThScheduler *scheduler, ThFileJob *job)
{
  if (!g_queue_is_empty (&job->nodes))
    return FALSE;
  leave_running (scheduler, job);
  th_scheduler_job_free (job);
  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-scheduler.h"

#include <string.h>

typedef struct _Line Line;
typedef struct _Node Node;

/* A waiter stands in two lists: its job's, and, while that waits, its request's. */
struct _Node
{
  ThWaiter waiter;
  ThFileJob *job;
  Line *line;
  GList in_job;  /* data: this node */
  GList in_line; /* the same; also links the waiters of running jobs, for th_scheduler_drop */
};

/* The waiters of one request. */
struct _Line
{
  guint32 handle;
  ThClass klass;
  guint64 age;          /* counts up: a newer request has a larger one */
  GQueue waiting;       /* nodes of waiting jobs, in the order of adding */
  GQueue running;       /* nodes of running jobs */
  GSequenceIter *place; /* in the class's lines while waiting is not empty */
};

struct _ThFileJob
{
  ThFileKey key;
  GQueue nodes;
  guint waiting[TH_N_CLASSES]; /* nodes by the class of their request */
  gboolean taken;
  gboolean in_hand;  /* some were collected, and may be put back */
  gboolean sealed;   /* nobody joins */
  ThClass klass;     /* of whoever took it */
  ThFlavors flavors; /* that are made, once taken */
  ThFileJob *next;   /* another running job of the same key */
  gpointer data;
};

struct _ThScheduler
{
  GHashTable *requests;           /* handle → Line */
  GHashTable *waiting;            /* key → job that waits */
  GHashTable *running;            /* key → first of the running jobs */
  GSequence *lines[TH_N_CLASSES]; /* those with waiting nodes, oldest first */
  guint jobs[TH_N_CLASSES];       /* waiting jobs with at least one node of the class */
  guint64 last_age;
  guint picks; /* of the foreground */
};

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
  const Line *x = a;
  const Line *y = b;

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

static void
job_free (ThFileJob *job)
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

      job_free (job);
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
  Line *line = g_new0 (Line, 1);

  line->handle = handle;
  line->klass = klass;
  line->age = ++scheduler->last_age;
  g_hash_table_insert (scheduler->requests, GUINT_TO_POINTER (handle), line);
}

static void
line_push (ThScheduler *scheduler, Line *line, Node *node)
{
  g_queue_push_tail_link (&line->waiting, &node->in_line);
  if (line->place == NULL)
    line->place = g_sequence_insert_sorted (scheduler->lines[line->klass], line, by_age, NULL);
}

static void
line_unlink (Node *node)
{
  Line *line = node->line;

  g_queue_unlink (node->job->taken ? &line->running : &line->waiting, &node->in_line);
  if (line->place != NULL && g_queue_is_empty (&line->waiting))
    {
      g_sequence_remove (line->place);
      line->place = NULL;
    }
}

/* Keeps jobs[] true: a waiting job counts for each class that waits for it. */
static void
count_node (ThScheduler *scheduler, ThFileJob *job, ThClass klass, int change)
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
attach (ThScheduler *scheduler, ThFileJob *job, Line *line, const ThWaiter *waiter)
{
  Node *node = g_new0 (Node, 1);

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
  count_node (scheduler, job, line->klass, 1);
}

static void
detach (ThScheduler *scheduler, Node *node)
{
  line_unlink (node);
  g_queue_unlink (&node->job->nodes, &node->in_job);
  count_node (scheduler, node->job, node->line->klass, -1);
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
  Line *line = g_hash_table_lookup (scheduler->requests, GUINT_TO_POINTER (waiter->handle));
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

/* After a waiter was dropped: TRUE where the job is running without any. */
static gboolean
drop_node (ThScheduler *scheduler, Node *node)
{
  ThFileJob *job = node->job;

  detach (scheduler, node);
  if (!g_queue_is_empty (&job->nodes) || job->in_hand)
    return FALSE;
  if (job->taken)
    {
      job->flavors = 0;
      return TRUE;
    }
  g_hash_table_remove (scheduler->waiting, &job->key);
  job_free (job);
  return FALSE;
}

void
th_scheduler_drop (ThScheduler *scheduler, guint32 handle, GPtrArray *orphans)
{
  Line *line = g_hash_table_lookup (scheduler->requests, GUINT_TO_POINTER (handle));
  Node *node;

  if (line == NULL)
    return;
  while ((node = g_queue_peek_head (&line->waiting)) != NULL)
    drop_node (scheduler, node);
  while ((node = g_queue_peek_head (&line->running)) != NULL)
    {
      ThFileJob *job = node->job;

      if (drop_node (scheduler, node))
        g_ptr_array_add (orphans, job);
    }
  g_hash_table_remove (scheduler->requests, GUINT_TO_POINTER (handle));
}

/* What is wanted of th_scheduler_pull. */
typedef struct
{
  ThScheduler *scheduler;
  gboolean (*match) (const ThFileKey *key, const ThWaiter *waiter, gpointer data);
  gpointer data;
  GArray *out;
  GPtrArray *orphans;
} Pull;

static void
pull_from (Pull *pull, const GQueue *nodes)
{
  GList *next;

  for (GList *l = nodes->head; l != NULL; l = next)
    {
      Node *node = l->data;
      ThFileJob *job = node->job;
      ThPulled pulled = { job->key, node->waiter };

      next = l->next;
      if (!pull->match (&job->key, &node->waiter, pull->data))
        continue;
      g_array_append_val (pull->out, pulled);
      if (drop_node (pull->scheduler, node))
        g_ptr_array_add (pull->orphans, job);
    }
}

void
th_scheduler_pull (ThScheduler *scheduler,
                   gboolean (*match) (const ThFileKey *key, const ThWaiter *waiter, gpointer data),
                   gpointer data, GArray *out, GPtrArray *orphans)
{
  Pull pull = { scheduler, match, data, out, orphans };
  GHashTableIter iter;
  gpointer line;

  g_hash_table_iter_init (&iter, scheduler->requests);
  while (g_hash_table_iter_next (&iter, NULL, &line))
    {
      pull_from (&pull, &((Line *) line)->waiting);
      pull_from (&pull, &((Line *) line)->running);
    }
}

static Line *
pick_line (ThScheduler *scheduler, ThClass klass)
{
  GSequence *lines = scheduler->lines[klass];
  gboolean oldest = klass == TH_BACKGROUND;

  if (g_sequence_is_empty (lines))
    return NULL;
  if (klass == TH_FOREGROUND)
    oldest = ++scheduler->picks % TH_OLDEST_SHARE == 0;
  return g_sequence_get (oldest ? g_sequence_get_begin_iter (lines)
                                : g_sequence_iter_prev (g_sequence_get_end_iter (lines)));
}

static ThFlavors
wanted_flavors (const ThFileJob *job)
{
  ThFlavors flavors = 0;

  for (const GList *l = job->nodes.head; l != NULL; l = l->next)
    flavors |= TH_FLAVOR_BIT (((const Node *) l->data)->waiter.flavor);
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
      Node *node = l->data;

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

ThFileJob *
th_scheduler_take (ThScheduler *scheduler, ThClass klass)
{
  Line *line = pick_line (scheduler, klass);
  ThFileJob *job;

  if (line == NULL)
    return NULL;
  job = ((Node *) g_queue_peek_head (&line->waiting))->job;
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
  Node *node;

  while ((node = g_queue_peek_head (&job->nodes)) != NULL)
    {
      g_array_append_val (out, node->waiter);
      detach (scheduler, node);
      job->in_hand = TRUE;
    }
}

void
th_scheduler_put_back (ThScheduler *scheduler, ThFileJob *job, const ThWaiter *waiter)
{
  Line *line = g_hash_table_lookup (scheduler->requests, GUINT_TO_POINTER (waiter->handle));

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
  job_free (job);
  return TRUE;
}

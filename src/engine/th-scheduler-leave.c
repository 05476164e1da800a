/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests and waiters that leave, or lose their rank. */
#include "config.h"

#include "engine/th-scheduler-private.h"

/* After a waiter was dropped: TRUE where the job is running without any. */
static gboolean
drop_node (ThScheduler *scheduler, ThNode *node)
{
  ThFileJob *job = node->job;

  th_scheduler_detach (scheduler, node);
  if (!g_queue_is_empty (&job->nodes) || job->in_hand)
    return FALSE;
  if (job->taken)
    {
      job->flavors = 0;
      return TRUE;
    }
  g_hash_table_remove (scheduler->waiting, &job->key);
  th_scheduler_job_free (job);
  return FALSE;
}

void
th_scheduler_drop (ThScheduler *scheduler, guint32 handle, GPtrArray *orphans)
{
  ThLine *line = g_hash_table_lookup (scheduler->requests, GUINT_TO_POINTER (handle));
  ThNode *node;

  if (line == NULL)
    return;
  for (guint i = 0; i < TH_N_SIZES; i++)
    while ((node = g_queue_peek_head (&line->waiting[i])) != NULL)
      drop_node (scheduler, node);
  while ((node = g_queue_peek_head (&line->running)) != NULL)
    {
      ThFileJob *job = node->job;

      if (drop_node (scheduler, node))
        g_ptr_array_add (orphans, job);
    }
  g_hash_table_remove (scheduler->requests, GUINT_TO_POINTER (handle));
}

/* What is wanted of th_scheduler_pull_running. */
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
      ThNode *node = l->data;
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
th_scheduler_pull_running (ThScheduler *scheduler,
                           gboolean (*match) (const ThFileKey *key, const ThWaiter *waiter,
                                              gpointer data),
                           gpointer data, GArray *out, GPtrArray *orphans)
{
  Pull pull = { scheduler, match, data, out, orphans };
  GHashTableIter iter;
  gpointer line;

  g_hash_table_iter_init (&iter, scheduler->requests);
  while (g_hash_table_iter_next (&iter, NULL, &line))
    pull_from (&pull, &((ThLine *) line)->running);
}

/* FALSE where all were listed. */
static gboolean
list_on (ThLine *line)
{
  while (line->listed == NULL && line->listing + 1 < TH_N_SIZES)
    line->listed = line->waiting[++line->listing].head;
  return line->listed != NULL;
}

void
th_scheduler_list (ThScheduler *scheduler, guint32 handle, gboolean anew, guint max, GArray *out)
{
  ThLine *line = g_hash_table_lookup (scheduler->requests, GUINT_TO_POINTER (handle));

  if (line == NULL)
    return;
  if (anew)
    {
      line->listing = 0;
      line->listed = line->waiting[0].head;
    }
  for (; max > 0 && list_on (line); max--)
    {
      const ThNode *node = line->listed->data;
      ThPulled listed = { node->job->key, node->waiter };

      g_array_append_val (out, listed);
      line->listed = line->listed->next;
    }
}

static gboolean
is_waiter (const ThWaiter *a, const ThWaiter *b)
{
  return a->handle == b->handle && a->index == b->index && a->flavor == b->flavor;
}

gboolean
th_scheduler_pull (ThScheduler *scheduler, const ThPulled *listed)
{
  const ThFileJob *job = g_hash_table_lookup (scheduler->waiting, &listed->key);
  GList *l = job != NULL ? job->nodes.head : NULL;

  while (l != NULL && !is_waiter (&((ThNode *) l->data)->waiter, &listed->waiter))
    l = l->next;
  if (l != NULL)
    drop_node (scheduler, l->data);
  return l != NULL;
}

void
th_scheduler_demote (ThScheduler *scheduler, guint32 handle)
{
  ThLine *line = g_hash_table_lookup (scheduler->requests, GUINT_TO_POINTER (handle));
  const GQueue *queues[] = { NULL, NULL, NULL };

  if (line == NULL || line->klass == TH_BACKGROUND)
    return;
  queues[0] = &line->waiting[TH_SMALL];
  queues[1] = &line->waiting[TH_LARGE];
  queues[2] = &line->running;
  g_clear_pointer (&line->place, g_sequence_remove);
  for (guint i = 0; i < G_N_ELEMENTS (queues); i++)
    for (const GList *l = queues[i]->head; l != NULL; l = l->next)
      {
        ThFileJob *job = ((const ThNode *) l->data)->job;

        th_scheduler_count_node (scheduler, job, line->klass, -1);
        th_scheduler_count_node (scheduler, job, TH_BACKGROUND, 1);
      }
  line->klass = TH_BACKGROUND;
  th_scheduler_enter_class (scheduler, line);
}

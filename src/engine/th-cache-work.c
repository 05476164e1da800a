/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-cache-work.h"

#include "cache/th-follow.h"
#include "cache/th-forget.h"
#include "engine/th-check.h"

typedef struct
{
  ThCacheTask task; /* with strings of its own */
  ThEngineDone done;
  gpointer data;
  gboolean complete;
} Item;

struct _ThCacheWork
{
  const ThCache *cache;
  const ThRules *rules;
  GThreadPool *thread;
  GSource *source;
  gint stop;

  GMutex lock;
  GQueue told; /* Item; what is to be told */
};

typedef struct
{
  GSource source;
  ThCacheWork *work;
} ToldSource;

static char **
copy_strings (const char *const *strings, guint n)
{
  char **copy = g_new0 (char *, (gsize) n + 1);

  for (guint i = 0; i < n; i++)
    copy[i] = g_strdup (strings[i]);
  return copy;
}

static void
item_free (Item *item)
{
  g_strfreev ((char **) item->task.uris);
  g_strfreev ((char **) item->task.to);
  g_free (item);
}

static gboolean
is_allowed (const char *path, guint64 size, gpointer data)
{
  const ThCacheWork *work = data;
  g_autofree char *why = th_check_codec (work->rules, path, NULL, size, "");

  return why == NULL;
}

static void
follow (ThCacheWork *work, const ThCacheTask *task)
{
  const ThFollowOptions options = {
    .kind = task->kind == TH_CACHE_WORK_MOVE ? TH_FOLLOW_MOVE : TH_FOLLOW_COPY,
    .allowed = work->rules != NULL ? is_allowed : NULL,
    .data = work,
    .stop = &work->stop,
  };

  th_follow (work->cache, &options, task->uris, task->to, task->n);
}

static void delete (ThCacheWork *work, const ThCacheTask *task)
{
  th_forget_uris (work->cache, task->uris, task->n, &work->stop);
}

static void
clean_up (ThCacheWork *work, const ThCacheTask *task)
{
  if (task->since == 0)
    th_forget_below (work->cache, task->uris, task->n, &work->stop);
  else
    th_forget_older (work->cache, task->uris, task->n, task->since, &work->stop);
}

static void (*const operations[TH_N_CACHE_WORKS]) (ThCacheWork *work, const ThCacheTask *task) = {
  [TH_CACHE_WORK_MOVE] = follow,
  [TH_CACHE_WORK_COPY] = follow,
  [TH_CACHE_WORK_DELETE] = delete,
  [TH_CACHE_WORK_CLEANUP] = clean_up,
};

static void
run (gpointer pushed, gpointer data)
{
  ThCacheWork *work = data;
  Item *item = pushed;

  if (!g_atomic_int_get (&work->stop))
    operations[item->task.kind](work, &item->task);
  item->complete = !g_atomic_int_get (&work->stop);
  g_mutex_lock (&work->lock);
  g_queue_push_tail (&work->told, item);
  g_source_set_ready_time (work->source, 0);
  g_mutex_unlock (&work->lock);
}

static void
tell (Item *item)
{
  item->done (item->complete, item->data);
  item_free (item);
}

/* One a turn: the work may be gone once it has been told. */
static gboolean
dispatch (GSource *source, GSourceFunc unused, gpointer unused_data)
{
  ThCacheWork *work = ((ToldSource *) source)->work;
  Item *item;

  g_mutex_lock (&work->lock);
  item = g_queue_pop_head (&work->told);
  g_source_set_ready_time (source, g_queue_is_empty (&work->told) ? -1 : 0);
  g_mutex_unlock (&work->lock);
  if (item != NULL)
    tell (item);
  return G_SOURCE_CONTINUE;
}

static const GSourceFuncs functions = { .dispatch = dispatch };

ThCacheWork *
th_cache_work_new (const ThCache *cache, const ThRules *rules, GError **error)
{
  ThCacheWork *work = g_new0 (ThCacheWork, 1);
  g_autoptr (GError) local = NULL;

  work->cache = cache;
  work->rules = rules;
  g_mutex_init (&work->lock);
  work->source = g_source_new ((GSourceFuncs *) &functions, sizeof (ToldSource));
  ((ToldSource *) work->source)->work = work;
  g_source_set_static_name (work->source, "thimble cache work");
  g_source_attach (work->source, g_main_context_get_thread_default ());
  work->thread = g_thread_pool_new (run, work, 1, TRUE, &local);
  if (local == NULL)
    return work;
  g_propagate_error (error, g_steal_pointer (&local));
  th_cache_work_free (work);
  return NULL;
}

void
th_cache_work_free (ThCacheWork *work)
{
  Item *item;

  g_atomic_int_set (&work->stop, 1);
  g_thread_pool_free (work->thread, FALSE, TRUE);
  g_source_destroy (work->source);
  while ((item = g_queue_pop_head (&work->told)) != NULL)
    tell (item);
  g_source_unref (work->source);
  g_mutex_clear (&work->lock);
  g_free (work);
}

void
th_cache_work_push (ThCacheWork *work, const ThCacheTask *task, ThEngineDone done, gpointer data)
{
  Item *item = g_new0 (Item, 1);

  item->task = *task;
  item->task.uris = (const char *const *) copy_strings (task->uris, task->n);
  item->task.to = task->to != NULL ? (const char *const *) copy_strings (task->to, task->n) : NULL;
  item->done = done;
  item->data = data;
  g_thread_pool_push (work->thread, item, NULL);
}

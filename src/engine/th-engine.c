/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-engine.h"

#include <unistd.h>

#include "base/th-cores.h"
#include "base/th-paths.h"
#include "engine/th-deliver.h"
#include "engine/th-engine-private.h"

#define SOFTWARE "thimble " TH_VERSION
/* URIs of the cheap pass that are looked at in one go, so that many requests share the threads. */
#define CHUNK 64u
/* Threads for the cheap pass. */
#define MIN_WALKERS 2u
#define MAX_WALKERS 4u
/* A mount or host that did not answer is left alone for so long. */
#define SILENCE (30 * G_USEC_PER_SEC)
/* Memory that copies of files of other machines may take together. */
#define COPY_BYTES (512u * 1024u * 1024u)
/* With so many events waiting the cheap pass pauses, or a request of missing files would pile up
 * as many messages. */
#define MANY_EVENTS 2048u

void
th_engine_settle (ThEngine *engine, ThRequest *request, guint32 index, gint32 code, char *message)
{
  th_motion_forget (engine->motion, &(ThWaiter){ .handle = request->handle, .index = index });
  th_outbox_settle (engine->outbox, request, index, code, message, g_get_monotonic_time ());
}

void
th_engine_apply (ThEngine *engine, ThRequest *request, guint32 index, ThFlavor flavor,
                 ThCheck *check)
{
  ThWaiter waiter = { request->handle, index, flavor };

  if (th_engine_has_left (engine, request, index, &check->key))
    {
      th_check_clear (check);
      return;
    }
  if (check->verdict == TH_CHECK_ERROR)
    th_engine_settle (engine, request, index, (gint32) check->code,
                      g_steal_pointer (&check->message));
  else if (check->verdict == TH_CHECK_VALID && !request->dequeued)
    th_outbox_valid (engine->outbox, request, index);
  else if (!request->dequeued && !th_lanes_add (&engine->lanes, check, &waiter))
    th_engine_settle (engine, request, index, TH_ERROR_OTHER,
                      g_strdup ("no thread can be started"));
  th_check_clear (check);
}

void
th_engine_start_decoders (ThEngine *engine)
{
  th_lanes_wake (&engine->lanes);
}

void
th_engine_drop (ThEngine *engine, guint32 handle)
{
  th_lanes_drop (&engine->lanes, handle);
  th_motion_drop (engine->motion, handle);
}

gboolean
th_engine_start_pool (GThreadPool **pool, GFunc function, gpointer data, guint threads,
                      GError **error)
{
  g_autoptr (GError) local = NULL;

  *pool = g_thread_pool_new (function, data, (gint) threads, TRUE, &local);
  if (g_thread_pool_get_num_threads (*pool) > 0)
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "no thread can be started: %s",
               local != NULL ? local->message : "no reason given");
  return FALSE;
}

/* FALSE: nothing is left for this walker. */
static gboolean
take_chunk (ThEngine *engine, ThRequest *request, guint32 *from, guint32 *to)
{
  gboolean any;

  g_mutex_lock (&engine->lock);
  any = !engine->closing && !request->dequeued && request->next < request->n_items;
  if (any)
    {
      *from = request->next;
      *to = MIN (request->next + CHUNK, request->n_items);
      request->next = *to;
    }
  g_mutex_unlock (&engine->lock);
  return any;
}

static void
check_chunk (ThEngine *engine, ThRequest *request, guint32 from, guint32 to)
{
  g_auto (ThChecker) checker = { .tools = &engine->check_tools };
  ThCheck checks[CHUNK];

  for (guint32 i = from; i < to; i++)
    th_check (&checker, request->items[i].uri, request->items[i].mime_type, request->flavor,
              &checks[i - from]);
  g_mutex_lock (&engine->lock);
  for (guint32 i = from; i < to; i++)
    {
      engine->counters.hits += checks[i - from].verdict == TH_CHECK_VALID;
      engine->counters.misses += checks[i - from].verdict == TH_CHECK_MAKE;
      th_engine_apply (engine, request, i, request->flavor, &checks[i - from]);
    }
  g_mutex_unlock (&engine->lock);
}

/* Under the lock. The walker goes on later, waits for the outbox, or was the last of its request.
 */
static void
end_turn (ThEngine *engine, ThRequest *request)
{
  if (!request->dequeued && !engine->closing && request->next < request->n_items)
    {
      if (th_outbox_length (engine->outbox) >= MANY_EVENTS)
        g_queue_push_tail (&engine->parked, request);
      else
        g_thread_pool_push (engine->walkers, request, NULL);
      return;
    }
  if (--request->walkers == 0)
    th_outbox_checked (engine->outbox, request, g_get_monotonic_time ());
  th_request_unref (request);
}

/* More threads than one where there is enough to do, once there are URIs and the repeated ones are
 * known. */
static void
prepare (ThEngine *engine, ThRequest *request)
{
  guint chunks = (request->n_items + CHUNK - 1) / CHUNK;
  guint walkers = MIN (chunks, engine->n_walkers);

  th_request_fill (request);
  th_request_rank (request);
  g_mutex_lock (&engine->lock);
  for (; request->walkers < walkers && !engine->closing; request->walkers++)
    g_thread_pool_push (engine->walkers, th_request_ref (request), NULL);
  g_mutex_unlock (&engine->lock);
}

/* The first turn of a request is alone with it. */
static gboolean
is_first_turn (ThEngine *engine, const ThRequest *request)
{
  gboolean first;

  g_mutex_lock (&engine->lock);
  first = !request->ranked;
  g_mutex_unlock (&engine->lock);
  return first;
}

/* One turn of the cheap pass. */
static void
walk (gpointer item, gpointer data)
{
  ThEngine *engine = data;
  ThRequest *request = item;
  guint32 from, to;

  if (is_first_turn (engine, request))
    prepare (engine, request);
  if (take_chunk (engine, request, &from, &to))
    check_chunk (engine, request, from, to);
  g_mutex_lock (&engine->lock);
  end_turn (engine, request);
  th_engine_start_decoders (engine);
  th_engine_wake (engine);
  g_mutex_unlock (&engine->lock);
}

static int
foreground_first (gconstpointer a, gconstpointer b, gpointer unused)
{
  const ThRequest *x = a;
  const ThRequest *y = b;

  return (int) x->klass - (int) y->klass;
}

/* All pools are there afterwards, also where one has no thread. */
static gboolean
start_threads (ThEngine *engine, GError **error)
{
  gboolean started;

  engine->n_walkers = CLAMP (engine->options.cores, MIN_WALKERS, MAX_WALKERS);
  started = th_engine_start_pool (&engine->walkers, walk, engine, engine->n_walkers, error);
  g_thread_pool_set_sort_function (engine->walkers, foreground_first, NULL);
  started &= th_lanes_start (&engine->lanes, started ? error : NULL);
  engine->cache_work =
      th_cache_work_new (engine->cache, engine->options.rules,
                         &(ThLookout){ engine->mounts, engine->readers, engine->silence },
                         engine->options.keep_encrypted, started ? error : NULL);
  engine->questions = th_errands_new ("thimble questions", started ? error : NULL);
  return started && engine->cache_work != NULL && engine->questions != NULL;
}

static void
make_parts (ThEngine *engine)
{
  ThPoolOptions pool = {
    .worker_path = engine->options.worker_path,
    .module_dir = engine->options.module_dir,
    .limits = engine->options.limits,
    .worker_files = engine->options.worker_files,
    .worker_idle_ms = engine->options.worker_idle_ms,
    .max_idle = 2 * engine->options.cores,
  };

  engine->cache = th_cache_new (engine->options.cache_root, SOFTWARE);
  engine->pool = th_pool_new (&pool);
  engine->admission = th_admission_new (engine->options.limits.budget_bytes);
  engine->mounts = th_mounts_new (NULL, th_cache_root (engine->cache));
  engine->readers = th_readers_new (&engine->options.readers);
  engine->specialists = th_specialists_new ((const char *const *) engine->options.external.folders);
  engine->silence = th_silence_new (SILENCE);
  engine->copies = th_admission_new (COPY_BYTES);
  engine->tools = (ThJobTools){ engine->cache,  engine->pool,    engine->admission,
                                engine->copies, engine->readers, engine->external };
  engine->handler = th_check_handler (engine->options.worker_path);
  engine->check_tools = (ThCheckTools){
    .cache = engine->cache,
    .mime = engine->mime,
    .rules = engine->options.rules,
    .mounts = engine->mounts,
    .fetch_cloud = engine->options.fetch_cloud,
    .keep_encrypted = engine->options.keep_encrypted,
    .basis = { engine->handler, &engine->options.limits },
    .module_dir = engine->options.module_dir,
    .entries = th_external_entries (engine->external),
    .specialists = engine->specialists,
  };
  g_mutex_init (&engine->lock);
  th_lanes_init (&engine->lanes, engine);
  engine->outbox = th_outbox_new ();
  engine->motion = th_motion_new ((gint64) engine->options.quiet_ms * 1000,
                                  (gint64) engine->options.hold_ms * 1000);
  engine->requests = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) th_request_unref);
}

ThEngine *
th_engine_new (const ThEngineOptions *options, const ThEngineEvents *events, gpointer data,
               GError **error)
{
  ThEngine *engine = g_new0 (ThEngine, 1);

  engine->began_at = g_get_monotonic_time ();
  th_engine_options_copy (&engine->options, options);
  engine->external = th_external_new (&engine->options.external);
  engine->mime =
      th_mime_new (engine->options.manifest_dir, th_external_entries (engine->external), error);
  if (engine->mime == NULL)
    {
      th_external_free (engine->external);
      th_engine_options_clear (&engine->options);
      g_free (engine);
      return NULL;
    }
  engine->events = *events;
  engine->data = data;
  make_parts (engine);
  engine->source = th_deliver_source_new (engine);
  if (start_threads (engine, error))
    return engine;
  th_engine_free (engine);
  return NULL;
}

/* Makes everybody who works for the engine stop soon, and waits for them. */
static void
stop_threads (ThEngine *engine)
{
  g_mutex_lock (&engine->lock);
  engine->closing = TRUE;
  g_mutex_unlock (&engine->lock);
  th_admission_close (engine->admission);
  th_admission_close (engine->copies);
  th_external_close (engine->external);
  th_pool_close (engine->pool);
  g_thread_pool_free (engine->walkers, FALSE, TRUE);
  th_lanes_stop (&engine->lanes);
}

void
th_engine_free (ThEngine *engine)
{
  g_source_destroy (engine->source);
  /* Nobody waits for what may not answer any more. */
  th_readers_close (engine->readers);
  g_clear_pointer (&engine->cache_work, th_cache_work_free);
  g_clear_pointer (&engine->questions, th_errands_free);
  g_clear_pointer (&engine->leaves, th_errands_free);
  stop_threads (engine);
  g_source_unref (engine->source);
  g_queue_clear_full (&engine->parked, (GDestroyNotify) th_request_unref);
  th_lanes_clear (&engine->lanes);
  th_outbox_free (engine->outbox);
  th_motion_free (engine->motion);
  g_hash_table_unref (engine->requests);
  th_pool_free (engine->pool);
  th_admission_free (engine->admission);
  th_admission_free (engine->copies);
  th_readers_free (engine->readers);
  th_silence_free (engine->silence);
  th_mounts_free (engine->mounts);
  th_specialists_free (engine->specialists);
  th_cache_free (engine->cache);
  th_mime_free (engine->mime);
  th_external_free (engine->external);
  g_free (engine->handler);
  g_strfreev (engine->far_schemes);
  g_mutex_clear (&engine->lock);
  th_engine_options_clear (&engine->options);
  g_free (engine);
}

/* Under the lock: 1 and up, and none that is still in use. */
static guint32
next_handle (ThEngine *engine)
{
  do
    engine->last_handle++;
  while (engine->last_handle == 0
         || g_hash_table_contains (engine->requests, GUINT_TO_POINTER (engine->last_handle)));
  return engine->last_handle;
}

/* Under the lock. What is refused was never queued, but for telling so. */
static gboolean
has_room (const ThEngine *engine, const ThRequest *request)
{
  const ThEngineOptions *options = &engine->options;

  return engine->queued + request->n_items <= options->max_queued
         && engine->queued_bytes + request->text_bytes <= options->max_queued_bytes;
}

/* Under the lock. */
static void
begin (ThEngine *engine, ThRequest *request)
{
  gboolean room = has_room (engine, request);

  engine->queued += request->n_items;
  engine->queued_bytes += request->text_bytes;
  g_hash_table_insert (engine->requests, GUINT_TO_POINTER (request->handle), request);
  th_outbox_start (engine->outbox, request);
  if (request->finished)
    return;
  if (!room)
    {
      th_outbox_refuse (engine->outbox, request, TH_ERROR_OTHER,
                        "too many files are queued already");
      return;
    }
  th_lanes_open (&engine->lanes, request->handle, request->klass);
  request->walkers = 1;
  g_thread_pool_push (engine->walkers, th_request_ref (request), NULL);
}

static guint32
queue (ThEngine *engine, ThRequest *request)
{
  guint32 handle;

  g_mutex_lock (&engine->lock);
  handle = request->handle = next_handle (engine);
  begin (engine, request);
  th_engine_wake (engine);
  g_mutex_unlock (&engine->lock);
  return handle;
}

guint32
th_engine_queue (ThEngine *engine, const char *const *uris, const char *const *mime_types,
                 guint n_uris, const char *flavor, ThClass klass)
{
  return queue (engine, th_request_new (uris, mime_types, n_uris, flavor, klass));
}

guint32
th_engine_queue_variants (ThEngine *engine, GVariant *uris, GVariant *mime_types,
                          const char *flavor, ThClass klass)
{
  return queue (engine, th_request_new_later (uris, mime_types, flavor, klass));
}

/* Under the lock. */
static void
dequeue (ThEngine *engine, ThRequest *request)
{
  th_outbox_dequeue (engine->outbox, request);
  th_engine_drop (engine, request->handle);
  th_engine_wake (engine);
}

void
th_engine_dequeue (ThEngine *engine, guint32 handle)
{
  ThRequest *request;

  g_mutex_lock (&engine->lock);
  request = g_hash_table_lookup (engine->requests, GUINT_TO_POINTER (handle));
  if (request != NULL)
    dequeue (engine, request);
  g_mutex_unlock (&engine->lock);
}

/* Under the lock. URIs that nobody hears of. */
static guint64
count_orphaned (ThEngine *engine)
{
  GHashTableIter iter;
  gpointer value;
  guint64 n = 0;

  g_hash_table_iter_init (&iter, engine->requests);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const ThRequest *request = value;

      n += request->orphaned && !request->finished ? request->unsettled : 0;
    }
  return n;
}

void
th_engine_orphan (ThEngine *engine, guint32 handle)
{
  ThRequest *request;

  g_mutex_lock (&engine->lock);
  request = g_hash_table_lookup (engine->requests, GUINT_TO_POINTER (handle));
  if (request != NULL && !request->finished)
    {
      request->orphaned = TRUE;
      request->klass = TH_BACKGROUND;
      th_lanes_demote (&engine->lanes, handle);
      if (count_orphaned (engine) > engine->options.max_orphaned)
        dequeue (engine, request);
      th_engine_start_decoders (engine);
    }
  g_mutex_unlock (&engine->lock);
}

guint
th_engine_pending (const ThEngine *engine)
{
  GMutex *lock = (GMutex *) &engine->lock;
  guint pending;

  g_mutex_lock (lock);
  pending = g_hash_table_size (engine->requests);
  g_mutex_unlock (lock);
  return pending;
}

char *
th_engine_trouble (const ThEngine *engine)
{
  char *trouble = th_pool_trouble (engine->pool);

  if (trouble == NULL && access (engine->options.worker_path, X_OK) != 0)
    trouble = g_strdup_printf ("the decoder %s is not installed", engine->options.worker_path);
  return trouble;
}

char *
th_engine_external_trouble (const ThEngine *engine)
{
  return th_external_trouble (engine->external);
}

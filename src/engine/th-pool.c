/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-pool.h"

#include "engine/th-pool-private.h"

/* A worker that was asked to end is killed after this. */
#define END_PATIENCE (1 * G_USEC_PER_SEC)
/* How often tending looks for the ended ones, and for idle ones that somebody killed. */
#define REAP_INTERVAL (20 * 1000)
#define LOOK_INTERVAL (1 * G_USEC_PER_SEC)
/* How long th_pool_free waits for the processes to end. */
#define FREE_PATIENCE (2 * G_USEC_PER_SEC)

/* What a worker may do after it, by how its last job ended: a decoder that met a damaged picture
 * may be damaged itself. */
static const gboolean reusable[TH_N_STATUSES] = {
  [TH_STATUS_OK] = TRUE,        [TH_STATUS_PARTIAL] = TRUE,    [TH_STATUS_NOT_MINE] = TRUE,
  [TH_STATUS_TOO_LARGE] = TRUE, [TH_STATUS_NO_CONTENT] = TRUE, [TH_STATUS_CANCELLED] = TRUE,
  [TH_STATUS_IO] = TRUE,
};

ThPool *
th_pool_new (const ThPoolOptions *options)
{
  ThPool *pool = g_new0 (ThPool, 1);

  g_mutex_init (&pool->lock);
  pool->options = *options;
  th_pool_kinds_init (pool);
  return pool;
}

/* Under the lock, as are the next two. */
void
th_pool_bury (ThPool *pool, ThPoolWorker *worker, gboolean kill_it)
{
  th_process_hang_up (&worker->process);
  th_result_room_clear (&worker->room);
  if (kill_it)
    th_process_kill (&worker->process);
  worker->since = kill_it ? 0 : g_get_monotonic_time () + END_PATIENCE;
  g_queue_push_tail (&pool->ended, worker);
}

static void
reap (ThPool *pool)
{
  gint64 now = g_get_monotonic_time ();
  GList *next;

  for (GList *l = pool->ended.head; l != NULL; l = next)
    {
      ThPoolWorker *worker = l->data;

      next = l->next;
      if (th_process_reap (&worker->process))
        {
          g_queue_delete_link (&pool->ended, l);
          g_free (worker);
        }
      else if (worker->since != 0 && worker->since <= now)
        {
          th_process_kill (&worker->process);
          worker->since = 0;
        }
    }
}

static void
end_idle (ThPool *pool, GQueue *idle, gint64 before)
{
  GList *next;

  for (GList *l = idle->head; l != NULL; l = next)
    {
      ThPoolWorker *worker = l->data;

      next = l->next;
      if (worker->since > before && th_exchange_is_idle (worker->process.socket))
        continue;
      g_queue_delete_link (idle, l);
      th_pool_bury (pool, worker, FALSE);
    }
}

gint64
th_pool_tend (ThPool *pool)
{
  gint64 now = g_get_monotonic_time ();
  gint64 again = 0;

  g_mutex_lock (&pool->lock);
  for (guint i = 0; i < TH_N_CLASSES; i++)
    {
      end_idle (pool, &pool->idle[i], now - (gint64) pool->options.worker_idle_ms * 1000);
      again = pool->idle[i].length > 0 ? now + LOOK_INTERVAL : again;
    }
  reap (pool);
  if (pool->ended.length > 0)
    again = now + REAP_INTERVAL;
  else if (pool->busy.length > 0)
    again = now + LOOK_INTERVAL;
  g_mutex_unlock (&pool->lock);
  return again;
}

guint
th_pool_processes (ThPool *pool)
{
  guint n;

  g_mutex_lock (&pool->lock);
  n = pool->busy.length + pool->ended.length;
  for (guint i = 0; i < TH_N_CLASSES; i++)
    n += pool->idle[i].length;
  g_mutex_unlock (&pool->lock);
  return n;
}

static void
list (const GQueue *workers, gboolean busy, GArray *out)
{
  for (GList *l = workers->head; l != NULL; l = l->next)
    {
      const ThPoolWorker *worker = l->data;
      ThPoolWorkerInfo info = {
        .module = worker->kind->module,
        .pid = worker->process.pid,
        .busy = busy,
        .files = worker->files,
      };

      g_array_append_val (out, info);
    }
}

GArray *
th_pool_list (ThPool *pool, guint64 outcomes[TH_N_STATUSES])
{
  GArray *workers = g_array_new (FALSE, FALSE, sizeof (ThPoolWorkerInfo));

  g_mutex_lock (&pool->lock);
  list (&pool->busy, TRUE, workers);
  for (guint i = 0; i < TH_N_CLASSES; i++)
    list (&pool->idle[i], FALSE, workers);
  for (guint i = 0; i < TH_N_STATUSES; i++)
    outcomes[i] = pool->outcomes[i];
  g_mutex_unlock (&pool->lock);
  return workers;
}

gboolean
th_pool_is_outdated (ThPool *pool)
{
  gboolean outdated;

  g_mutex_lock (&pool->lock);
  outdated = pool->outdated;
  g_mutex_unlock (&pool->lock);
  return outdated || th_program_is_replaced (&pool->builtin.program);
}

char *
th_pool_trouble (ThPool *pool)
{
  char *trouble;

  g_mutex_lock (&pool->lock);
  trouble = g_strdup (pool->builtin.trouble);
  g_mutex_unlock (&pool->lock);
  return trouble;
}

ThStatus
th_pool_refuse (ThStatus status, const char *text, GError **error)
{
  g_set_error_literal (error, TH_ERROR, th_status_to_error (status), text);
  return status;
}

ThStatus
th_pool_say_cancelled (GError **error)
{
  return th_pool_refuse (TH_STATUS_CANCELLED, th_status_describe (TH_STATUS_CANCELLED), error);
}

static ThPoolWorker *
pop_idle (GQueue *idle, const ThPoolKind *kind)
{
  for (GList *l = idle->head; l != NULL; l = l->next)
    {
      ThPoolWorker *worker = l->data;

      if (worker->kind != kind)
        continue;
      g_queue_delete_link (idle, l);
      return worker;
    }
  return NULL;
}

/* The most recently used idle worker that is alive, made busy. NULL and OK: start one. */
static ThStatus
take_idle (ThPool *pool, ThClass klass, const ThPoolKind *kind, gboolean fresh,
           ThPoolWorker **found, GError **error)
{
  *found = NULL;
  if (pool->closed)
    return th_pool_say_cancelled (error);
  while (!fresh && (*found = pop_idle (&pool->idle[klass], kind)) != NULL)
    {
      if (th_exchange_is_idle ((*found)->process.socket))
        {
          g_queue_push_tail (&pool->busy, *found);
          return TH_STATUS_OK;
        }
      th_pool_bury (pool, *found, TRUE);
    }
  return th_pool_is_in_trouble (pool, kind, error) ? TH_STATUS_NO_SANDBOX : TH_STATUS_OK;
}

/* Ends the longest idle ones, of whatever kind, until there is room for one more. */
static void
make_room (ThPool *pool, GQueue *idle)
{
  while (idle->length > 0 && idle->length >= pool->options.max_idle)
    th_pool_bury (pool, g_queue_pop_tail (idle), FALSE);
}

static ThStatus
acquire (ThPool *pool, ThClass klass, const char *module, gboolean fresh, ThPoolWorker **worker,
         GError **error)
{
  ThPoolKind *kind;
  ThStatus status;

  g_mutex_lock (&pool->lock);
  reap (pool);
  kind = th_pool_kind (pool, module);
  status = take_idle (pool, klass, kind, fresh, worker, error);
  g_mutex_unlock (&pool->lock);
  if (status == TH_STATUS_OK && *worker == NULL)
    status = th_pool_start_worker (pool, kind, worker, error);
  return status;
}

static void
release (ThPool *pool, ThClass klass, ThPoolWorker *worker, ThStatus status)
{
  g_mutex_lock (&pool->lock);
  g_queue_remove (&pool->busy, worker);
  worker->aborted = NULL;
  worker->files++;
  worker->since = g_get_monotonic_time ();
  if (!reusable[status])
    th_pool_bury (pool, worker, TRUE);
  else if (pool->closed || worker->files >= pool->options.worker_files)
    th_pool_bury (pool, worker, FALSE);
  else
    {
      make_room (pool, &pool->idle[klass]);
      g_queue_push_head (&pool->idle[klass], worker);
    }
  g_mutex_unlock (&pool->lock);
}

static gboolean
is_closed (ThPool *pool)
{
  gboolean closed;

  g_mutex_lock (&pool->lock);
  closed = pool->closed;
  g_mutex_unlock (&pool->lock);
  return closed;
}

static gboolean
is_aborted (const ThPoolJob *job)
{
  return job->aborted != NULL && g_atomic_int_get (job->aborted) != 0;
}

/* From here on the worker can be found by who aborts the job. FALSE: too late. */
static gboolean
assign (ThPool *pool, ThPoolWorker *worker, const ThPoolJob *job)
{
  gboolean go;

  g_mutex_lock (&pool->lock);
  worker->aborted = job->aborted;
  go = !is_aborted (job);
  g_mutex_unlock (&pool->lock);
  return go;
}

void
th_pool_abort (ThPool *pool, gint *aborted)
{
  g_mutex_lock (&pool->lock);
  g_atomic_int_set (aborted, 1);
  for (GList *l = pool->busy.head; l != NULL; l = l->next)
    if (((ThPoolWorker *) l->data)->aborted == aborted)
      th_process_kill (&((ThPoolWorker *) l->data)->process);
  g_mutex_unlock (&pool->lock);
}

static void
count (ThPool *pool, ThStatus status)
{
  g_mutex_lock (&pool->lock);
  pool->outcomes[status]++;
  g_mutex_unlock (&pool->lock);
}

static ThStatus
decode_once (ThPool *pool, ThClass klass, gboolean fresh, const ThPoolJob *job, ThDecoded *decoded,
             GError **error)
{
  ThPoolWorker *worker = NULL;
  ThStatus status = acquire (pool, klass, job->module, fresh, &worker, error);
  ThExchange exchange;

  if (status != TH_STATUS_OK)
    return status;
  if (!assign (pool, worker, job))
    {
      release (pool, klass, worker, TH_STATUS_CANCELLED);
      return th_pool_say_cancelled (error);
    }
  exchange = (ThExchange){
    .socket = worker->process.socket,
    .pid = worker->process.pid,
    .data_base = worker->data_base,
    .job = ++worker->last_job,
    .source_fd = job->source_fd,
    .limits = &pool->options.limits,
    .boxes = job->boxes,
    .n_boxes = job->n_boxes,
    .room = &worker->room,
    .allowance = job->allowance,
    .admit = job->admit,
    .admit_data = job->admit_data,
  };
  status = th_exchange_run (&exchange, decoded, error);
  count (pool, status);
  release (pool, klass, worker, status);
  return status;
}

ThStatus
th_pool_decode (ThPool *pool, ThClass klass, const ThPoolJob *job, ThDecoded *decoded,
                GError **error)
{
  g_autoptr (GError) local = NULL;
  ThStatus status = decode_once (pool, klass, FALSE, job, decoded, &local);

  if (status == TH_STATUS_CRASHED && !is_closed (pool) && !is_aborted (job))
    {
      g_clear_error (&local);
      status = decode_once (pool, klass, TRUE, job, decoded, &local);
    }
  if (!th_status_has_pixels (status) && (is_closed (pool) || is_aborted (job)))
    return th_pool_say_cancelled (error);
  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return status;
}

ThStatus
th_pool_probe (ThPool *pool, ThClass klass, const char *module, ThPoolGreeting *greeting,
               GError **error)
{
  ThPoolWorker *worker = NULL;
  ThStatus status = acquire (pool, klass, module, TRUE, &worker, error);

  if (status != TH_STATUS_OK)
    return status;
  *greeting = worker->greeting;
  release (pool, klass, worker, TH_STATUS_OK);
  return TH_STATUS_OK;
}

void
th_pool_close (ThPool *pool)
{
  g_mutex_lock (&pool->lock);
  pool->closed = TRUE;
  for (GList *l = pool->busy.head; l != NULL; l = l->next)
    th_process_kill (&((ThPoolWorker *) l->data)->process);
  for (guint i = 0; i < TH_N_CLASSES; i++)
    end_idle (pool, &pool->idle[i], G_MAXINT64);
  g_mutex_unlock (&pool->lock);
}

/* Under the lock, which nobody else wants any more. */
static void
wait_for_ended (ThPool *pool, gint64 patience)
{
  gint64 end = g_get_monotonic_time () + patience;

  reap (pool);
  while (pool->ended.length > 0 && g_get_monotonic_time () < end)
    {
      g_usleep (1000);
      reap (pool);
    }
}

static void
forget (gpointer data)
{
  ThPoolWorker *worker = data;

  th_process_kill (&worker->process);
  th_result_room_clear (&worker->room);
  g_free (worker);
}

void
th_pool_free (ThPool *pool)
{
  th_pool_close (pool);
  g_mutex_lock (&pool->lock);
  wait_for_ended (pool, FREE_PATIENCE / 2);
  for (GList *l = pool->ended.head; l != NULL; l = l->next)
    th_process_kill (&((ThPoolWorker *) l->data)->process);
  wait_for_ended (pool, FREE_PATIENCE / 2);
  g_queue_clear_full (&pool->ended, forget);
  g_mutex_unlock (&pool->lock);
  g_mutex_clear (&pool->lock);
  th_pool_kinds_clear (pool);
  g_free (pool);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting workers, and what is remembered of those that could not be started. */
#include "config.h"

#include "engine/th-pool-private.h"

#include <string.h>

#define HELLO_TIMEOUT_MS 5000u
/* Workers that cannot be started are tried again after this, doubling each time. */
#define RETRY_FIRST (1 * G_USEC_PER_SEC)
#define RETRY_LAST  (60 * G_USEC_PER_SEC)
/* A worker that dies at its start may have been killed, and a process may be refused for a moment:
 * it is tried so often, after a pause that doubles, before anybody hears of it. */
#define START_TRIES 6u
#define START_PAUSE (10 * 1000)

static void
note_trouble (ThPool *pool, const char *text)
{
  g_mutex_lock (&pool->lock);
  g_free (pool->trouble);
  pool->trouble = g_strdup (text);
  pool->retry_delay = text == NULL ? 0 : CLAMP (pool->retry_delay * 2, RETRY_FIRST, RETRY_LAST);
  pool->retry_at = g_get_monotonic_time () + pool->retry_delay;
  g_mutex_unlock (&pool->lock);
}

/* FALSE: closed meanwhile, and the process is gone. */
static gboolean
register_worker (ThPool *pool, ThPoolWorker *worker)
{
  gboolean closed;

  g_mutex_lock (&pool->lock);
  closed = pool->closed;
  if (closed)
    th_pool_bury (pool, worker, TRUE);
  else
    g_queue_push_tail (&pool->busy, worker);
  g_mutex_unlock (&pool->lock);
  return !closed;
}

static void
unregister_worker (ThPool *pool, ThPoolWorker *worker)
{
  g_mutex_lock (&pool->lock);
  g_queue_remove (&pool->busy, worker);
  th_pool_bury (pool, worker, TRUE);
  g_mutex_unlock (&pool->lock);
}

/* Not under the lock: it takes a millisecond, or five seconds. */
static ThStatus
start_once (ThPool *pool, ThPoolWorker **started, GError **error)
{
  g_autofree char *program = th_program_to_run (&pool->worker);
  g_autofree ThPoolWorker *worker = g_new0 (ThPoolWorker, 1);
  ThWireHello hello;
  ThStatus status;

  if (!th_process_start (&worker->process, program, TH_PROCESS_BARE, error))
    return TH_STATUS_IO;
  *started = g_steal_pointer (&worker);
  if (!register_worker (pool, *started))
    return th_pool_say_cancelled (error);
  status = th_exchange_hello ((*started)->process.socket, HELLO_TIMEOUT_MS, &hello, error);
  if (status != TH_STATUS_OK)
    {
      unregister_worker (pool, *started);
      return status;
    }
  (*started)->data_base = hello.data_base;
  (*started)->greeting = (ThPoolGreeting){ hello.seccomp == 1, hello.landlock_abi };
  return TH_STATUS_OK;
}

/* What may be over at the next try. */
static gboolean
is_passing (ThStatus status)
{
  return status == TH_STATUS_CRASHED || status == TH_STATUS_IO;
}

/* What was said about one that did not start, without the part that blames a file. */
static char *
describe_trouble (ThStatus status, const char *text)
{
  const char *general = th_status_describe (status);

  if (status != TH_STATUS_NO_SANDBOX && g_str_has_prefix (text, general))
    text += strlen (general) + (text[strlen (general)] == ':' ? 2 : 0);
  return g_strdup_printf ("no decoder can be started: %s", text);
}

static void
note_outdated (ThPool *pool)
{
  g_mutex_lock (&pool->lock);
  pool->outdated = TRUE;
  g_mutex_unlock (&pool->lock);
}

ThStatus
th_pool_start_worker (ThPool *pool, ThPoolWorker **started, GError **error)
{
  ThStatus status = TH_STATUS_CRASHED;
  g_autoptr (GError) local = NULL;
  g_autofree char *trouble = NULL;

  for (guint i = 0; i < START_TRIES && is_passing (status); i++)
    {
      g_clear_error (&local);
      g_usleep (i > 0 ? START_PAUSE << (i - 1) : 0);
      status = start_once (pool, started, &local);
    }
  if (status == TH_STATUS_CANCELLED)
    return th_pool_refuse (status, local->message, error);
  if (status == TH_STATUS_OK)
    {
      note_trouble (pool, NULL);
      return status;
    }
  trouble = describe_trouble (status, local->message);
  note_trouble (pool, trouble);
  if (!g_error_matches (local, TH_ERROR, TH_ERROR_SHUTTING_DOWN))
    return th_pool_refuse (TH_STATUS_NO_SANDBOX, trouble, error);
  note_outdated (pool);
  g_set_error_literal (error, TH_ERROR, TH_ERROR_SHUTTING_DOWN, trouble);
  return TH_STATUS_NO_SANDBOX;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting workers of each kind, and what is remembered of those that could not be started. */
#include "config.h"

#include "engine/th-pool-private.h"

#include <string.h>

#include "base/th-paths.h"

#define HELLO_TIMEOUT_MS 5000u
/* Workers that cannot be started are tried again after this, doubling each time. */
#define RETRY_FIRST (1 * G_USEC_PER_SEC)
#define RETRY_LAST  (60 * G_USEC_PER_SEC)
/* A worker that dies at its start may have been killed, and a process may be refused for a moment:
 * it is tried so often, after a pause that doubles, before anybody hears of it. */
#define START_TRIES 6u
#define START_PAUSE (10 * 1000)

static void
note_trouble (ThPool *pool, ThPoolKind *kind, const char *text)
{
  g_mutex_lock (&pool->lock);
  /* Nobody else says it: the file goes to the next that may know it. */
  if (kind->module != NULL && text != NULL && kind->trouble == NULL)
    g_message ("the module “%s” is left out: %s", kind->module, text);
  g_free (kind->trouble);
  kind->trouble = g_strdup (text);
  kind->retry_delay = text == NULL ? 0 : CLAMP (kind->retry_delay * 2, RETRY_FIRST, RETRY_LAST);
  kind->retry_at = g_get_monotonic_time () + kind->retry_delay;
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

/* What to execute. A module may have been replaced since: it is told by its greeting whether the
 * new one fits. */
static char *
program_of (ThPool *pool, ThPoolKind *kind)
{
  char *program;

  g_mutex_lock (&pool->lock);
  if (kind->module != NULL && (kind->program.fd < 0 || th_program_is_replaced (&kind->program)))
    {
      g_autofree char *path = g_strdup (kind->program.path);

      th_program_clear (&kind->program);
      th_program_init (&kind->program, path);
    }
  program = th_program_to_run (&kind->program);
  g_mutex_unlock (&pool->lock);
  return program;
}

/* Not under the lock: it takes a millisecond, or five seconds. */
static ThStatus
start_once (ThPool *pool, ThPoolKind *kind, ThPoolWorker **started, GError **error)
{
  g_autofree char *program = program_of (pool, kind);
  g_autofree ThPoolWorker *worker = g_new0 (ThPoolWorker, 1);
  ThWireHello hello;
  ThStatus status;

  if (!th_process_start (&worker->process, program, TH_PROCESS_BARE, error))
    return TH_STATUS_IO;
  worker->kind = kind;
  worker->room = (ThResultRoom) TH_RESULT_ROOM_INIT;
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

void
th_pool_kinds_init (ThPool *pool)
{
  th_program_init (&pool->builtin.program, pool->options.worker_path);
  pool->modules = g_hash_table_new (NULL, NULL);
}

static void
kind_clear (ThPoolKind *kind)
{
  th_program_clear (&kind->program);
  g_clear_pointer (&kind->trouble, g_free);
}

void
th_pool_kinds_clear (ThPool *pool)
{
  GHashTableIter iter;
  gpointer kind;

  kind_clear (&pool->builtin);
  g_hash_table_iter_init (&iter, pool->modules);
  while (g_hash_table_iter_next (&iter, NULL, &kind))
    {
      kind_clear (kind);
      g_free (kind);
    }
  g_hash_table_unref (pool->modules);
}

ThPoolKind *
th_pool_kind (ThPool *pool, const char *module)
{
  g_autofree char *path = NULL;
  ThPoolKind *kind;

  if (module == NULL)
    return &pool->builtin;
  kind = g_hash_table_lookup (pool->modules, module);
  if (kind != NULL)
    return kind;
  path = th_paths_module (pool->options.module_dir, module);
  kind = g_new0 (ThPoolKind, 1);
  kind->module = module;
  th_program_init (&kind->program, path);
  g_hash_table_insert (pool->modules, (gpointer) module, kind);
  return kind;
}

gboolean
th_pool_is_in_trouble (ThPool *pool, const ThPoolKind *kind, GError **error)
{
  gboolean outdated = kind->module == NULL && pool->outdated;

  if (kind->trouble == NULL || g_get_monotonic_time () >= kind->retry_at)
    return FALSE;
  g_set_error_literal (error, TH_ERROR,
                       outdated ? (int) TH_ERROR_SHUTTING_DOWN
                                : (int) th_status_to_error (TH_STATUS_NO_SANDBOX),
                       kind->trouble);
  return TRUE;
}

static void
note_outdated (ThPool *pool)
{
  g_mutex_lock (&pool->lock);
  pool->outdated = TRUE;
  g_mutex_unlock (&pool->lock);
}

ThStatus
th_pool_start_worker (ThPool *pool, ThPoolKind *kind, ThPoolWorker **started, GError **error)
{
  ThStatus status = TH_STATUS_CRASHED;
  g_autoptr (GError) local = NULL;
  g_autofree char *trouble = NULL;

  for (guint i = 0; i < START_TRIES && is_passing (status); i++)
    {
      g_clear_error (&local);
      g_usleep (i > 0 ? START_PAUSE << (i - 1) : 0);
      status = start_once (pool, kind, started, &local);
    }
  if (status == TH_STATUS_CANCELLED)
    return th_pool_refuse (status, local->message, error);
  if (status == TH_STATUS_OK)
    {
      note_trouble (pool, kind, NULL);
      return status;
    }
  trouble = describe_trouble (status, local->message);
  note_trouble (pool, kind, trouble);
  if (kind->module != NULL || !g_error_matches (local, TH_ERROR, TH_ERROR_SHUTTING_DOWN))
    return th_pool_refuse (TH_STATUS_NO_SANDBOX, trouble, error);
  note_outdated (pool);
  g_set_error_literal (error, TH_ERROR, TH_ERROR_SHUTTING_DOWN, trouble);
  return TH_STATUS_NO_SANDBOX;
}

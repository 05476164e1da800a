/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-lane.h"

#include "engine/th-engine-private.h"
#include "engine/th-hold.h"
#include "engine/th-priority.h"
#include "engine/th-run.h"

void
th_lane_init (ThLane *lane, ThEngine *engine, guint threads)
{
  *lane = (ThLane){ .engine = engine, .threads = threads, .scheduler = th_scheduler_new () };
}

void
th_lane_clear (ThLane *lane)
{
  g_clear_pointer (&lane->scheduler, th_scheduler_free);
}

void
th_lane_add (ThLane *lane, const ThFileKey *key, const ThWaiter *waiter)
{
  if (!th_hold_join (lane, key, waiter))
    th_scheduler_add (lane->scheduler, key, waiter);
}

void
th_lane_wake (ThLane *lane)
{
  for (guint i = 0; i < TH_N_CLASSES && !lane->engine->closing; i++)
    {
      guint waiting = th_scheduler_waiting (lane->scheduler, (ThClass) i);
      guint wanted = MIN (lane->threads, lane->active[i] + waiting);

      for (; lane->active[i] < wanted; lane->active[i]++)
        g_thread_pool_push (lane->decoders[i], GUINT_TO_POINTER (i + 1), NULL);
    }
}

void
th_lane_drop (ThLane *lane, guint32 handle)
{
  g_autoptr (GPtrArray) orphans = g_ptr_array_new ();

  th_scheduler_drop (lane->scheduler, handle, orphans);
  for (guint i = 0; i < orphans->len; i++)
    if (th_file_job_data (orphans->pdata[i]) != NULL)
      th_job_cancel (th_file_job_data (orphans->pdata[i]));
}

void
th_lane_pull_running (ThLane *lane,
                      gboolean (*match) (const ThFileKey *key, const ThWaiter *waiter,
                                         gpointer data),
                      gpointer data, GArray *out)
{
  g_autoptr (GPtrArray) orphans = g_ptr_array_new ();

  th_scheduler_pull_running (lane->scheduler, match, data, out, orphans);
  for (guint i = 0; i < orphans->len; i++)
    if (th_file_job_data (orphans->pdata[i]) != NULL)
      th_job_abort (th_file_job_data (orphans->pdata[i]));
}

/* NULL: this thread has nothing to do; *first where it is the first to say so. */
static ThFileJob *
take_job (ThLane *lane, ThClass klass, gboolean *first)
{
  ThEngine *engine = lane->engine;
  ThFileJob *file = NULL;

  *first = FALSE;

  g_mutex_lock (&engine->lock);
  if (!engine->closing)
    file = th_scheduler_take (lane->scheduler, klass);
  if (file == NULL && !engine->closing)
    {
      *first = !engine->tidied;
      engine->tidied = TRUE;
    }
  if (file == NULL && !*first)
    lane->active[klass]--;
  g_mutex_unlock (&engine->lock);
  return file;
}

static void
decode_file (ThLane *lane, ThClass klass, ThFileJob *file)
{
  ThEngine *engine = lane->engine;

  th_run_job (lane, klass, file);
  g_mutex_lock (&engine->lock);
  if (engine->tend_at == 0)
    engine->tend_at = g_get_monotonic_time () + G_USEC_PER_SEC;
  th_engine_wake (engine);
  g_mutex_unlock (&engine->lock);
}

/* What a thread does: one file after the other while there are any, and, once, the sweeping after
 * those who were killed, when nobody waits. */
static void
decode_files (gpointer token, gpointer data)
{
  ThLane *lane = data;
  ThClass klass = (ThClass) (GPOINTER_TO_UINT (token) - 1);
  ThFileJob *file;
  gboolean first;

  if (klass == TH_BACKGROUND)
    th_priority_become_idle ();
  while ((file = take_job (lane, klass, &first)) != NULL || first)
    {
      if (file != NULL)
        decode_file (lane, klass, file);
      else
        {
          th_cache_remove_stale_temporaries (lane->engine->cache);
          th_fail_sweep (lane->engine->cache);
        }
    }
}

gboolean
th_lane_start (ThLane *lane, GError **error)
{
  gboolean started = TRUE;

  for (guint i = 0; i < TH_N_CLASSES; i++)
    started &= th_engine_start_pool (&lane->decoders[i], decode_files, lane, lane->threads,
                                     started ? error : NULL);
  return started;
}

void
th_lane_stop (ThLane *lane)
{
  for (guint i = 0; i < TH_N_CLASSES; i++)
    if (lane->decoders[i] != NULL)
      g_thread_pool_free (g_steal_pointer (&lane->decoders[i]), FALSE, TRUE);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-run-private.h"

#include <glib/gstdio.h>

#include "cache/th-uri.h"
#include "engine/th-apart.h"
#include "engine/th-engine-private.h"
#include "engine/th-hold.h"
#include "engine/th-message.h"

void
th_run_settle (ThRun *run, const ThAsk *ask, gint32 code, char *message)
{
  ThEngine *engine = run->engine;

  g_mutex_lock (&engine->lock);
  th_engine_settle (engine, ask->request, ask->waiter.index, code, message);
  th_engine_wake (engine);
  g_mutex_unlock (&engine->lock);
}

void
th_run_settle_error (ThRun *run, const ThAsk *ask, const GError *error)
{
  th_run_settle (run, ask, (gint32) th_message_code (error), th_message_text (ask->uri, error));
}

gboolean
th_run_is_same_file (const ThRun *run, const ThAsk *ask)
{
  g_autofree char *path = NULL;

  if (run->uri == NULL)
    return FALSE;
  if (g_str_equal (run->uri, ask->uri))
    return TRUE;
  if (run->lane->apart)
    return FALSE;
  path = th_uri_to_path (ask->uri, NULL);
  return path != NULL && th_job_is_at (&run->job, path);
}

void
th_run_resubmit (ThRun *run, const ThAsk *ask)
{
  ThEngine *engine = run->engine;
  g_auto (ThChecker) checker = { .tools = &engine->check_tools };
  g_auto (ThCheck) check = { 0 };

  th_check (&checker, ask->uri, th_run_type_of (ask), ask->waiter.flavor, &check);
  g_mutex_lock (&engine->lock);
  th_scheduler_seal (run->lane->scheduler, run->file);
  /* The one ready of what was valid from the start is another matter. */
  if (check.verdict == TH_CHECK_VALID)
    th_engine_settle (engine, ask->request, ask->waiter.index, TH_OUTCOME_READY, NULL);
  else
    th_engine_apply (engine, ask->request, ask->waiter.index, ask->waiter.flavor, &check);
  th_engine_start_decoders (engine);
  th_engine_wake (engine);
  g_mutex_unlock (&engine->lock);
}

/* One failed decode counts once, however many wait for it. What cannot be written down is tried
 * again, no worse. */
static void
remember (ThRun *run, const ThAsk *ask, const GError *failure)
{
  const ThEngine *engine = run->engine;
  ThFailBasis basis = engine->check_tools.basis;
  g_autofree char *handler = NULL;

  if (!th_fail_lasts (run->job.status) || !g_hash_table_add (run->marked, g_strdup (ask->uri)))
    return;
  handler = run->by_programs ? th_check_programs (engine->check_tools.entries, th_run_type_of (ask))
                             : th_check_handler_for (&engine->check_tools, th_run_type_of (ask));
  if (handler != NULL)
    basis.handler = handler;
  th_fail_store (engine->cache, ask->uri, &run->job.source.stamp, &basis, run->job.status,
                 run->job.box, failure->message, NULL);
}

gboolean
th_run_allows (const ThRun *run, const ThAsk *ask, const char *codec, GError **error)
{
  const ThSource *source = &run->job.source;
  g_autofree char *path = th_uri_to_path (ask->uri, run->lane->apart ? NULL : error);
  g_autofree char *why = NULL;

  if (path == NULL && !run->lane->apart)
    return FALSE;
  why = th_check_codec (run->engine->options.rules, path != NULL ? path : ask->uri,
                        run->lane->apart ? source->path : NULL, source->stamp.size, codec);
  if (why == NULL)
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_UNSUPPORTED, "a rule forbids it: %s", why);
  return FALSE;
}

/* A file counts once, with its first thumbnail. */
static void
count_stored (ThRun *run)
{
  ThEngine *engine = run->engine;

  g_mutex_lock (&engine->lock);
  engine->counters.thumbnails++;
  if (!run->counted)
    th_counters_add_file (&engine->counters, run->job.source.stamp.size, g_get_monotonic_time ());
  g_mutex_unlock (&engine->lock);
  run->counted = TRUE;
}

static gboolean
store (ThRun *run, const ThAsk *ask, GError **error)
{
  ThFlavors bit = TH_FLAVOR_BIT (ask->waiter.flavor);
  ThFlavors done = GPOINTER_TO_UINT (g_hash_table_lookup (run->stored, ask->uri));

  if ((done & bit) != 0)
    return TRUE;
  if (!th_run_allows (run, ask, run->job.decoded.codec, error)
      || !th_job_store (&run->job, ask->uri, ask->waiter.flavor, error))
    return FALSE;
  count_stored (run);
  th_fail_forget (run->engine->cache, ask->uri, th_flavor_box (ask->waiter.flavor));
  g_hash_table_replace (run->stored, g_strdup (ask->uri), GUINT_TO_POINTER (done | bit));
  return TRUE;
}

/* What was just stored is of a file that has left that name: moved away, deleted or replaced while
 * the thumbnail was made. Whoever told the cache so may have been too early to find this one. */
static gboolean
take_back (ThRun *run, const ThAsk *ask)
{
  g_autofree char *path = th_uri_to_path (ask->uri, NULL);
  g_autofree char *thumbnail = NULL;

  if (run->lane->apart && !th_far_is_gone (&run->far))
    return FALSE;
  if (!run->lane->apart && (path == NULL || th_job_is_file_at (&run->job, path)))
    return FALSE;
  thumbnail = th_cache_path (run->engine->cache, ask->uri, ask->waiter.flavor);
  g_unlink (thumbnail);
  g_hash_table_remove (run->stored, ask->uri);
  return TRUE;
}

/* Whether a file that no decoder of ours knows goes on to the threads for others' programs. */
static gboolean
is_for_programs (ThRun *run, const ThAsk *ask)
{
  ThEntries *entries = run->engine->check_tools.entries;
  gboolean served;

  if (run->lane->runs_programs || run->job.status != TH_STATUS_NOT_MINE)
    return FALSE;
  served = th_entries_serve (entries, th_run_type_of (ask));
  for (guint i = 0; i < G_N_ELEMENTS (run->sniffed) && !served; i++)
    served = run->sniffed[i] != NULL && th_entries_serve (entries, run->sniffed[i]);
  return served;
}

static void
hand_over (ThRun *run, const ThAsk *ask)
{
  ThEngine *engine = run->engine;
  ThCheck check = {
    .verdict = TH_CHECK_MAKE,
    .lane = TH_LANE_PROGRAMS,
    .key = th_hold_key (&run->job),
  };

  g_mutex_lock (&engine->lock);
  th_engine_apply (engine, ask->request, ask->waiter.index, ask->waiter.flavor, &check);
  th_engine_start_decoders (engine);
  g_mutex_unlock (&engine->lock);
}

ThFileKey
th_run_held_key (const ThRun *run)
{
  return run->lane->apart ? th_apart_key (run->uri) : th_hold_key (&run->job);
}

/* The state it is in does not matter. */
static gboolean
leads_to_file (const ThRun *run, const ThAsk *ask)
{
  g_autofree char *path = NULL;

  if (g_str_equal (run->uri, ask->uri))
    return TRUE;
  if (run->lane->apart)
    return FALSE;
  path = th_uri_to_path (ask->uri, NULL);
  return path != NULL && th_job_is_file_at (&run->job, path);
}

static void
hold (ThRun *run, const ThAsk *ask)
{
  ThFileKey key = th_run_held_key (run);

  if (leads_to_file (run, ask))
    th_hold_waiter (run->lane, &key, &run->job, ask->request, &ask->waiter);
  else
    th_run_resubmit (run, ask);
}

static void
answer (ThRun *run, const ThAsk *ask, const GError *failure)
{
  g_autoptr (GError) error = NULL;

  if (run->held && !is_for_programs (run, ask))
    hold (run, ask);
  else if (!th_run_is_same_file (run, ask))
    th_run_resubmit (run, ask);
  else if (failure != NULL && is_for_programs (run, ask))
    hand_over (run, ask);
  else if (failure != NULL)
    {
      remember (run, ask, failure);
      th_run_settle_error (run, ask, failure);
    }
  else if (!store (run, ask, &error))
    th_run_settle_error (run, ask, error);
  else if (take_back (run, ask))
    th_run_resubmit (run, ask);
  else
    th_run_settle (run, ask, TH_OUTCOME_READY, NULL);
}

void
th_run_answer_all (ThRun *run, const GError *failure)
{
  ThEngine *engine = run->engine;
  gboolean over;

  do
    {
      g_mutex_lock (&engine->lock);
      th_run_collect (run);
      over = run->asks->len == 0 && th_scheduler_finish (run->lane->scheduler, run->file);
      g_mutex_unlock (&engine->lock);
      for (guint i = 0; i < run->asks->len; i++)
        answer (run, &g_array_index (run->asks, ThAsk, i), failure);
    }
  while (!over);
}

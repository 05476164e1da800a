/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-run.h"

#include "cache/th-uri.h"
#include "engine/th-decoders.h"
#include "engine/th-engine-private.h"
#include "engine/th-hold.h"
#include "engine/th-run-private.h"
#include "engine/th-types.h"

static void
clear_ask (gpointer data)
{
  ThAsk *ask = data;

  th_request_unref (ask->request);
}

static void
run_init (ThRun *run, ThLane *lane, ThClass klass, ThFileJob *file)
{
  *run = (ThRun){ .engine = lane->engine, .lane = lane, .file = file };
  run->began_at = g_get_monotonic_time ();
  th_job_init (&run->job, &lane->engine->tools, klass);
  run->asks = g_array_new (FALSE, FALSE, sizeof (ThAsk));
  g_array_set_clear_func (run->asks, clear_ask);
  run->stored = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  run->marked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static void
run_clear (ThRun *run)
{
  th_far_clear (&run->far);
  th_job_clear (&run->job);
  g_array_unref (run->asks);
  g_hash_table_unref (run->stored);
  g_hash_table_unref (run->marked);
  g_free (run->uri);
  for (guint i = 0; i < G_N_ELEMENTS (run->sniffed); i++)
    g_free (run->sniffed[i]);
}

void
th_run_collect (ThRun *run)
{
  g_autoptr (GArray) waiters = g_array_new (FALSE, FALSE, sizeof (ThWaiter));
  const ThFileKey *key = th_file_job_key (run->file);

  g_array_set_size (run->asks, 0);
  th_scheduler_collect (run->lane->scheduler, run->file, waiters);
  for (guint i = 0; i < waiters->len; i++)
    {
      ThWaiter waiter = g_array_index (waiters, ThWaiter, i);
      ThRequest *request =
          g_hash_table_lookup (run->engine->requests, GUINT_TO_POINTER (waiter.handle));
      ThAsk ask;

      if (request == NULL || th_engine_has_left (run->engine, request, waiter.index, key))
        continue;
      ask = (ThAsk){ th_request_ref (request), waiter, request->items[waiter.index].uri, FALSE };
      g_array_append_val (run->asks, ask);
    }
}

const char *
th_run_type_of (const ThAsk *ask)
{
  return ask->request->items[ask->waiter.index].mime_type;
}

static gboolean
open_by (ThRun *run, const char *uri, GError **error)
{
  g_autofree char *path = th_uri_to_path (uri, error);

  if (path == NULL || !th_job_open (&run->job, path, error))
    return FALSE;
  run->uri = g_strdup (uri);
  return TRUE;
}

/* Opens the file by the first spelling that leads to one. Those that do not are settled. */
static gboolean
open_source (ThRun *run)
{
  for (guint i = 0; i < run->asks->len; i++)
    {
      ThAsk *ask = &g_array_index (run->asks, ThAsk, i);
      g_autoptr (GError) error = NULL;

      if (open_by (run, ask->uri, &error))
        return TRUE;
      th_run_settle_error (run, ask, error);
      ask->dealt_with = TRUE;
    }
  return FALSE;
}

/* Settles those whom the cache has something for since the cheap pass; the others wait on. */
static void
look_again (ThRun *run)
{
  for (guint i = 0; i < run->asks->len; i++)
    {
      ThAsk *ask = &g_array_index (run->asks, ThAsk, i);

      if (ask->dealt_with)
        continue;
      ask->dealt_with = TRUE;
      if (!th_run_is_same_file (run, ask))
        th_run_resubmit (run, ask);
      else if (th_job_is_cached (&run->job, ask->uri, ask->waiter.flavor))
        th_run_settle (run, ask, TH_OUTCOME_READY, NULL);
      else
        ask->dealt_with = FALSE;
    }
}

ThFlavors
th_run_wait_on (ThRun *run)
{
  ThEngine *engine = run->engine;
  const ThFileKey *key = th_file_job_key (run->file);
  ThFlavors flavors;

  g_mutex_lock (&engine->lock);
  for (guint i = 0; i < run->asks->len; i++)
    {
      const ThAsk *ask = &g_array_index (run->asks, ThAsk, i);

      if (!ask->dealt_with && !th_engine_has_left (engine, ask->request, ask->waiter.index, key))
        th_scheduler_put_back (run->lane->scheduler, run->file, &ask->waiter);
    }
  flavors = th_scheduler_narrow (run->lane->scheduler, run->file);
  g_mutex_unlock (&engine->lock);
  return flavors;
}

/* Whether the file that was opened is known to be in motion; what comes of it is not looked at. */
static gboolean
is_moving (ThRun *run)
{
  ThFileKey key = th_run_held_key (run);

  run->held = th_hold_is_moving (run->lane, &key, &run->job, run->began_at);
  return run->held;
}

static gboolean
says_something (ThRun *run, const char *type)
{
  const char *codec = th_mime_codec (run->engine->mime, type);

  return codec == NULL || *codec != '\0';
}

/* Before one is run for nothing. */
static gboolean
may_run_programs (const ThRun *run, GError **error)
{
  for (guint i = 0; i < run->asks->len; i++)
    {
      g_clear_error (error);
      if (th_run_allows (run, &g_array_index (run->asks, ThAsk, i), TH_MIME_EXTERNAL, error))
        return TRUE;
    }
  return FALSE;
}

/* What those who wait call the file, each type once, those that say nothing left out. */
static GPtrArray *
list_types (ThRun *run)
{
  GPtrArray *types = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < run->asks->len; i++)
    {
      const char *type = th_run_type_of (&g_array_index (run->asks, ThAsk, i));

      if (says_something (run, type)
          && !g_ptr_array_find_with_equal_func (types, type, g_str_equal, NULL))
        g_ptr_array_add (types, g_strdup (type));
    }
  return types;
}

static void
run_programs (ThRun *run, ThFlavors flavors, GError **error)
{
  g_autoptr (GPtrArray) types = NULL;

  if (!may_run_programs (run, error))
    return;
  types = list_types (run);
  for (guint i = 0; i < G_N_ELEMENTS (run->sniffed); i++)
    if (run->sniffed[i] != NULL)
      g_ptr_array_add (types, g_strdup (run->sniffed[i]));
  g_ptr_array_add (types, NULL);
  run->by_programs = TRUE;
  th_job_run_programs (&run->job, flavors, (const char *const *) types->pdata, error);
}

/* Data decide: what is ours to decode is decoded by us, whatever it is called. What those that the
 * type leads to do not know is tried as what its data look like. TRUE: that is all that our
 * decoders can do. */
static gboolean
decode_by_us (ThRun *run, ThFlavors flavors, GError **error)
{
  ThMime *mime = run->engine->mime;
  ThJob *job = &run->job;
  g_autoptr (GPtrArray) types = list_types (run);
  g_autoptr (GPtrArray) decoders = NULL;
  const char *const *names;

  g_ptr_array_add (types, NULL);
  names = (const char *const *) types->pdata;
  decoders = th_decoders_first (mime, names);
  if (run->lane->apart ? th_far_decode (&run->far, flavors, th_decoders (decoders), error)
                       : th_job_decode (job, flavors, th_decoders (decoders), error))
    return TRUE;
  if (job->status != TH_STATUS_NOT_MINE)
    return TRUE;
  th_types_sniff (job->source.fd, job->source.path, run->sniffed);
  g_clear_pointer (&decoders, g_ptr_array_unref);
  decoders = th_decoders_further (mime, (const char *const *) run->sniffed,
                                  G_N_ELEMENTS (run->sniffed), names);
  if (decoders == NULL)
    return FALSE;
  g_clear_error (error);
  return th_job_decode (job, flavors, th_decoders (decoders), error)
         || job->status != TH_STATUS_NOT_MINE;
}

/* What is not ours is a matter for others, if anybody's. */
static void
decode (ThRun *run, GError **error)
{
  ThFlavors flavors;

  look_again (run);
  flavors = th_run_wait_on (run);
  if (flavors == 0 || is_moving (run) || decode_by_us (run, flavors, error)
      || !run->lane->runs_programs)
    return;
  g_clear_error (error);
  run_programs (run, flavors, error);
}

/* Settles those for whom nothing is to be made, now that the file has been looked at. */
static void
judge_apart (ThRun *run)
{
  for (guint i = 0; i < run->asks->len; i++)
    {
      ThAsk *ask = &g_array_index (run->asks, ThAsk, i);
      g_auto (ThCheck) check = { 0 };

      if (!th_run_is_same_file (run, ask))
        continue;
      th_far_check (&run->far, th_run_type_of (ask), ask->waiter.flavor, &check);
      ask->dealt_with = check.verdict != TH_CHECK_MAKE;
      if (check.verdict == TH_CHECK_VALID)
        th_run_settle (run, ask, TH_OUTCOME_READY, NULL);
      else if (check.verdict == TH_CHECK_ERROR)
        th_run_settle (run, ask, (gint32) check.code, g_steal_pointer (&check.message));
    }
}

/* What is apart no more all start over with. */
static gboolean
look_apart (ThRun *run, GError **error)
{
  const char *uri = run->asks->len > 0 ? g_array_index (run->asks, ThAsk, 0).uri : NULL;

  if (uri == NULL || !th_far_name (&run->far, run->engine, uri))
    return FALSE;
  run->uri = g_strdup (uri);
  return th_far_look (&run->far, &run->job, error);
}

/* Nothing of such a file is touched here: others look at it, and fetch it. */
static void
decode_apart (ThRun *run, GError **error)
{
  ThFlavors flavors;

  judge_apart (run);
  flavors = th_run_wait_on (run);
  if (flavors == 0 || is_moving (run) || decode_by_us (run, flavors, error))
    return;
  if (!th_far_open_for_programs (&run->far, NULL))
    return;
  g_clear_error (error);
  run_programs (run, flavors, error);
}

/* Until nobody waits for it any more. */
static void
run_file (ThRun *run)
{
  g_autoptr (GError) error = NULL;
  gboolean apart = run->lane->apart;

  if (apart ? look_apart (run, &error) : open_source (run))
    {
      if (apart)
        decode_apart (run, &error);
      else
        decode (run, &error);
      run->held = run->held || th_hold_doubts (run->lane, &run->job, run->by_programs);
    }
  else
    th_run_wait_on (run);
  th_run_answer_all (run, error);
}

void
th_run_job (ThLane *lane, ThClass klass, ThFileJob *file)
{
  ThEngine *engine = lane->engine;
  gboolean special = lane == &engine->lanes.fixed[TH_LANE_SPECIALISTS];
  ThRun run;

  run_init (&run, lane, klass, file);
  g_mutex_lock (&engine->lock);
  th_file_job_set_data (file, &run.job);
  if (!special)
    th_run_collect (&run);
  g_mutex_unlock (&engine->lock);
  if (special)
    th_run_specialists (&run);
  else
    run_file (&run);
  run_clear (&run);
}

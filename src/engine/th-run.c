/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-run.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "cache/th-uri.h"
#include "engine/th-apart.h"
#include "engine/th-engine-private.h"
#include "engine/th-far.h"
#include "engine/th-hold.h"
#include "engine/th-message.h"
#include "engine/th-types.h"

/* A waiter whose request is kept alive. */
typedef struct
{
  ThRequest *request;
  ThWaiter waiter;
  const char *uri;
  gboolean dealt_with;
} Ask;

typedef struct
{
  ThEngine *engine;
  ThLane *lane;
  ThFileJob *file;
  ThJob job;
  ThFar far;          /* of a lane apart */
  char *uri;          /* by which the source was opened */
  GArray *asks;       /* those that are being dealt with */
  GHashTable *stored; /* URI → ThFlavors */
  GHashTable *marked; /* URIs whose failure is remembered */
  gint64 began_at;
  gboolean held; /* nothing is to be told of the file before it is at rest */
  gboolean by_programs;
  char *sniffed[2]; /* what data that are not ours look like, with and without the name; or NULL */
} Run;

static void
clear_ask (gpointer data)
{
  Ask *ask = data;

  th_request_unref (ask->request);
}

static void
run_init (Run *run, ThLane *lane, ThClass klass, ThFileJob *file)
{
  *run = (Run){ .engine = lane->engine, .lane = lane, .file = file };
  run->began_at = g_get_monotonic_time ();
  th_job_init (&run->job, &lane->engine->tools, klass);
  run->asks = g_array_new (FALSE, FALSE, sizeof (Ask));
  g_array_set_clear_func (run->asks, clear_ask);
  run->stored = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  run->marked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static void
run_clear (Run *run)
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

/* Under the lock: takes over the waiters that there are. */
static void
collect (Run *run)
{
  g_autoptr (GArray) waiters = g_array_new (FALSE, FALSE, sizeof (ThWaiter));

  g_array_set_size (run->asks, 0);
  th_scheduler_collect (run->lane->scheduler, run->file, waiters);
  for (guint i = 0; i < waiters->len; i++)
    {
      ThWaiter waiter = g_array_index (waiters, ThWaiter, i);
      ThRequest *request =
          g_hash_table_lookup (run->engine->requests, GUINT_TO_POINTER (waiter.handle));
      Ask ask;

      if (request == NULL)
        continue;
      ask = (Ask){ th_request_ref (request), waiter, request->items[waiter.index].uri, FALSE };
      g_array_append_val (run->asks, ask);
    }
}

static const char *
type_of (const Ask *ask)
{
  return ask->request->items[ask->waiter.index].mime_type;
}

static void
settle (Run *run, const Ask *ask, gint32 code, char *message)
{
  ThEngine *engine = run->engine;

  g_mutex_lock (&engine->lock);
  th_engine_settle (engine, ask->request, ask->waiter.index, code, message);
  th_engine_wake (engine);
  g_mutex_unlock (&engine->lock);
}

static void
settle_error (Run *run, const Ask *ask, const GError *error)
{
  settle (run, ask, (gint32) th_message_code (error), th_message_text (ask->uri, error));
}

static gboolean
open_by (Run *run, const char *uri, GError **error)
{
  g_autofree char *path = th_uri_to_path (uri, error);

  if (path == NULL || !th_job_open (&run->job, path, error))
    return FALSE;
  run->uri = g_strdup (uri);
  return TRUE;
}

/* Opens the file by the first spelling that leads to one. Those that do not are settled. */
static gboolean
open_source (Run *run)
{
  for (guint i = 0; i < run->asks->len; i++)
    {
      Ask *ask = &g_array_index (run->asks, Ask, i);
      g_autoptr (GError) error = NULL;

      if (open_by (run, ask->uri, &error))
        return TRUE;
      settle_error (run, ask, error);
      ask->dealt_with = TRUE;
    }
  return FALSE;
}

/* Other spellings and links led to the same file once; they may not any more. */
static gboolean
is_same_file (const Run *run, const Ask *ask)
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

/* Starts over with a URI that leads to another file by now. That may be the one this job was made
 * for, while the job got another: it must not come back here, again and again. */
static void
resubmit (Run *run, const Ask *ask)
{
  ThEngine *engine = run->engine;
  g_auto (ThChecker) checker = { .tools = &engine->check_tools };
  g_auto (ThCheck) check = { 0 };

  th_check (&checker, ask->uri, type_of (ask), ask->waiter.flavor, &check);
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

/* Settles those whom the cache has something for since the cheap pass; the others wait on. */
static void
look_again (Run *run)
{
  for (guint i = 0; i < run->asks->len; i++)
    {
      Ask *ask = &g_array_index (run->asks, Ask, i);

      if (ask->dealt_with)
        continue;
      ask->dealt_with = TRUE;
      if (!is_same_file (run, ask))
        resubmit (run, ask);
      else if (th_job_is_cached (&run->job, ask->uri, ask->waiter.flavor))
        settle (run, ask, TH_OUTCOME_READY, NULL);
      else
        ask->dealt_with = FALSE;
    }
}

/* What is to be made for those that wait on. */
static ThFlavors
wait_on (Run *run)
{
  ThEngine *engine = run->engine;
  ThFlavors flavors;

  g_mutex_lock (&engine->lock);
  for (guint i = 0; i < run->asks->len; i++)
    {
      const Ask *ask = &g_array_index (run->asks, Ask, i);

      if (!ask->dealt_with)
        th_scheduler_put_back (run->lane->scheduler, run->file, &ask->waiter);
    }
  flavors = th_scheduler_narrow (run->lane->scheduler, run->file);
  g_mutex_unlock (&engine->lock);
  return flavors;
}

/* One failed decode counts once, however many wait for it. What cannot be written down is tried
 * again, no worse. */
static void
remember (Run *run, const Ask *ask, const GError *failure)
{
  const ThEngine *engine = run->engine;
  ThFailBasis basis = engine->check_tools.basis;
  g_autofree char *programs = NULL;

  if (!th_fail_lasts (run->job.status) || !g_hash_table_add (run->marked, g_strdup (ask->uri)))
    return;
  if (run->by_programs)
    basis.handler = programs = th_check_programs (engine->check_tools.entries, type_of (ask));
  th_fail_store (engine->cache, ask->uri, &run->job.source.stamp, &basis, run->job.status,
                 run->job.box, failure->message, NULL);
}

/* What the type did not tell: which format's rules the file is under. */
static gboolean
is_allowed (Run *run, const Ask *ask, GError **error)
{
  const ThSource *source = &run->job.source;
  g_autofree char *path = th_uri_to_path (ask->uri, run->lane->apart ? NULL : error);
  g_autofree char *why = NULL;

  if (path == NULL && !run->lane->apart)
    return FALSE;
  why = th_check_codec (run->engine->options.rules, path != NULL ? path : ask->uri,
                        run->lane->apart ? source->path : NULL, source->stamp.size,
                        run->job.decoded.codec);
  if (why == NULL)
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_UNSUPPORTED, "a rule forbids it: %s", why);
  return FALSE;
}

static gboolean
store (Run *run, const Ask *ask, GError **error)
{
  ThFlavors bit = TH_FLAVOR_BIT (ask->waiter.flavor);
  ThFlavors done = GPOINTER_TO_UINT (g_hash_table_lookup (run->stored, ask->uri));

  if ((done & bit) != 0)
    return TRUE;
  if (!is_allowed (run, ask, error)
      || !th_job_store (&run->job, ask->uri, ask->waiter.flavor, error))
    return FALSE;
  th_fail_forget (run->engine->cache, ask->uri, th_flavor_box (ask->waiter.flavor));
  g_hash_table_replace (run->stored, g_strdup (ask->uri), GUINT_TO_POINTER (done | bit));
  return TRUE;
}

/* What was just stored is of a file that has left that name: moved away, deleted or replaced while
 * the thumbnail was made. Whoever told the cache so may have been too early to find this one. */
static gboolean
take_back (Run *run, const Ask *ask)
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
is_for_programs (Run *run, const Ask *ask)
{
  ThEntries *entries = run->engine->check_tools.entries;
  gboolean served;

  if (run->lane->runs_programs || run->job.status != TH_STATUS_NOT_MINE)
    return FALSE;
  served = th_entries_serve (entries, type_of (ask));
  for (guint i = 0; i < G_N_ELEMENTS (run->sniffed) && !served; i++)
    served = run->sniffed[i] != NULL && th_entries_serve (entries, run->sniffed[i]);
  return served;
}

static void
hand_over (Run *run, const Ask *ask)
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

/* As which file those are held who wait for what is open. */
static ThFileKey
held_key (const Run *run)
{
  return run->lane->apart ? th_apart_key (run->uri) : th_hold_key (&run->job);
}

/* Whether the file that was opened is known to be in motion; what comes of it is not looked at. */
static gboolean
is_moving (Run *run)
{
  ThFileKey key = held_key (run);

  run->held = th_hold_is_moving (run->lane, &key, &run->job, run->began_at);
  return run->held;
}

/* The state it is in does not matter. */
static gboolean
leads_to_file (const Run *run, const Ask *ask)
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
hold (Run *run, const Ask *ask)
{
  ThFileKey key = held_key (run);

  if (leads_to_file (run, ask))
    th_hold_waiter (run->lane, &key, &run->job, ask->request, &ask->waiter);
  else
    resubmit (run, ask);
}

static void
answer (Run *run, const Ask *ask, const GError *failure)
{
  g_autoptr (GError) error = NULL;

  if (run->held && !is_for_programs (run, ask))
    hold (run, ask);
  else if (!is_same_file (run, ask))
    resubmit (run, ask);
  else if (failure != NULL && is_for_programs (run, ask))
    hand_over (run, ask);
  else if (failure != NULL)
    {
      remember (run, ask, failure);
      settle_error (run, ask, failure);
    }
  else if (!store (run, ask, &error))
    settle_error (run, ask, error);
  else if (take_back (run, ask))
    resubmit (run, ask);
  else
    settle (run, ask, TH_OUTCOME_READY, NULL);
}

/* Until nobody waits any more, then the job is gone. Some may join meanwhile. */
static void
answer_all (Run *run, const GError *failure)
{
  ThEngine *engine = run->engine;
  gboolean over;

  do
    {
      g_mutex_lock (&engine->lock);
      collect (run);
      over = run->asks->len == 0 && th_scheduler_finish (run->lane->scheduler, run->file);
      g_mutex_unlock (&engine->lock);
      for (guint i = 0; i < run->asks->len; i++)
        answer (run, &g_array_index (run->asks, Ask, i), failure);
    }
  while (!over);
}

static gboolean
says_something (Run *run, const char *type)
{
  const char *codec = th_mime_codec (run->engine->mime, type);

  return codec == NULL || *codec != '\0';
}

static void
run_programs (Run *run, ThFlavors flavors, GError **error)
{
  g_autoptr (GPtrArray) types = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < run->asks->len; i++)
    {
      const char *type = type_of (&g_array_index (run->asks, Ask, i));

      if (says_something (run, type)
          && !g_ptr_array_find_with_equal_func (types, type, g_str_equal, NULL))
        g_ptr_array_add (types, g_strdup (type));
    }
  for (guint i = 0; i < G_N_ELEMENTS (run->sniffed); i++)
    if (run->sniffed[i] != NULL)
      g_ptr_array_add (types, g_strdup (run->sniffed[i]));
  g_ptr_array_add (types, NULL);
  run->by_programs = TRUE;
  th_job_run_programs (&run->job, flavors, (const char *const *) types->pdata, error);
}

/* Data decide: what is ours to decode is decoded by us, whatever it is called. What is not is a
 * matter for others, if anybody's. */
static void
decode (Run *run, GError **error)
{
  ThFlavors flavors;

  look_again (run);
  flavors = wait_on (run);
  if (flavors == 0 || is_moving (run) || th_job_decode (&run->job, flavors, error)
      || run->job.status != TH_STATUS_NOT_MINE)
    return;
  th_types_sniff (run->job.source.fd, run->job.source.path, run->sniffed);
  if (!run->lane->runs_programs)
    return;
  g_clear_error (error);
  run_programs (run, flavors, error);
}

/* Settles those for whom nothing is to be made, now that the file has been looked at. */
static void
judge_apart (Run *run)
{
  for (guint i = 0; i < run->asks->len; i++)
    {
      Ask *ask = &g_array_index (run->asks, Ask, i);
      g_auto (ThCheck) check = { 0 };

      if (!is_same_file (run, ask))
        continue;
      th_far_check (&run->far, type_of (ask), ask->waiter.flavor, &check);
      ask->dealt_with = check.verdict != TH_CHECK_MAKE;
      if (check.verdict == TH_CHECK_VALID)
        settle (run, ask, TH_OUTCOME_READY, NULL);
      else if (check.verdict == TH_CHECK_ERROR)
        settle (run, ask, (gint32) check.code, g_steal_pointer (&check.message));
    }
}

/* What is apart no more all start over with. */
static gboolean
look_apart (Run *run, GError **error)
{
  const char *uri = run->asks->len > 0 ? g_array_index (run->asks, Ask, 0).uri : NULL;

  if (uri == NULL || !th_far_name (&run->far, run->engine, uri))
    return FALSE;
  run->uri = g_strdup (uri);
  return th_far_look (&run->far, &run->job, error);
}

/* Nothing of such a file is touched here: others look at it, and fetch it. */
static void
decode_apart (Run *run, GError **error)
{
  ThFlavors flavors;

  judge_apart (run);
  flavors = wait_on (run);
  if (flavors == 0 || is_moving (run) || th_far_decode (&run->far, flavors, error)
      || run->job.status != TH_STATUS_NOT_MINE)
    return;
  th_types_sniff (run->job.source.fd, run->job.source.path, run->sniffed);
  if (!th_far_open_for_programs (&run->far, NULL))
    return;
  g_clear_error (error);
  run_programs (run, flavors, error);
}

void
th_run_job (ThLane *lane, ThClass klass, ThFileJob *file)
{
  ThEngine *engine = lane->engine;
  g_autoptr (GError) error = NULL;
  Run run;

  run_init (&run, lane, klass, file);
  g_mutex_lock (&engine->lock);
  th_file_job_set_data (file, &run.job);
  collect (&run);
  g_mutex_unlock (&engine->lock);
  if (lane->apart ? look_apart (&run, &error) : open_source (&run))
    {
      if (lane->apart)
        decode_apart (&run, &error);
      else
        decode (&run, &error);
      run.held = run.held || th_hold_doubts (lane, &run.job, run.by_programs);
    }
  else
    wait_on (&run);
  answer_all (&run, error);
  run_clear (&run);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run of files that specialised thumbnailers serve: they are asked one after the other, and what
 * none of them makes goes on to where it would have gone without them. */
#include "config.h"

#include "cache/th-uri.h"
#include "engine/th-engine-private.h"
#include "engine/th-lookout.h"
#include "engine/th-message.h"
#include "engine/th-run-private.h"

/* What became of one thumbnail. */
typedef struct
{
  char *uri;
  char *mime_type;
  ThFlavor flavor;
  gboolean made;
  GError *error; /* of the last one that was asked */
} Wanted;

static void
wanted_clear (Wanted *wanted)
{
  g_free (wanted->uri);
  g_free (wanted->mime_type);
  g_clear_error (&wanted->error);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Wanted, wanted_clear)

/* It writes the thumbnail itself, and is believed as far as the cache is. Of a file that nobody
 * here can look at it is only known that the thumbnail is of this URI. */
static ThCacheState
look_in_cache (ThRun *run, const Wanted *wanted)
{
  ThEngine *engine = run->engine;
  ThLookout lookout = { engine->mounts, engine->readers, engine->silence };
  g_autofree char *path = th_uri_to_path (wanted->uri, NULL);
  ThStamp stamp = { 0 };
  struct stat st;

  if (path != NULL && th_lookout_look (path, &stamp, &st, &lookout) != TH_LOOK_FOUND)
    return TH_CACHE_MISSING;
  return th_cache_lookup (engine->cache, wanted->uri, wanted->flavor, &stamp);
}

static gboolean
is_in_cache (ThRun *run, const Wanted *wanted)
{
  gboolean local = g_ascii_strncasecmp (wanted->uri, "file:", 5) == 0;
  ThCacheState state = look_in_cache (run, wanted);

  return state == TH_CACHE_VALID || (!local && state == TH_CACHE_STALE);
}

static gboolean
ask_one (ThRun *run, const ThSpecialist *specialist, const Wanted *wanted, GError **error)
{
  const ThSpecialistCaller *caller = &run->engine->check_tools.specialist_caller;
  const ThSpecialistAsk ask = {
    .uri = wanted->uri,
    .mime_type = wanted->mime_type,
    .flavor = th_flavor_name (wanted->flavor),
    .wall_ms = run->engine->options.specialist_ms,
    .cancelled = &run->job.cancelled,
  };

  if (!caller->call (specialist, &ask, caller->data, error))
    return FALSE;
  if (is_in_cache (run, wanted))
    return TRUE;
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER,
               "%s said that it is ready, but there is no valid thumbnail", specialist->name);
  return FALSE;
}

/* What lies far was not looked for in the cache so far. */
static void
ask_all (ThRun *run, Wanted *wanted)
{
  g_autofree char *scheme = g_uri_parse_scheme (wanted->uri);
  g_autoptr (GPtrArray) specialists = th_specialists_find (
      run->engine->specialists, scheme != NULL ? scheme : "", wanted->mime_type);

  wanted->made = look_in_cache (run, wanted) == TH_CACHE_VALID;
  for (guint i = 0; i < specialists->len && !wanted->made; i++)
    {
      g_clear_error (&wanted->error);
      wanted->made = ask_one (run, specialists->pdata[i], wanted, &wanted->error);
      if (g_atomic_int_get (&run->job.cancelled) != 0)
        return;
    }
}

/* To our own decoders and programs, if they try such a file; else that was the answer. */
static void
hand_on (ThRun *run, const ThAsk *ask, const Wanted *wanted)
{
  ThEngine *engine = run->engine;
  g_auto (ThChecker) checker = { .tools = &engine->check_tools, .without_specialists = TRUE };
  g_auto (ThCheck) check = { 0 };

  th_check (&checker, ask->uri, wanted->mime_type, ask->waiter.flavor, &check);
  if (check.reason == TH_REASON_NO_TYPE || check.reason == TH_REASON_NOT_LOCAL)
    {
      if (wanted->error != NULL)
        th_run_settle_error (run, ask, wanted->error);
      else
        th_run_settle (run, ask, (gint32) check.code, g_steal_pointer (&check.message));
      return;
    }
  g_mutex_lock (&engine->lock);
  /* What it left, or somebody else meanwhile: the one ready of what was valid from the start is
   * over. */
  if (check.verdict == TH_CHECK_VALID)
    th_engine_settle (engine, ask->request, ask->waiter.index, TH_OUTCOME_READY, NULL);
  else
    th_engine_apply (engine, ask->request, ask->waiter.index, ask->waiter.flavor, &check);
  th_engine_start_decoders (engine);
  th_engine_wake (engine);
  g_mutex_unlock (&engine->lock);
}

static gboolean
is_wanted (const ThAsk *ask, const Wanted *wanted)
{
  return ask->waiter.flavor == wanted->flavor && g_str_equal (ask->uri, wanted->uri)
         && g_str_equal (th_run_type_of (ask), wanted->mime_type);
}

static void
answer (ThRun *run, const Wanted *wanted)
{
  for (guint i = 0; i < run->asks->len; i++)
    {
      ThAsk *ask = &g_array_index (run->asks, ThAsk, i);

      if (!is_wanted (ask, wanted))
        continue;
      ask->dealt_with = TRUE;
      if (wanted->made)
        th_run_settle (run, ask, TH_OUTCOME_READY, NULL);
      else
        hand_on (run, ask, wanted);
    }
}

/* FALSE: nobody waits any more, and the job is gone. */
static gboolean
collect (ThRun *run)
{
  ThEngine *engine = run->engine;
  gboolean over;

  g_mutex_lock (&engine->lock);
  th_run_collect (run);
  over = run->asks->len == 0 && th_scheduler_finish (run->lane->scheduler, run->file);
  g_mutex_unlock (&engine->lock);
  return !over;
}

/* While one is asked they wait in the job, where whoever gives a request up finds them. */
void
th_run_specialists (ThRun *run)
{
  while (collect (run))
    {
      g_auto (Wanted) wanted = { 0 };

      if (run->asks->len == 0)
        continue;
      wanted.uri = g_strdup (g_array_index (run->asks, ThAsk, 0).uri);
      wanted.mime_type = g_strdup (th_run_type_of (&g_array_index (run->asks, ThAsk, 0)));
      wanted.flavor = g_array_index (run->asks, ThAsk, 0).waiter.flavor;
      if (th_run_wait_on (run) == 0)
        continue;
      ask_all (run, &wanted);
      if (!collect (run))
        return;
      answer (run, &wanted);
      th_run_wait_on (run);
    }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-cache-work.h"

#include "cache/th-follow.h"
#include "cache/th-forget.h"
#include "engine/th-check.h"
#include "engine/th-errands.h"
#include "engine/th-privacy.h"

typedef struct
{
  ThCacheWork *work;
  ThCacheTask task; /* with strings of its own */
  ThEngineDone done;
  gpointer data;
} Errand;

struct _ThCacheWork
{
  const ThCache *cache;
  const ThRules *rules;
  ThLookout lookout;
  ThLooker looker;
  gboolean keep_encrypted;
  ThErrands *errands;
};

static char **
copy_strings (const char *const *strings, guint n)
{
  char **copy = g_new0 (char *, (gsize) n + 1);

  for (guint i = 0; i < n; i++)
    copy[i] = g_strdup (strings[i]);
  return copy;
}

/* Where that might take for ever links are not followed. *why: nothing is kept of what lies there.
 */
static char *
resolve (const ThCacheWork *work, const char *path, char **why)
{
  g_autoptr (ThMount) mount = NULL;
  char *real_path = NULL;

  if (path[0] == '/')
    mount = th_mounts_resolve (work->lookout.mounts, path, &real_path);
  if (mount != NULL && !work->keep_encrypted)
    *why = th_privacy_forbid (work->lookout.mounts, mount, work->cache);
  return real_path != NULL ? real_path : g_strdup (path);
}

/* Not a thumbnail itself, not secret, and not forbidden by the rules. */
static gboolean
is_allowed (const char *path, guint64 size, gpointer data)
{
  const ThCacheWork *work = data;
  g_autofree char *why = NULL;
  g_autofree char *real_path = resolve (work, path, &why);

  if (th_cache_contains (work->cache, real_path))
    return FALSE;
  if (why == NULL && work->rules != NULL)
    why = th_check_codec (work->rules, path, real_path, size, "");
  return why == NULL;
}

static void
follow (const ThCacheWork *work, const ThCacheTask *task, const gint *stop)
{
  const ThFollowOptions options = {
    .kind = task->kind == TH_CACHE_WORK_MOVE ? TH_FOLLOW_MOVE : TH_FOLLOW_COPY,
    .allowed = is_allowed,
    .data = (gpointer) work,
    .looker = &work->looker,
    .stop = stop,
  };

  th_follow (work->cache, &options, task->uris, task->to, task->n);
}

static void delete (const ThCacheWork *work, const ThCacheTask *task, const gint *stop)
{
  th_forget_uris (work->cache, task->uris, task->n, task->had, stop);
}

static void
clean_up (const ThCacheWork *work, const ThCacheTask *task, const gint *stop)
{
  if (task->since == 0)
    th_forget_below (work->cache, task->uris, task->n, &work->looker, stop);
  else
    th_forget_older (work->cache, task->uris, task->n, task->since, stop);
}

static void (*const operations[TH_N_CACHE_WORKS]) (const ThCacheWork *work, const ThCacheTask *task,
                                                   const gint *stop) = {
  [TH_CACHE_WORK_MOVE] = follow,
  [TH_CACHE_WORK_COPY] = follow,
  [TH_CACHE_WORK_DELETE] = delete,
  [TH_CACHE_WORK_CLEANUP] = clean_up,
};

static void
run (gpointer pushed, const gint *stop)
{
  const Errand *errand = pushed;

  operations[errand->task.kind](errand->work, &errand->task, stop);
}

static void
tell (gpointer pushed, gboolean complete)
{
  Errand *errand = pushed;

  errand->done (complete, errand->data);
  g_strfreev ((char **) errand->task.uris);
  g_strfreev ((char **) errand->task.to);
  g_free (errand);
}

static const ThErrandKind errand_kind = { run, tell };

ThCacheWork *
th_cache_work_new (const ThCache *cache, const ThRules *rules, const ThLookout *lookout,
                   gboolean keep_encrypted, GError **error)
{
  ThErrands *errands = th_errands_new ("thimble cache work", error);
  ThCacheWork *work;

  if (errands == NULL)
    return NULL;
  work = g_new0 (ThCacheWork, 1);
  work->cache = cache;
  work->rules = rules;
  work->lookout = *lookout;
  work->keep_encrypted = keep_encrypted;
  work->looker = (ThLooker){ th_lookout_look, &work->lookout };
  work->errands = errands;
  return work;
}

void
th_cache_work_free (ThCacheWork *work)
{
  th_errands_free (work->errands);
  g_free (work);
}

void
th_cache_work_push (ThCacheWork *work, const ThCacheTask *task, ThEngineDone done, gpointer data)
{
  Errand *errand = g_new0 (Errand, 1);

  errand->work = work;
  errand->task = *task;
  errand->task.uris = (const char *const *) copy_strings (task->uris, task->n);
  errand->task.to =
      task->to != NULL ? (const char *const *) copy_strings (task->to, task->n) : NULL;
  errand->done = done;
  errand->data = data;
  th_errands_push (work->errands, &errand_kind, errand);
}

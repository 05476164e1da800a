/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-cache-work.h"
#include "engine/th-engine-private.h"

void
th_engine_cache_move (ThEngine *engine, const char *const *from, const char *const *to, guint n,
                      ThEngineDone done, gpointer data)
{
  const ThCacheTask task = { .kind = TH_CACHE_WORK_MOVE, .uris = from, .to = to, .n = n };

  th_cache_work_push (engine->cache_work, &task, done, data);
}

void
th_engine_cache_copy (ThEngine *engine, const char *const *from, const char *const *to, guint n,
                      ThEngineDone done, gpointer data)
{
  const ThCacheTask task = { .kind = TH_CACHE_WORK_COPY, .uris = from, .to = to, .n = n };

  th_cache_work_push (engine->cache_work, &task, done, data);
}

void
th_engine_cache_delete (ThEngine *engine, const char *const *uris, guint n, ThEngineDone done,
                        gpointer data)
{
  const ThCacheTask task = { .kind = TH_CACHE_WORK_DELETE, .uris = uris, .n = n };

  th_cache_work_push (engine->cache_work, &task, done, data);
}

void
th_engine_cache_forget (ThEngine *engine, const char *const *uris, guint n, guint32 *had,
                        ThEngineDone done, gpointer data)
{
  const ThCacheTask task = { .kind = TH_CACHE_WORK_DELETE, .uris = uris, .n = n, .had = had };

  th_cache_work_push (engine->cache_work, &task, done, data);
}

void
th_engine_cache_cleanup (ThEngine *engine, const char *const *base_uris, guint n, guint32 since,
                         ThEngineDone done, gpointer data)
{
  const ThCacheTask task = {
    .kind = TH_CACHE_WORK_CLEANUP,
    .uris = base_uris,
    .n = n,
    .since = since,
  };

  th_cache_work_push (engine->cache_work, &task, done, data);
}

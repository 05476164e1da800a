/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on the cache that follow what happened to files, one after the other in a thread of
 * their own. Knows no request and no worker. */
#pragma once

#include "cache/th-cache.h"
#include "engine/th-engine.h"
#include "engine/th-lookout.h"
#include "engine/th-rules.h"

typedef enum
{
  TH_CACHE_WORK_MOVE,
  TH_CACHE_WORK_COPY,
  TH_CACHE_WORK_DELETE,
  TH_CACHE_WORK_CLEANUP,
  TH_N_CACHE_WORKS
} ThCacheWorkKind;

typedef struct
{
  ThCacheWorkKind kind;
  const char *const *uris; /* from, or base URIs */
  const char *const *to;   /* of a move or copy */
  guint n;
  guint32 since; /* of a cleanup */
  guint32 *had;  /* of a delete: see th-forget.h; borrowed, may be NULL */
} ThCacheTask;

typedef struct _ThCacheWork ThCacheWork;

/* cache, rules and what lookout holds are borrowed. keep_encrypted: see ThCheckTools. NULL: no
 * thread can be started. */
ThCacheWork *th_cache_work_new (const ThCache *cache, const ThRules *rules,
                                const ThLookout *lookout, gboolean keep_encrypted, GError **error);
/* What runs ends early, what waits is not begun; all that has not been told is told from within,
 * with FALSE where it is not complete. */
void th_cache_work_free (ThCacheWork *work);
/* The task is copied. done is called once, from the main context that was the thread default of
 * th_cache_work_new, in the order of the calls. */
void th_cache_work_push (ThCacheWork *work, const ThCacheTask *task, ThEngineDone done,
                         gpointer data);

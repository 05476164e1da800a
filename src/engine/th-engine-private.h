/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the engine share. Not for anybody else. */
#pragma once

#include "engine/th-cache-work.h"
#include "engine/th-check.h"
#include "engine/th-counters.h"
#include "engine/th-errands.h"
#include "engine/th-job.h"
#include "engine/th-lanes.h"
#include "engine/th-motion.h"
#include "engine/th-mounts.h"
#include "engine/th-outbox.h"
#include "engine/th-readers.h"
#include "engine/th-scheduler.h"
#include "engine/th-silence.h"

struct _ThEngine
{
  ThEngineOptions options;
  ThEngineEvents events;
  gpointer data;
  gint64 began_at;
  char **far_schemes;    /* that GVfs serves, once known; these two are for engine->questions */
  gint64 ask_schemes_at; /* monotonic time before which it is not asked again */
  ThCache *cache;
  ThExternal *external;
  ThMime *mime;
  ThPool *pool;
  ThAdmission *admission;
  ThJobTools tools;
  char *handler;
  ThCheckTools check_tools;
  ThCacheWork *cache_work;
  ThErrands *questions;
  ThErrands *leaves; /* NULL before the first */
  GSource *source;
  GThreadPool *walkers;
  guint n_walkers;
  ThSpecialists *specialists;
  ThMounts *mounts;
  ThReaders *readers;
  ThSilence *silence;  /* th-apart.h names */
  ThAdmission *copies; /* memory of what readers fetch */
  ThLanes lanes;

  GMutex lock; /* of all below, of the requests' progress, and of the jobs' waiters */
  ThOutbox *outbox;
  ThCounters counters;
  ThMotion *motion;
  GHashTable *requests; /* handle → ThRequest, until finished is sent */
  GQueue parked;        /* requests whose cheap pass waits for the outbox to drain */
  guint32 last_handle;
  guint64 queued; /* URIs of requests, and bytes of their text */
  guint64 queued_bytes;
  gint64 tend_at;    /* when the pool wants to be tended, 0: not at all */
  gboolean tidied;   /* what earlier processes left in the cache is gone */
  gboolean trim;     /* a large request is over */
  gboolean held;     /* th_engine_hold_events */
  gboolean outdated; /* it was told */
  gboolean closing;
};

/* What is not given is filled in. own is cleared by th_engine_options_clear. */
void th_engine_options_copy (ThEngineOptions *own, const ThEngineOptions *options);

/* The next ones, up to th_engine_wake, under the lock. */
/* th_outbox_settle: the answer to one URI. */
void th_engine_settle (ThEngine *engine, ThRequest *request, guint32 index, gint32 code,
                       char *message);
/* Does what the cheap pass found about one URI. */
void th_engine_apply (ThEngine *engine, ThRequest *request, guint32 index, ThFlavor flavor,
                      ThCheck *check);
/* TRUE: its file lies on a mount that is about to go, and it has been told so. */
gboolean th_engine_has_left (ThEngine *engine, ThRequest *request, guint32 index,
                             const ThFileKey *key);
/* Sets threads to work on what waits. */
void th_engine_start_decoders (ThEngine *engine);
/* Forgets what waits for a request. */
void th_engine_drop (ThEngine *engine, guint32 handle);
/* Sees to it that the main context does what is to be done there. */
void th_engine_wake (ThEngine *engine);

/* Without the lock. Fewer threads than asked for are enough; FALSE where there is none, for what is
 * pushed would wait for ever. The pool is there afterwards. */
gboolean th_engine_start_pool (GThreadPool **pool, GFunc function, gpointer data, guint threads,
                               GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the engine share. Not for anybody else. */
#pragma once

#include "engine/th-cache-work.h"
#include "engine/th-check.h"
#include "engine/th-job.h"
#include "engine/th-outbox.h"
#include "engine/th-scheduler.h"

struct _ThEngine
{
  ThEngineOptions options;
  ThEngineEvents events;
  gpointer data;
  char **schemes;
  ThCache *cache;
  ThMime *mime;
  ThPool *pool;
  ThAdmission *admission;
  ThJobTools tools;
  char *handler;
  ThCheckTools check_tools;
  ThCacheWork *cache_work;
  GSource *source;
  GThreadPool *walkers;
  guint n_walkers;
  GThreadPool *decoders[TH_N_CLASSES];

  GMutex lock; /* of all below, of the requests' progress, and of the jobs' waiters */
  ThScheduler *scheduler;
  ThOutbox *outbox;
  GHashTable *requests; /* handle → ThRequest, until finished is sent */
  GQueue parked;        /* requests whose cheap pass waits for the outbox to drain */
  guint32 last_handle;
  guint active[TH_N_CLASSES]; /* decoding threads that are at work */
  gint64 tend_at;             /* when the pool wants to be tended, 0: not at all */
  gboolean tidied;            /* what earlier processes left in the cache is gone */
  gboolean trim;              /* a large request is over */
  gboolean closing;
};

/* All three under the lock. */
/* Does what the cheap pass found about one URI. */
void th_engine_apply (ThEngine *engine, ThRequest *request, guint32 index, ThFlavor flavor,
                      ThCheck *check);
/* Sets decoding threads to work on what waits. */
void th_engine_start_decoders (ThEngine *engine);
/* Sees to it that the main context does what is to be done there. */
void th_engine_wake (ThEngine *engine);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the pool consists of. Only for its own two files. */
#pragma once

#include "engine/th-pool.h"
#include "engine/th-process.h"
#include "engine/th-program.h"

typedef struct
{
  ThProcess process;
  guint64 data_base;
  ThPoolGreeting greeting;
  guint files;
  guint32 last_job;
  const gint *aborted; /* of the job it is at */
  gint64 since;        /* idle: when it became so; ended: when it is killed, 0 once it has been */
} ThPoolWorker;

struct _ThPool
{
  GMutex lock;
  ThPoolOptions options;
  ThProgram worker;
  gboolean outdated;         /* a worker said so */
  GQueue idle[TH_N_CLASSES]; /* most recently used first, so that the others age */
  GQueue busy;
  GQueue ended; /* not reaped yet */
  gboolean closed;
  char *trouble;
  gint64 retry_at;
  gint64 retry_delay;
};

/* Under the lock: out of sight, to be reaped. */
void th_pool_bury (ThPool *pool, ThPoolWorker *worker, gboolean kill_it);
/* Both set error. */
ThStatus th_pool_refuse (ThStatus status, const char *text, GError **error);
ThStatus th_pool_say_cancelled (GError **error);

/* Not under the lock: it takes a millisecond, or seconds. A new worker is busy. */
ThStatus th_pool_start_worker (ThPool *pool, ThPoolWorker **started, GError **error);

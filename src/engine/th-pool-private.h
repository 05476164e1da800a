/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the pool consists of. Only for its own files. */
#pragma once

#include "engine/th-pool.h"
#include "engine/th-process.h"
#include "engine/th-program.h"
#include "wire/th-result.h"

/* Where workers of one kind come from, and what is remembered of those that did not start. */
typedef struct
{
  const char *module; /* interned; NULL: built in */
  ThProgram program;
  char *trouble;
  gint64 retry_at;
  gint64 retry_delay;
} ThPoolKind;

typedef struct
{
  const ThPoolKind *kind;
  ThProcess process;
  guint64 data_base;
  ThResultRoom room;
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
  ThPoolKind builtin;
  GHashTable *modules;       /* name, interned → ThPoolKind; they stay, those that left, too */
  gboolean outdated;         /* a built-in worker said so */
  GQueue idle[TH_N_CLASSES]; /* most recently used first, so that the others age */
  GQueue busy;
  GQueue ended; /* not reaped yet */
  gboolean closed;
  guint64 outcomes[TH_N_STATUSES]; /* of jobs */
};

/* Under the lock: out of sight, to be reaped. */
void th_pool_bury (ThPool *pool, ThPoolWorker *worker, gboolean kill_it);
/* Both set error. */
ThStatus th_pool_refuse (ThStatus status, const char *text, GError **error);
ThStatus th_pool_say_cancelled (GError **error);

void th_pool_kinds_init (ThPool *pool);
void th_pool_kinds_clear (ThPool *pool);
/* Under the lock. */
ThPoolKind *th_pool_kind (ThPool *pool, const char *module);
/* Under the lock: whether it is too early to try again; error says what is the matter. */
gboolean th_pool_is_in_trouble (ThPool *pool, const ThPoolKind *kind, GError **error);

/* Not under the lock: it takes a millisecond, or seconds. A new worker is busy. */
ThStatus th_pool_start_worker (ThPool *pool, ThPoolKind *kind, ThPoolWorker **started,
                               GError **error);

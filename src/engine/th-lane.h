/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that take files of one kind, one after the other: a queue of their own, so that slow ones
 * hold up nobody else. Knows the engine's inside. */
#pragma once

#include "engine/th-check.h"
#include "engine/th-scheduler.h"

typedef struct
{
  ThEngine *engine;
  guint threads;          /* of each class */
  gboolean runs_programs; /* of others, where no decoder of ours knows the data */
  gboolean apart;         /* its files lie where nobody may answer: only readers touch them */
  GThreadPool *decoders[TH_N_CLASSES];
  /* Under the engine's lock. */
  ThScheduler *scheduler;
  guint active[TH_N_CLASSES]; /* threads that are at work */
} ThLane;

void th_lane_init (ThLane *lane, ThEngine *engine, guint threads);
/* FALSE: some class has no thread. All pools are there afterwards. */
gboolean th_lane_start (ThLane *lane, GError **error);
/* The engine is closing: waits for the threads. */
void th_lane_stop (ThLane *lane);
void th_lane_clear (ThLane *lane);

/* Under the lock. A waiter for a file of this lane: it is decoded next, or, where others are held
 * for it, looked at again with them. */
void th_lane_add (ThLane *lane, const ThFileKey *key, const ThWaiter *waiter);
/* Under the lock. Sets threads to work on what waits. */
void th_lane_wake (ThLane *lane);
/* Under the lock. th_scheduler_pull_running; what runs for nobody any more is ended at once. */
void th_lane_pull_running (ThLane *lane,
                           gboolean (*match) (const ThFileKey *key, const ThWaiter *waiter,
                                              gpointer data),
                           gpointer data, GArray *out);
/* Under the lock. Forgets a request; what runs for nobody any more is told so. */
void th_lane_drop (ThLane *lane, guint32 handle);

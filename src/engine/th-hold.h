/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holding those whose file is still being written, as th-motion says. Knows the engine's inside,
 * and looks at no file. */
#pragma once

#include "engine/th-job.h"
#include "engine/th-lane.h"
#include "engine/th-motion.h"
#include "engine/th-request.h"

/* What a job has open, and its state. */
ThFileKey th_hold_key (const ThJob *job);

/* Without the lock. Whether the file that a job has just opened, not before now, is known not to be
 * at rest; nothing is to be made of it then. key: as which file its waiters are held. */
gboolean th_hold_is_moving (ThLane *lane, const ThFileKey *key, ThJob *job, gint64 now);
/* Without the lock. After the work: whether what came of it is not to be believed. */
gboolean th_hold_doubts (ThLane *lane, const ThJob *job, gboolean by_program);
/* Without the lock. The waiter, which is nowhere else, waits for the file, or is told that it took
 * too long. */
void th_hold_waiter (ThLane *lane, const ThFileKey *key, const ThJob *job, ThRequest *request,
                     const ThWaiter *waiter);

/* The next two under the lock. */
/* TRUE: others are held for this file, and the waiter is now, too. */
gboolean th_hold_join (ThLane *lane, const ThFileKey *key, const ThWaiter *waiter);
/* Gives those whose files are to be looked at again to their lanes; not very many at once. */
void th_hold_release_due (ThEngine *engine, gint64 now);

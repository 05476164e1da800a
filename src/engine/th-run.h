/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A job of the scheduler from being taken to its last waiter: whom the file's way is gone for, and
 * what each is told. Knows the engine's inside, no thread. */
#pragma once

#include "engine/th-lane.h"

/* Without the lock; the job was taken by this class and is gone afterwards. */
void th_run_job (ThLane *lane, ThClass klass, ThFileJob *file);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One file for a worker whose decoder is an attacker's. */
#pragma once

#include "hostile/hostile-source.h"
#include "hostile/hostile-worker.h"

#define EVIL_WORKER "thimble-worker-evil"
/* The same decoder where threads are allowed. */
#define THREADS_WORKER "thimble-worker-threads"
/* And where fonts may be read. */
#define FONTS_WORKER "thimble-worker-fonts"

/* Deadlines that only what never ends can miss. */
ThLimits hostile_limits (void);
/* Starts it; it must have locked itself down. */
void hostile_start (Worker *worker, const char *program);
ThStatus hostile_decode (const Worker *worker, const Source *source, const ThLimits *limits,
                         ThDecoded *decoded, GError **error);
/* A good file is served as if nothing had been, by this worker or by a fresh one. */
void hostile_check_good_file_on (const Worker *worker);
void hostile_check_good_file (void);

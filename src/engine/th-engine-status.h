/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How an engine is doing at this moment: for people who want to know, never for decisions. */
#pragma once

#include "engine/th-counters.h"
#include "engine/th-engine.h"
#include "engine/th-pool.h"

typedef struct
{
  guint64 uptime;               /* µs */
  guint requests;               /* whose finished has not been sent */
  guint64 queued[TH_N_CLASSES]; /* URIs that are neither ready nor refused */
  guint running[TH_N_CLASSES];  /* threads that are at a file */
  guint64 budget;               /* bytes that decodes may take together */
  guint64 budget_used;          /* and what they have been granted now */
  guint64 memory;               /* bytes of this process in RAM */
  guint64 recent_files;         /* of the last TH_COUNTERS_RECENT seconds */
  guint64 recent_bytes;
  ThCounters counters;
  guint64 decodes[TH_N_STATUSES]; /* how they ended; a file may be decoded several times */
  GArray *workers;                /* ThPoolWorkerInfo */
  char *trouble;                  /* as th_engine_trouble, th_engine_external_trouble; or NULL */
  char *external_trouble;
} ThEngineStatus;

void th_engine_status (ThEngine *engine, ThEngineStatus *status);
void th_engine_status_clear (ThEngineStatus *status);

/* Bytes of a process in RAM; 0 where it is gone. */
guint64 th_engine_status_memory (pid_t pid);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThEngineStatus, th_engine_status_clear)

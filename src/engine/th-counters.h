/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an engine has done since it is there, and in the last seconds. Holds no clock and no lock.
 */
#pragma once

#include "base/th-error.h"

/* Seconds that count as recent. */
#define TH_COUNTERS_RECENT 10u
/* Numbers of ThError. */
#define TH_N_ERRORS (TH_ERROR_OTHER + 1)

typedef struct
{
  gint64 second; /* of the monotonic clock */
  guint64 files;
  guint64 bytes;
} ThCountedSecond;

typedef struct
{
  guint64 hits;                /* URIs that had a valid thumbnail when they were looked at */
  guint64 misses;              /* and those for which one was to be made */
  guint64 thumbnails;          /* that were written */
  guint64 files;               /* that something was written of */
  guint64 bytes;               /* of these files */
  guint64 ready;               /* URIs that were told to be ready */
  guint64 errors[TH_N_ERRORS]; /* and those that were told an error */
  ThCountedSecond recent[TH_COUNTERS_RECENT + 1];
} ThCounters;

/* Counts a file of so many bytes; now is monotonic time. */
void th_counters_add_file (ThCounters *counters, guint64 bytes, gint64 now);
/* Files and bytes of the last whole TH_COUNTERS_RECENT seconds before that of now. */
void th_counters_recent (const ThCounters *counters, gint64 now, guint64 *files, guint64 *bytes);

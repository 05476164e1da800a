/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How fast something goes of late, and how long the rest takes at that rate. Holds no clock. */
#pragma once

#include <glib.h>

#define TH_RATE_SAMPLES 32u

/* All 0 to begin with. What was done long ago says little: files that are up to date take no time,
 * and those that are not may all come at the end. */
typedef struct
{
  struct
  {
    gint64 at;
    guint64 done;
  } samples[TH_RATE_SAMPLES]; /* a ring */
  guint n;                    /* that were taken */
} ThRate;

/* now: monotonic time, done: of all so far. */
void th_rate_note (ThRate *rate, gint64 now, guint64 done);
/* A second, over the last 15 seconds or so, less where it has changed much; 0: not known yet. */
double th_rate_per_second (const ThRate *rate);
/* Seconds, at least 1; 0: not known. */
guint64 th_rate_seconds (const ThRate *rate, guint64 left);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-rate.h"

#define INTERVAL (G_USEC_PER_SEC / 2)
/* Less time says nothing. */
#define LEAST (2 * G_USEC_PER_SEC)
/* A guess beyond that helps nobody. */
#define MOST_SECONDS 8640000.0

void
th_rate_note (ThRate *rate, gint64 now, guint64 done)
{
  guint last = (rate->n + TH_RATE_SAMPLES - 1) % TH_RATE_SAMPLES;

  if (rate->n > 0 && now - rate->samples[last].at < INTERVAL)
    return;
  rate->samples[rate->n % TH_RATE_SAMPLES].at = now;
  rate->samples[rate->n % TH_RATE_SAMPLES].done = done;
  rate->n++;
}

/* Of the samples that are kept, the oldest being 0. */
static double
slope (const ThRate *rate, guint from, guint to)
{
  guint oldest = rate->n > TH_RATE_SAMPLES ? rate->n : 0;
  guint a = (oldest + from) % TH_RATE_SAMPLES;
  guint b = (oldest + to) % TH_RATE_SAMPLES;

  return (double) (rate->samples[b].done - rate->samples[a].done) * G_USEC_PER_SEC
         / (double) (rate->samples[b].at - rate->samples[a].at);
}

static gint64
span (const ThRate *rate, guint kept)
{
  guint oldest = rate->n > TH_RATE_SAMPLES ? rate->n % TH_RATE_SAMPLES : 0;

  return rate->samples[(oldest + kept - 1) % TH_RATE_SAMPLES].at - rate->samples[oldest].at;
}

/* Where the newer half goes quite differently, that is how it goes on: what was up to date was
 * answered all at once. */
double
th_rate_per_second (const ThRate *rate)
{
  guint kept = MIN (rate->n, TH_RATE_SAMPLES);
  double older, newer;

  if (kept < 3 || span (rate, kept) < LEAST)
    return 0;
  older = slope (rate, 0, kept / 2);
  newer = slope (rate, kept / 2, kept - 1);
  if (older > 2 * newer || newer > 2 * older)
    return newer;
  return slope (rate, 0, kept - 1);
}

guint64
th_rate_seconds (const ThRate *rate, guint64 left)
{
  double speed = th_rate_per_second (rate);
  double seconds = speed > 0 ? (double) left / speed : 0;

  if (speed <= 0 || left == 0 || seconds > MOST_SECONDS)
    return 0;
  return (guint64) seconds + 1;
}

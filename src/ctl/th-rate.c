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

double
th_rate_per_second (const ThRate *rate)
{
  guint last = (rate->n + TH_RATE_SAMPLES - 1) % TH_RATE_SAMPLES;
  guint first = rate->n > TH_RATE_SAMPLES ? rate->n % TH_RATE_SAMPLES : 0;
  gint64 span = rate->samples[last].at - rate->samples[first].at;

  if (rate->n < 2 || span < LEAST)
    return 0;
  return (double) (rate->samples[last].done - rate->samples[first].done) * G_USEC_PER_SEC
         / (double) span;
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

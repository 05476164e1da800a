/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-sweep-ages.h"

#define HOUR 3600
#define DAY  (24 * HOUR)

guint
th_sweep_rank (gint64 age)
{
  gint64 rank;

  if (age <= 0)
    return 0;
  rank = age / HOUR;
  if (rank >= TH_SWEEP_HOURS)
    rank = TH_SWEEP_HOURS + age / DAY - (gint64) TH_SWEEP_HOURS * HOUR / DAY;
  return (guint) MIN (rank, (gint64) TH_SWEEP_NAMELESS - 1);
}

ThSweepCut
th_sweep_ages_cut (const ThSweepAges *ages, guint64 max_bytes)
{
  guint64 kept = 0;

  for (guint rank = 0; rank < TH_SWEEP_RANKS; rank++)
    {
      if (ages->bytes[rank] > max_bytes - kept)
        return (ThSweepCut){ rank, ages->bytes[rank] - (max_bytes - kept) };
      kept += ages->bytes[rank];
    }
  return (ThSweepCut){ TH_SWEEP_RANKS, 0 };
}

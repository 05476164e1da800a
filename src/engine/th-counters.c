/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-counters.h"

#define SLOTS (TH_COUNTERS_RECENT + 1)

void
th_counters_add_file (ThCounters *counters, guint64 bytes, gint64 now)
{
  gint64 second = now / G_USEC_PER_SEC;
  ThCountedSecond *slot = &counters->recent[(guint64) second % SLOTS];

  if (slot->second != second)
    *slot = (ThCountedSecond){ .second = second };
  slot->files++;
  slot->bytes += bytes;
  counters->files++;
  counters->bytes += bytes;
}

void
th_counters_recent (const ThCounters *counters, gint64 now, guint64 *files, guint64 *bytes)
{
  gint64 second = now / G_USEC_PER_SEC;

  *files = 0;
  *bytes = 0;
  for (guint i = 0; i < SLOTS; i++)
    {
      const ThCountedSecond *slot = &counters->recent[i];

      if (slot->second >= second || slot->second < second - (gint64) TH_COUNTERS_RECENT)
        continue;
      *files += slot->files;
      *bytes += slot->bytes;
    }
}

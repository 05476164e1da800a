/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every budget in one record, so that no limit is a literal at the place of its use. */
#pragma once

#include <glib.h>

#include "base/th-error.h"

typedef struct
{
  guint64 max_pixels;     /* width × height of the header, default 300 megapixels */
  guint64 max_plan_bytes; /* peak memory of one decode, default 512 MiB */
  guint64 budget_bytes;   /* all decodes of the service together, default min(memory / 8, 1 GiB) */
  guint32 cpu_ms;         /* CPU time of one decode, default 10 000 */
  guint32 wall_ms;        /* elapsed time of one decode, default 20 000 */
  gboolean embedded_previews; /* take what a file brings where it is the same, default TRUE */
} ThLimits;

/* The defaults, with budget_bytes taken from this machine's memory. */
void th_limits_init (ThLimits *limits);

/* OK, CORRUPT for a side of 0, TOO_LARGE beyond max_pixels. Call it on the header's numbers, before
 * any allocation and before any scaling. */
ThStatus th_limits_check_size (const ThLimits *limits, guint64 width, guint64 height,
                               GError **error);

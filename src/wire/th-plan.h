/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Judging what a worker says, believing nothing: statuses, numbers, names and texts. Pure, no I/O.
 */
#pragma once

#include <glib.h>

#include "base/th-limits.h"
#include "wire/th-wire.h"

/* How the results lie in the shared memory. */
typedef struct
{
  guint n;
  guint channels;
  ThSize sizes[TH_N_FLAVORS];
  guint64 offsets[TH_N_FLAVORS]; /* bytes */
  guint64 total;                 /* bytes */
} ThLayout;

/* Both sides compute it: one result a box, one after the other. FALSE where the numbers do not
 * fit. */
gboolean th_layout_init (ThLayout *layout, ThSize full, gboolean scalable, guint channels,
                         const guint32 *boxes, guint n_boxes);

/* Whether a codec can have come to this status: anything else is a lie. */
gboolean th_plan_may_say (guint32 status);
/* Checks a PLAN whose status is OK. NULL where it is plausible and within the limits of a picture,
 * else what is wrong with it (static). Its memory is another question. */
const char *th_plan_fault (const ThWirePlan *plan, const ThLimits *limits);
gboolean th_plan_is_mime_type (const char *text);
/* A text that came over the wire, fit to be shown: valid UTF-8 without control characters. Caller
 * frees. */
char *th_plan_safe_text (const char *text);

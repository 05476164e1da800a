/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All lanes of an engine: the fixed ones, and one for each mount and each host that may not answer,
 * there from the first file on it. Knows which of those fell silent. */
#pragma once

#include "engine/th-lane.h"

/* So many at most; further ones share. */
#define TH_LANES_APART 16u

typedef struct
{
  ThEngine *engine;
  ThLane fixed[TH_N_LANES];
  /* Under the engine's lock. */
  ThLane *apart[TH_LANES_APART];
  guint n_apart;
  GHashTable *by_name; /* ThCheck.apart → ThLane, borrowed */
  GHashTable *silent; /* the same names → gint64, monotonic time until which none is asked again */
} ThLanes;

void th_lanes_init (ThLanes *lanes, ThEngine *engine);
/* Without the lock. FALSE: a fixed one has no thread. All pools are there afterwards. */
gboolean th_lanes_start (ThLanes *lanes, GError **error);
/* Without the lock; the engine is closing: waits for the threads. */
void th_lanes_stop (ThLanes *lanes);
void th_lanes_clear (ThLanes *lanes);

/* The next eight under the lock. */
/* None ever goes away. */
guint th_lanes_count (const ThLanes *lanes);
ThLane *th_lanes_nth (ThLanes *lanes, guint i);
void th_lanes_open (ThLanes *lanes, guint32 handle, ThClass klass);
/* What waits for a file goes where its check says. FALSE: there is no thread for it. */
gboolean th_lanes_add (ThLanes *lanes, const ThCheck *check, const ThWaiter *waiter);
void th_lanes_wake (ThLanes *lanes);
void th_lanes_pull_running (ThLanes *lanes,
                            gboolean (*match) (const ThFileKey *key, const ThWaiter *waiter,
                                               gpointer data),
                            gpointer data, GArray *out);
void th_lanes_demote (ThLanes *lanes, guint32 handle);
void th_lanes_drop (ThLanes *lanes, guint32 handle);

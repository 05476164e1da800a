/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-lanes.h"

#include "engine/th-engine-private.h"

/* Programs of others that run at once for each class: most have threads of their own. */
#define MAX_PROGRAMS 8u
/* Specialised thumbnailers that are waited for at once for each class. */
#define SPECIALIST_THREADS 4u
/* Files of one mount or host that are dealt with at once for each class. */
#define APART_THREADS 2u

void
th_lanes_init (ThLanes *lanes, ThEngine *engine)
{
  guint cores = engine->options.cores;

  *lanes = (ThLanes){ .engine = engine };
  th_lane_init (&lanes->fixed[TH_LANE_PICTURES], engine, cores);
  th_lane_init (&lanes->fixed[TH_LANE_PROGRAMS], engine, MIN (cores, MAX_PROGRAMS));
  lanes->fixed[TH_LANE_PROGRAMS].runs_programs = TRUE;
  th_lane_init (&lanes->fixed[TH_LANE_SPECIALISTS], engine, SPECIALIST_THREADS);
  lanes->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

gboolean
th_lanes_start (ThLanes *lanes, GError **error)
{
  gboolean started = TRUE;

  for (guint i = 0; i < TH_N_LANES; i++)
    started &= th_lane_start (&lanes->fixed[i], started ? error : NULL);
  return started;
}

/* Nobody adds one any more. */
void
th_lanes_stop (ThLanes *lanes)
{
  for (guint i = 0; i < TH_N_LANES; i++)
    th_lane_stop (&lanes->fixed[i]);
  for (guint i = 0; i < lanes->n_apart; i++)
    th_lane_stop (lanes->apart[i]);
}

void
th_lanes_clear (ThLanes *lanes)
{
  for (guint i = 0; i < TH_N_LANES; i++)
    th_lane_clear (&lanes->fixed[i]);
  for (guint i = 0; i < lanes->n_apart; i++)
    {
      th_lane_clear (lanes->apart[i]);
      g_free (lanes->apart[i]);
    }
  g_clear_pointer (&lanes->by_name, g_hash_table_unref);
}

void
th_lanes_open (ThLanes *lanes, guint32 handle, ThClass klass)
{
  for (guint i = 0; i < TH_N_LANES; i++)
    th_scheduler_open (lanes->fixed[i].scheduler, handle, klass);
  for (guint i = 0; i < lanes->n_apart; i++)
    th_scheduler_open (lanes->apart[i]->scheduler, handle, klass);
}

static int
by_handle (gconstpointer a, gconstpointer b)
{
  const ThRequest *x = a;
  const ThRequest *y = b;

  return x->handle < y->handle ? -1 : x->handle > y->handle;
}

/* The requests that there are, oldest first. */
static void
open_pending (ThLanes *lanes, ThLane *lane)
{
  g_autoptr (GList) requests = g_hash_table_get_values (lanes->engine->requests);

  requests = g_list_sort (requests, by_handle);
  for (const GList *l = requests; l != NULL; l = l->next)
    {
      const ThRequest *request = l->data;

      if (!request->finished && !request->dequeued)
        th_scheduler_open (lane->scheduler, request->handle, request->klass);
    }
}

/* NULL where no thread can be started for it. */
static ThLane *
lane_new (ThLanes *lanes)
{
  ThLane *lane = g_new0 (ThLane, 1);

  th_lane_init (lane, lanes->engine, APART_THREADS);
  lane->apart = TRUE;
  lane->runs_programs = TRUE;
  if (th_lane_start (lane, NULL))
    {
      open_pending (lanes, lane);
      lanes->apart[lanes->n_apart++] = lane;
      return lane;
    }
  th_lane_stop (lane);
  th_lane_clear (lane);
  g_free (lane);
  return NULL;
}

/* Names come from clients and from the table of mounts: they are remembered only while there are
 * few. */
static ThLane *
find_apart (ThLanes *lanes, const char *name)
{
  ThLane *lane = g_hash_table_lookup (lanes->by_name, name);

  if (lane != NULL)
    return lane;
  if (lanes->n_apart == TH_LANES_APART)
    return lanes->apart[g_str_hash (name) % TH_LANES_APART];
  lane = lane_new (lanes);
  if (lane != NULL)
    g_hash_table_insert (lanes->by_name, g_strdup (name), lane);
  return lane;
}

gboolean
th_lanes_add (ThLanes *lanes, const ThCheck *check, const ThWaiter *waiter)
{
  ThLane *lane =
      check->apart != NULL ? find_apart (lanes, check->apart) : &lanes->fixed[check->lane];

  if (lane != NULL)
    th_lane_add (lane, &check->key, waiter);
  return lane != NULL;
}

void
th_lanes_wake (ThLanes *lanes)
{
  for (guint i = 0; i < TH_N_LANES; i++)
    th_lane_wake (&lanes->fixed[i]);
  for (guint i = 0; i < lanes->n_apart; i++)
    th_lane_wake (lanes->apart[i]);
}

void
th_lanes_pull_running (ThLanes *lanes,
                       gboolean (*match) (const ThFileKey *key, const ThWaiter *waiter,
                                          gpointer data),
                       gpointer data, GArray *out)
{
  for (guint i = 0; i < th_lanes_count (lanes); i++)
    th_lane_pull_running (th_lanes_nth (lanes, i), match, data, out);
}

guint
th_lanes_count (const ThLanes *lanes)
{
  return TH_N_LANES + lanes->n_apart;
}

ThLane *
th_lanes_nth (ThLanes *lanes, guint i)
{
  return i < TH_N_LANES ? &lanes->fixed[i] : lanes->apart[i - TH_N_LANES];
}

void
th_lanes_demote (ThLanes *lanes, guint32 handle)
{
  for (guint i = 0; i < TH_N_LANES; i++)
    th_scheduler_demote (lanes->fixed[i].scheduler, handle);
  for (guint i = 0; i < lanes->n_apart; i++)
    th_scheduler_demote (lanes->apart[i]->scheduler, handle);
}

void
th_lanes_drop (ThLanes *lanes, guint32 handle)
{
  for (guint i = 0; i < TH_N_LANES; i++)
    th_lane_drop (&lanes->fixed[i], handle);
  for (guint i = 0; i < lanes->n_apart; i++)
    th_lane_drop (lanes->apart[i], handle);
}

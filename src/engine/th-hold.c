/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-hold.h"

#include "engine/th-engine-private.h"
#include "engine/th-message.h"

/* Waiters that are released in one go. */
#define RELEASED 256u

ThFileKey
th_hold_key (const ThJob *job)
{
  const ThSource *source = &job->source;

  return (ThFileKey){
    .device = source->device,
    .inode = source->inode,
    .size = source->stamp.size,
    .mtime = source->stamp.mtime,
    .mtime_ns = source->stamp.mtime_ns,
  };
}

gboolean
th_hold_is_moving (ThLane *lane, const ThFileKey *key, ThJob *job, gint64 now)
{
  ThEngine *engine = lane->engine;
  ThFileKey state = th_hold_key (job);
  ThMotionLook look;

  g_mutex_lock (&engine->lock);
  look = th_motion_look (engine->motion, key, &state, now, &job->seen_at);
  g_mutex_unlock (&engine->lock);
  return look == TH_MOTION_MOVING;
}

gboolean
th_hold_doubts (ThLane *lane, const ThJob *job, gboolean by_program)
{
  return job->moved
         || (th_motion_doubts (job->status, by_program)
             && !th_motion_rests (lane->engine->motion, job->seen_at, job->still_at));
}

/* Under the lock. */
static void
give_up (ThEngine *engine, ThRequest *request, guint32 index)
{
  g_autoptr (GError) error = g_error_new_literal (TH_ERROR, TH_ERROR_OTHER, TH_JOB_MOVED);

  th_engine_settle (engine, request, index, (gint32) th_message_code (error),
                    th_message_text (request->items[index].uri, error));
}

void
th_hold_waiter (ThLane *lane, const ThFileKey *key, const ThJob *job, ThRequest *request,
                const ThWaiter *waiter)
{
  ThEngine *engine = lane->engine;
  ThFileKey state = th_hold_key (job);

  g_mutex_lock (&engine->lock);
  if (!request->finished
      && !th_motion_hold (engine->motion, lane, key, &state, job->seen_at, waiter,
                          g_get_monotonic_time ()))
    give_up (engine, request, waiter->index);
  th_engine_wake (engine);
  g_mutex_unlock (&engine->lock);
}

gboolean
th_hold_join (ThLane *lane, const ThFileKey *key, const ThWaiter *waiter)
{
  return th_motion_join (lane->engine->motion, lane, key, waiter, g_get_monotonic_time ());
}

void
th_hold_release_due (ThEngine *engine, gint64 now)
{
  g_autoptr (GArray) due = g_array_new (FALSE, FALSE, sizeof (ThHeld));

  th_motion_take_due (engine->motion, now, RELEASED, due);
  for (guint i = 0; i < due->len; i++)
    {
      const ThHeld *held = &g_array_index (due, ThHeld, i);
      ThLane *lane = held->lane;

      th_scheduler_add (lane->scheduler, &held->key, &held->waiter);
    }
  if (due->len > 0)
    th_engine_start_decoders (engine);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that are being written: who waits for one to come to rest, what was seen of it last, and
 * when it is to be looked at again. Looks at nothing itself. Holds no clock, thread, lock or bus;
 * times are monotonic, in µs. */
#pragma once

#include "engine/th-scheduler.h"

typedef struct _ThMotion ThMotion;

/* A waiter whose file is to be looked at again, where it came from, and as which file. */
typedef struct
{
  gpointer lane;
  ThFileKey key;
  ThWaiter waiter;
} ThHeld;

typedef enum
{
  TH_MOTION_UNKNOWN, /* nobody waits for this file */
  TH_MOTION_QUIET,   /* it has not changed for the quiet time */
  TH_MOTION_MOVING,  /* it has, or that is too short ago to tell */
} ThMotionLook;

/* A file is at rest that was in one state for the time quiet; nobody is held longer than patience.
 */
ThMotion *th_motion_new (gint64 quiet, gint64 patience);
void th_motion_free (ThMotion *motion);

/* Whether a result that looks as if the file were not complete: a writer that closes it between two
 * pieces leaves it like that. by_program: what a program of others said. */
gboolean th_motion_doubts (ThStatus status, gboolean by_program);
/* Whether a file that was in one state from since to until is at rest. */
gboolean th_motion_rests (const ThMotion *motion, gint64 since, gint64 until);

/* The file that key stands for (device and inode tell) was in this state at now. Where that was
 * seen before, since is when first; else it is left alone. */
ThMotionLook th_motion_look (const ThMotion *motion, const ThFileKey *key, const ThFileKey *state,
                             gint64 now, gint64 *since);
/* The waiter, which is nowhere else, waits for that file, which was first seen in this state at
 * since. FALSE: it has waited for too long already, and is forgotten. */
gboolean th_motion_hold (ThMotion *motion, gpointer lane, const ThFileKey *key,
                         const ThFileKey *state, gint64 since, const ThWaiter *waiter, gint64 now);
/* The same where others are held for that file. FALSE, and nothing is done: nobody is. */
gboolean th_motion_join (ThMotion *motion, gpointer lane, const ThFileKey *key,
                         const ThWaiter *waiter, gint64 now);
/* The waiter has its answer. Those that are unknown are ignored. */
void th_motion_forget (ThMotion *motion, const ThWaiter *waiter);
/* The same for all of a request. */
void th_motion_drop (ThMotion *motion, guint32 handle);

/* Appends those of a request who are held to out (ThPulled), and lets go of none. */
void th_motion_list (const ThMotion *motion, guint32 handle, GArray *out);

/* When the next look is due, 0: none is. */
gint64 th_motion_due (const ThMotion *motion);
/* Appends to out (ThHeld) those whose file is to be looked at by now, at most max. They are held no
 * more, but remembered until forgotten. */
void th_motion_take_due (ThMotion *motion, gint64 now, guint max, GArray *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThMotion, th_motion_free)

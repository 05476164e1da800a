/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-motion.h"

#define QUIET    10
#define PATIENCE 100

static ThFileKey
state_of (guint file, guint state)
{
  return (ThFileKey){ .device = 1, .inode = file, .size = state, .mtime = -5, .mtime_ns = 3 };
}

static gboolean
hold (ThMotion *motion, guint file, guint state, gint64 since, guint32 handle, guint32 index,
      gint64 now)
{
  ThFileKey key = state_of (file, state);
  ThWaiter waiter = { handle, index, TH_FLAVOR_NORMAL };

  return th_motion_hold (motion, NULL, &key, &key, since, &waiter, now);
}

static gboolean
join (ThMotion *motion, guint file, guint32 handle, guint32 index, gint64 now)
{
  ThFileKey key = state_of (file, 0);
  ThWaiter waiter = { handle, index, TH_FLAVOR_NORMAL };

  return th_motion_join (motion, NULL, &key, &waiter, now);
}

static ThMotionLook
look (ThMotion *motion, guint file, guint state, gint64 now)
{
  ThFileKey key = state_of (file, state);
  gint64 since = -1;

  return th_motion_look (motion, &key, &key, now, &since);
}

static void
forget (ThMotion *motion, guint32 handle, guint32 index)
{
  th_motion_forget (motion, &(ThWaiter){ .handle = handle, .index = index });
}

/* How many are to be looked at by now. */
static guint
take (ThMotion *motion, gint64 now)
{
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (ThHeld));

  th_motion_take_due (motion, now, G_MAXUINT / 2, out);
  return out->len;
}

static void
test_doubts (void)
{
  static const struct
  {
    ThStatus status;
    gboolean ours;
    gboolean programs;
  } rows[TH_N_STATUSES] = {
    { TH_STATUS_OK, FALSE, FALSE },         { TH_STATUS_PARTIAL, TRUE, TRUE },
    { TH_STATUS_STOPPED, FALSE, FALSE },    { TH_STATUS_NOT_MINE, TRUE, TRUE },
    { TH_STATUS_CORRUPT, TRUE, TRUE },      { TH_STATUS_TOO_LARGE, FALSE, FALSE },
    { TH_STATUS_IO, FALSE, FALSE },         { TH_STATUS_NO_MEMORY, FALSE, FALSE },
    { TH_STATUS_NO_CONTENT, TRUE, TRUE },   { TH_STATUS_CRASHED, FALSE, TRUE },
    { TH_STATUS_TIMEOUT, FALSE, FALSE },    { TH_STATUS_PROTOCOL, FALSE, TRUE },
    { TH_STATUS_NO_SANDBOX, FALSE, FALSE }, { TH_STATUS_CANCELLED, FALSE, FALSE },
  };

  for (guint i = 0; i < TH_N_STATUSES; i++)
    {
      g_assert_cmpint (rows[i].status, ==, i);
      g_assert_cmpint (th_motion_doubts (rows[i].status, FALSE), ==, rows[i].ours);
      g_assert_cmpint (th_motion_doubts (rows[i].status, TRUE), ==, rows[i].programs);
    }
}

/* Looked at once, and believed. */
static void
test_rests (void)
{
  g_autoptr (ThMotion) motion = th_motion_new (QUIET, PATIENCE);
  ThFileKey key = state_of (1, 1);
  gint64 since = 0;

  g_assert_cmpint (look (motion, 1, 1, 1000), ==, TH_MOTION_UNKNOWN);
  g_assert_cmpint (th_motion_due (motion), ==, 0);
  /* First seen at 1000, held only when that had been worked on. */
  g_assert_true (hold (motion, 1, 1, 1000, 7, 0, 1004));
  g_assert_cmpint (th_motion_due (motion), ==, 1000 + QUIET);
  g_assert_cmpint (look (motion, 1, 1, 1009), ==, TH_MOTION_MOVING);
  g_assert_cmpuint (take (motion, 1009), ==, 0);
  g_assert_cmpuint (take (motion, 1010), ==, 1);
  g_assert_cmpint (th_motion_due (motion), ==, 0);
  g_assert_cmpint (th_motion_look (motion, &key, &key, 1010, &since), ==, TH_MOTION_QUIET);
  g_assert_cmpint (since, ==, 1000);
  g_assert_true (th_motion_rests (motion, since, 1010));
  g_assert_false (th_motion_rests (motion, since, 1009));
  forget (motion, 7, 0);
  g_assert_cmpint (look (motion, 1, 1, 1010), ==, TH_MOTION_UNKNOWN);
  forget (motion, 7, 0);
}

/* Changed at each look: until patience is over, to the tick. */
static void
test_moves (void)
{
  g_autoptr (ThMotion) motion = th_motion_new (QUIET, PATIENCE);
  gint64 now = 1003;

  g_assert_true (hold (motion, 1, 1, 1000, 7, 0, now));
  for (guint state = 2; now < 1003 + PATIENCE; state++)
    {
      gint64 due = th_motion_due (motion);

      g_assert_cmpint (due, >, now);
      g_assert_cmpint (due, <=, 1003 + PATIENCE);
      now = due;
      g_assert_cmpuint (take (motion, now), ==, 1);
      g_assert_cmpint (look (motion, 1, state, now), ==, TH_MOTION_MOVING);
      g_assert_cmpint (hold (motion, 1, state, now, 7, 0, now), ==, now < 1003 + PATIENCE);
    }
  g_assert_cmpint (th_motion_due (motion), ==, 0);
  g_assert_cmpint (look (motion, 1, 1, now), ==, TH_MOTION_UNKNOWN);
}

/* Who comes later shares the looks, but has a patience of its own. */
static void
test_joins (void)
{
  g_autoptr (ThMotion) motion = th_motion_new (QUIET, PATIENCE);

  g_assert_false (join (motion, 1, 8, 0, 1000));
  g_assert_true (hold (motion, 1, 1, 1000, 7, 0, 1000));
  g_assert_false (join (motion, 2, 8, 0, 1001));
  g_assert_true (join (motion, 1, 8, 0, 1004));
  g_assert_cmpint (th_motion_due (motion), ==, 1010);
  g_assert_cmpuint (take (motion, 1010), ==, 2);
  /* While it is looked at nobody joins: it may not be held again. */
  g_assert_false (join (motion, 1, 9, 0, 1011));
  g_assert_true (hold (motion, 1, 2, 1010, 7, 0, 1010));
  g_assert_true (hold (motion, 1, 2, 1010, 8, 0, 1010));
  g_assert_true (join (motion, 1, 9, 0, 1012));
  g_assert_cmpuint (take (motion, 1020), ==, 3);
  g_assert_false (hold (motion, 1, 3, 1100, 7, 0, 1100));
  g_assert_true (hold (motion, 1, 3, 1100, 8, 0, 1100));
  g_assert_true (hold (motion, 1, 3, 1100, 9, 0, 1100));
  /* For the sake of the one whose patience ends first. */
  g_assert_cmpint (th_motion_due (motion), ==, 1104);
  g_assert_cmpuint (take (motion, 1104), ==, 2);
  g_assert_cmpint (look (motion, 1, 3, 1104), ==, TH_MOTION_MOVING);
  g_assert_false (hold (motion, 1, 3, 1104, 8, 0, 1104));
  g_assert_true (hold (motion, 1, 3, 1104, 9, 0, 1104));
  /* The state was not a new one. */
  g_assert_cmpint (th_motion_due (motion), ==, 1110);
}

/* Another file at the same name: the patience goes on, the first one is no matter any more. */
static void
test_other_file (void)
{
  g_autoptr (ThMotion) motion = th_motion_new (QUIET, PATIENCE);

  g_assert_true (hold (motion, 1, 1, 1000, 7, 0, 1000));
  g_assert_cmpuint (take (motion, 1010), ==, 1);
  g_assert_cmpint (look (motion, 2, 1, 1010), ==, TH_MOTION_UNKNOWN);
  g_assert_true (hold (motion, 2, 1, 1010, 7, 0, 1015));
  g_assert_cmpint (look (motion, 1, 1, 1015), ==, TH_MOTION_UNKNOWN);
  g_assert_cmpint (th_motion_due (motion), ==, 1020);
  g_assert_cmpuint (take (motion, 1099), ==, 1);
  g_assert_false (hold (motion, 2, 2, 1100, 7, 0, 1100));
}

/* One that was looked at earlier and is held later. */
static void
test_late_news (void)
{
  g_autoptr (ThMotion) motion = th_motion_new (QUIET, PATIENCE);

  g_assert_true (hold (motion, 1, 2, 1005, 7, 0, 1005));
  g_assert_true (hold (motion, 1, 1, 1001, 8, 0, 1006));
  g_assert_cmpint (th_motion_due (motion), ==, 1015);
  g_assert_cmpuint (take (motion, 1015), ==, 2);
  g_assert_cmpint (look (motion, 1, 2, 1015), ==, TH_MOTION_QUIET);
}

static void
test_drop (void)
{
  g_autoptr (ThMotion) motion = th_motion_new (QUIET, PATIENCE);

  for (guint i = 0; i < 20; i++)
    {
      g_assert_true (hold (motion, i / 2, 1, 1000 + i, 7, i, 1100));
      g_assert_true (hold (motion, i / 2, 1, 1000 + i, 8, i, 1100));
    }
  g_assert_cmpuint (take (motion, 1012), ==, 8);
  th_motion_drop (motion, 9);
  th_motion_drop (motion, 7);
  th_motion_drop (motion, 7);
  g_assert_cmpint (th_motion_due (motion), ==, 1014);
  g_assert_cmpuint (take (motion, 2000), ==, 16);
  th_motion_drop (motion, 8);
  for (guint i = 0; i < 10; i++)
    g_assert_cmpint (look (motion, i, 1, 2000), ==, TH_MOTION_UNKNOWN);
}

/* Not more at once than are asked for, soonest first; each comes once, with its lane. */
static void
test_portions (void)
{
  g_autoptr (ThMotion) motion = th_motion_new (QUIET, PATIENCE);
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (ThHeld));
  ThFileKey key = state_of (1, 1);
  guint seen = 0;

  for (guint32 i = 0; i < 50; i++)
    {
      ThWaiter waiter = { 7, i, TH_FLAVOR_NORMAL };

      g_assert_true (
          th_motion_hold (motion, GUINT_TO_POINTER (i + 1), &key, &key, 1000, &waiter, 1000));
    }
  g_assert_true (hold (motion, 2, 1, 999, 7, 50, 1000));
  for (gint64 due; (due = th_motion_due (motion)) != 0; seen += out->len)
    {
      g_array_set_size (out, 0);
      th_motion_take_due (motion, due, 8, out);
      g_assert_cmpuint (out->len, >, 0);
      g_assert_cmpuint (out->len, <=, 8);
      for (guint i = 0; i < out->len && seen > 0; i++)
        {
          const ThHeld *held = &g_array_index (out, ThHeld, i);

          g_assert_cmpuint (held->key.inode, ==, 1);
          g_assert_cmpuint (held->waiter.index, ==, seen + i - 1);
          g_assert_cmpuint (GPOINTER_TO_UINT (held->lane), ==, held->waiter.index + 1);
        }
    }
  g_assert_cmpuint (seen, ==, 51);
}

#define FILES   5
#define HANDLES 4
#define INDEXES 6
#define STEPS   20000

/* Where each waiter is: nowhere, held or out. */
typedef struct
{
  guint state[HANDLES][INDEXES];
} Model;

enum
{
  GONE,
  HELD,
  OUT,
};

static void
model_take (Model *model, ThMotion *motion, gint64 now)
{
  g_autoptr (GArray) out = g_array_new (FALSE, FALSE, sizeof (ThHeld));

  th_motion_take_due (motion, now, 3, out);
  for (guint i = 0; i < out->len; i++)
    {
      const ThWaiter *waiter = &g_array_index (out, ThHeld, i).waiter;
      guint *state = &model->state[waiter->handle - 1][waiter->index];

      g_assert_cmpuint (*state, ==, HELD);
      *state = OUT;
    }
}

static void
model_drop (Model *model, ThMotion *motion, guint32 handle)
{
  th_motion_drop (motion, handle);
  for (guint i = 0; i < INDEXES; i++)
    model->state[handle - 1][i] = GONE;
}

static void
model_step (Model *model, ThMotion *motion, GRand *rand, gint64 now)
{
  guint32 handle = (guint32) g_rand_int_range (rand, 1, HANDLES + 1);
  guint32 index = (guint32) g_rand_int_range (rand, 0, INDEXES);
  guint file = (guint) g_rand_int_range (rand, 0, FILES);
  guint *state = &model->state[handle - 1][index];
  guint what = (guint) g_rand_int_range (rand, 0, 40);

  if (what == 0)
    model_drop (model, motion, handle);
  else if (what < 10)
    {
      forget (motion, handle, index);
      *state = GONE;
    }
  else if (what < 15 && *state == GONE)
    *state = join (motion, file, handle, index, now) ? HELD : GONE;
  else if (what < 30 && *state != HELD)
    *state = hold (motion, file, (guint) g_rand_int_range (rand, 0, 3), now, handle, index, now)
                 ? HELD
                 : GONE;
  else
    model_take (model, motion, now);
}

static gboolean
model_holds (const Model *model)
{
  for (guint i = 0; i < HANDLES; i++)
    for (guint j = 0; j < INDEXES; j++)
      if (model->state[i][j] == HELD)
        return TRUE;
  return FALSE;
}

static void
test_random (void)
{
  g_autoptr (ThMotion) motion = th_motion_new (QUIET, PATIENCE);
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261201);
  Model model = { 0 };
  gint64 now = 1000;

  for (guint i = 0; i < STEPS; i++)
    {
      now += g_rand_int_range (rand, 0, 4);
      model_step (&model, motion, rand, now);
      g_assert_cmpint (th_motion_due (motion) != 0, ==, model_holds (&model));
    }
  for (guint32 handle = 1; handle <= HANDLES; handle++)
    model_drop (&model, motion, handle);
  g_assert_cmpint (th_motion_due (motion), ==, 0);
  for (guint i = 0; i < FILES; i++)
    g_assert_cmpint (look (motion, i, 0, now), ==, TH_MOTION_UNKNOWN);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/motion/doubts", test_doubts);
  g_test_add_func ("/motion/rests", test_rests);
  g_test_add_func ("/motion/moves", test_moves);
  g_test_add_func ("/motion/joins", test_joins);
  g_test_add_func ("/motion/other-file", test_other_file);
  g_test_add_func ("/motion/late-news", test_late_news);
  g_test_add_func ("/motion/drop", test_drop);
  g_test_add_func ("/motion/portions", test_portions);
  g_test_add_func ("/motion/random", test_random);
  return g_test_run ();
}

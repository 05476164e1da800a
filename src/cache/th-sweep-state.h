/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a walk over a cache has come, as a file in it that anybody may have written, damaged or
 * cut. Knows no thumbnail. */
#pragma once

#include "cache/th-sweep-ages.h"
#include "cache/th-sweep.h"

/* The parts of a folder, by the first digit of the name. */
#define TH_SWEEP_PARTS 16u

typedef enum
{
  TH_SWEEP_SURVEY, /* what is to go for its own sake goes, the rest is counted */
  TH_SWEEP_TRIM,   /* what is too much goes */
} ThSweepPass;

typedef struct
{
  ThSweepPass pass;
  gint64 begin; /* of the walk: ages are those at that time */
  ThSweepBudget budget;
  char place[64];   /* the next step: this folder */
  guint part;       /* and this part of it */
  ThSweepSum left;  /* of what was seen */
  ThSweepAges ages; /* of the survey */
  ThSweepCut cut;   /* what is still to be trimmed */
} ThSweepState;

/* Whether a place may have this name. */
gboolean th_sweep_state_can_hold (const char *folder, const char *name);
/* Of a walk that begins now; no place is set. */
void th_sweep_state_begin (ThSweepState *state, const ThSweepBudget *budget, gint64 now);
/* FALSE, and state as it begins now: there is none, it is damaged, of another budget, from the
 * future or more than a week old. */
gboolean th_sweep_state_load (ThSweepState *state, int root, const ThSweepBudget *budget,
                              gint64 now);
gboolean th_sweep_state_save (const ThSweepState *state, int root, GError **error);
void th_sweep_state_remove (int root);

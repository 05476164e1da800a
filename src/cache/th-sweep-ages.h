/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much of a cache is how old: what a walk over it remembers instead of a list. Knows no file.
 */
#pragma once

#include <glib.h>

/* Hours for a fortnight, then days; the last but one is all that is older, the last what nobody can
 * find by its name. */
#define TH_SWEEP_HOURS    336u
#define TH_SWEEP_RANKS    1024u
#define TH_SWEEP_NAMELESS (TH_SWEEP_RANKS - 1)

typedef struct
{
  guint64 bytes[TH_SWEEP_RANKS];
} ThSweepAges;

/* The higher the sooner it goes. age in seconds; below 0 is 0. */
guint th_sweep_rank (gint64 age);

/* What has to go. */
typedef struct
{
  guint rank;    /* all above it; TH_SWEEP_RANKS: nothing */
  guint64 bytes; /* and so much of this rank */
} ThSweepCut;

ThSweepCut th_sweep_ages_cut (const ThSweepAges *ages, guint64 max_bytes);

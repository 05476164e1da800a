/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a long command has come: a bar on a terminal, else a line now and then. Knows nothing of
 * what is counted. */
#pragma once

#include <glib.h>

typedef enum
{
  TH_PROGRESS_NONE,
  TH_PROGRESS_LINES,
  TH_PROGRESS_BAR,
} ThProgressStyle;

typedef struct
{
  guint64 done;
  guint64 total;
  gboolean total_known; /* else there are at least so many */
  guint64 failed;
  double per_second;    /* 0: not known */
  guint64 seconds_left; /* 0: not known */
} ThProgressState;

typedef struct _ThProgress ThProgress;

/* BAR where standard error is a terminal that can redraw a line, else LINES. */
ThProgressStyle th_progress_best_style (void);
ThProgress *th_progress_new (ThProgressStyle style);
/* Takes the bar away. */
void th_progress_free (ThProgress *progress);
/* Shown at most ten times a second. */
void th_progress_update (ThProgress *progress, const ThProgressState *state);
/* Takes the bar away for what is printed next; the next update brings it back. */
void th_progress_clear (ThProgress *progress);

/* The bar for a state on so many columns, without line feed. Caller frees. */
char *th_progress_draw (const ThProgressState *state, guint columns);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThProgress, th_progress_free)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Showing the same text again and again: in place on a terminal, else one after the other. Knows
 * nothing of what is shown. */
#pragma once

#include <glib.h>

typedef struct
{
  gboolean in_place;
  guint shown; /* how often */
} ThScreen;

/* In place where standard output is a terminal that can do so. */
void th_screen_init (ThScreen *screen);
/* Shows text; on a terminal as much of it as there is room for. FALSE: it cannot be written. */
gboolean th_screen_show (ThScreen *screen, const char *text);
/* Leaves the terminal as it was, with what was shown last. */
void th_screen_end (ThScreen *screen);

/* text as it is drawn in place on so many columns and rows. Caller frees. */
char *th_screen_draw (const char *text, guint columns, guint rows);

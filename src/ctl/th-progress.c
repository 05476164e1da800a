/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_INTERVAL_US  (G_USEC_PER_SEC / 10)
#define LINE_INTERVAL_US (10 * G_USEC_PER_SEC)
#define DEFAULT_COLUMNS  80u
#define MOST_COLUMNS     200u
#define LEAST_BAR        10u

struct _ThProgress
{
  ThProgressStyle style;
  gint64 next; /* monotonic time before which nothing is shown */
  gboolean shown;
};

ThProgressStyle
th_progress_best_style (void)
{
  const char *term = g_getenv ("TERM");

  if (isatty (STDERR_FILENO) && term != NULL && term[0] != '\0' && g_strcmp0 (term, "dumb") != 0)
    return TH_PROGRESS_BAR;
  return TH_PROGRESS_LINES;
}

ThProgress *
th_progress_new (ThProgressStyle style)
{
  ThProgress *progress = g_new0 (ThProgress, 1);

  progress->style = style;
  /* What is over at once needs no line. */
  if (style == TH_PROGRESS_LINES)
    progress->next = g_get_monotonic_time () + LINE_INTERVAL_US;
  return progress;
}

void
th_progress_free (ThProgress *progress)
{
  th_progress_clear (progress);
  g_free (progress);
}

void
th_progress_clear (ThProgress *progress)
{
  if (!progress->shown)
    return;
  fputs ("\r\033[K", stderr);
  fflush (stderr);
  progress->shown = FALSE;
}

static guint
terminal_columns (void)
{
  struct winsize size;

  if (ioctl (STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return DEFAULT_COLUMNS;
  return MIN (size.ws_col, MOST_COLUMNS);
}

/* "", or what is known of the speed, after a comma. */
static char *
describe_speed (const ThProgressState *state)
{
  guint64 left = state->seconds_left;
  GString *text = g_string_new (NULL);

  if (state->per_second > 0)
    g_string_append_printf (text, state->per_second < 10 ? ", %.1f/s" : ", %.0f/s",
                            state->per_second);
  if (left >= 3600)
    g_string_append_printf (text, ", %" G_GUINT64_FORMAT ":%02u:%02u left", left / 3600,
                            (guint) (left / 60 % 60), (guint) (left % 60));
  else if (left > 0)
    g_string_append_printf (text, ", %u:%02u left", (guint) (left / 60), (guint) (left % 60));
  return g_string_free (text, FALSE);
}

char *
th_progress_draw (const ThProgressState *state, guint columns)
{
  guint64 total = MAX (state->total, MAX (state->done, 1));
  GString *line = g_string_new (NULL);
  g_autofree char *failed = state->failed > 0
                                ? g_strdup_printf (", %" G_GUINT64_FORMAT " failed", state->failed)
                                : g_strdup ("");
  g_autofree char *speed = describe_speed (state);
  g_autofree char *count =
      g_strdup_printf (" %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT "%s files%s%s", state->done,
                       total, state->total_known ? "" : "+", failed, speed);
  gsize taken = strlen (count) + 2;

  if (taken + LEAST_BAR < columns)
    {
      guint width = columns - 1 - (guint) taken;
      guint full = (guint) ((double) state->done / (double) total * width);

      g_string_append_c (line, '[');
      for (guint i = 0; i < width; i++)
        g_string_append_c (line, i < full ? '#' : '.');
      g_string_append_c (line, ']');
    }
  g_string_append (line, count);
  if (line->len >= columns)
    g_string_truncate (line, columns > 0 ? columns - 1 : 0);
  return g_string_free (line, FALSE);
}

static void
show_bar (ThProgress *progress, const ThProgressState *state)
{
  g_autofree char *bar = th_progress_draw (state, terminal_columns ());

  fprintf (stderr, "\r%s\033[K", bar);
  fflush (stderr);
  progress->shown = TRUE;
}

static void
show_line (const ThProgressState *state)
{
  g_autofree char *speed = describe_speed (state);

  fprintf (stderr, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "%s files%s\n", state->done,
           MAX (state->total, state->done), state->total_known ? "" : " or more", speed);
}

void
th_progress_update (ThProgress *progress, const ThProgressState *state)
{
  gint64 now = g_get_monotonic_time ();

  if (progress->style == TH_PROGRESS_NONE || now < progress->next)
    return;
  if (progress->style == TH_PROGRESS_BAR)
    {
      show_bar (progress, state);
      progress->next = now + BAR_INTERVAL_US;
      return;
    }
  show_line (state);
  progress->next = now + LINE_INTERVAL_US;
}

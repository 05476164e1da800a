/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-screen.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_COLUMNS 80u
#define DEFAULT_ROWS    24u

#define CLEAR       "\033[H\033[2J"
#define HOME        "\033[H"
#define END_OF_LINE "\033[K\n"
#define BELOW       "\033[J"
#define HIDE_CURSOR "\033[?25l"
#define SHOW_CURSOR "\033[?25h"

void
th_screen_init (ThScreen *screen)
{
  const char *term = g_getenv ("TERM");

  *screen = (ThScreen){
    .in_place =
        isatty (STDOUT_FILENO) && term != NULL && term[0] != '\0' && g_strcmp0 (term, "dumb") != 0,
  };
}

static guint
columns_of (gunichar c)
{
  if (g_unichar_iszerowidth (c))
    return 0;
  return g_unichar_iswide (c) ? 2 : 1;
}

/* Bytes of the line that fit. */
static gsize
fit (const char *line, guint columns)
{
  const char *at = line;
  guint taken = 0;

  while (*at != '\0' && (taken += columns_of (g_utf8_get_char (at))) <= columns)
    at = g_utf8_next_char (at);
  return (gsize) (at - line);
}

/* The last row stays free, or the line feed there would scroll. */
char *
th_screen_draw (const char *text, guint columns, guint rows)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_auto (GStrv) lines = g_strsplit (valid, "\n", -1);
  GString *out = g_string_new (HOME);

  for (guint i = 0; lines[i] != NULL && i + 1 < rows; i++)
    {
      if (lines[i + 1] == NULL && lines[i][0] == '\0')
        break;
      g_string_append_len (out, lines[i], (gssize) fit (lines[i], columns));
      g_string_append (out, END_OF_LINE);
    }
  g_string_append (out, BELOW);
  return g_string_free (out, FALSE);
}

static void
show_in_place (const ThScreen *screen, const char *text)
{
  struct winsize size = { 0 };
  g_autofree char *drawn = NULL;

  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    size = (struct winsize){ .ws_col = DEFAULT_COLUMNS, .ws_row = DEFAULT_ROWS };
  drawn = th_screen_draw (text, size.ws_col, size.ws_row);
  if (screen->shown == 0)
    fputs (HIDE_CURSOR CLEAR, stdout);
  fputs (drawn, stdout);
}

gboolean
th_screen_show (ThScreen *screen, const char *text)
{
  if (screen->in_place)
    show_in_place (screen, text);
  else
    fputs (text, stdout);
  screen->shown++;
  return fflush (stdout) == 0 && !ferror (stdout);
}

void
th_screen_end (ThScreen *screen)
{
  if (!screen->in_place || screen->shown == 0)
    return;
  fputs (SHOW_CURSOR, stdout);
  fflush (stdout);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "ctl/th-sheet.h"

#include <string.h>

#include "base/th-error.h"
#include "ctl/th-text.h"

#define CHANNELS 3u
#define MARGIN   8u
#define SCREEN   1680u
/* 192 MB, and half of that again to encode it. */
#define MOST_PIXELS (64u * 1024u * 1024u)
/* No side of a PNG that others open may be larger. */
#define MOST_SIDE 32767u

#define ELLIPSIS "\342\200\246"

static guint32
cell_width (guint32 box)
{
  return box + 2 * MARGIN;
}

static guint32
cell_height (guint32 box, gboolean labels)
{
  return box + 2 * MARGIN + (labels ? TH_SHEET_LABEL : 0);
}

guint
th_sheet_columns (guint32 box, guint cells)
{
  guint fitting = SCREEN / cell_width (box);

  return CLAMP (cells, 1, fitting > 0 ? fitting : 1);
}

guint
th_sheet_most_cells (guint32 box, guint columns)
{
  guint64 width = (guint64) columns * cell_width (box);
  guint64 height = cell_height (box, TRUE);
  guint64 rows;

  if (columns == 0 || width > MOST_SIDE)
    return 0;
  rows = MOST_PIXELS / (width * height);
  return columns * (guint) (rows * height > MOST_SIDE ? MOST_SIDE / height : rows);
}

gboolean
th_sheet_init (ThSheet *sheet, guint32 box, guint columns, guint cells, gboolean labels,
               GError **error)
{
  guint rows = (cells + columns - 1) / columns;
  gsize bytes;

  *sheet = (ThSheet){ .box = box, .columns = columns, .cells = cells, .labels = labels };
  sheet->canvas.size.width = columns * cell_width (box);
  sheet->canvas.size.height = rows * cell_height (box, labels);
  sheet->canvas.channels = CHANNELS;
  sheet->canvas.stride = (gsize) sheet->canvas.size.width * CHANNELS;
  if (g_size_checked_mul (&bytes, sheet->canvas.stride, sheet->canvas.size.height))
    sheet->canvas.data = g_try_malloc (bytes);
  if (sheet->canvas.data != NULL)
    {
      memset (sheet->canvas.data, 0xff, bytes);
      return TRUE;
    }
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "there is no memory for a sheet of %u × %u pixels",
               sheet->canvas.size.width, sheet->canvas.size.height);
  return FALSE;
}

void
th_sheet_clear (ThSheet *sheet)
{
  g_clear_pointer (&sheet->canvas.data, g_free);
}

/* One row over white. */
static void
put_row (guint8 *to, const guint8 *from, guint channels, guint32 n)
{
  if (channels == CHANNELS)
    {
      memcpy (to, from, (gsize) n * CHANNELS);
      return;
    }
  for (guint32 i = 0; i < n; i++)
    for (guint c = 0; c < CHANNELS; c++)
      {
        guint alpha = from[i * channels + 3];

        to[i * CHANNELS + c] =
            (guint8) ((from[i * channels + c] * alpha + 255 * (255 - alpha) + 127) / 255);
      }
}

/* In the middle of what there is room for, whose upper left corner is at x and y of the cell. */
static void
put (ThSheet *sheet, guint cell, guint32 y, ThSize room, const ThImage *picture)
{
  guint32 width = MIN (picture->size.width, room.width);
  guint32 height = MIN (picture->size.height, room.height);
  gsize left = cell % sheet->columns * cell_width (sheet->box) + MARGIN + (room.width - width) / 2;
  gsize top = cell / sheet->columns * cell_height (sheet->box, sheet->labels) + y
              + (room.height - height) / 2;

  g_return_if_fail (cell < sheet->cells && (picture->channels == 3 || picture->channels == 4));
  for (guint32 row = 0; row < height; row++)
    put_row (sheet->canvas.data + (top + row) * sheet->canvas.stride + left * CHANNELS,
             picture->data + row * picture->stride, picture->channels, width);
}

void
th_sheet_put (ThSheet *sheet, guint cell, const ThImage *picture)
{
  put (sheet, cell, MARGIN, (ThSize){ sheet->box, sheet->box }, picture);
}

void
th_sheet_put_label (ThSheet *sheet, guint cell, const ThImage *label)
{
  if (sheet->labels)
    put (sheet, cell, MARGIN + sheet->box, (ThSize){ sheet->box, TH_SHEET_LABEL }, label);
}

/* Tenths of a pixel, rather too many, in a sans-serif font of 12 pixels. */
static guint
width_of (gunichar c)
{
  if (g_unichar_iszerowidth (c) || g_unichar_ismark (c))
    return 0;
  if (g_unichar_iswide (c))
    return 122;
  if (c < 128 && strchr ("mwMW@%", (int) c) != NULL)
    return 120;
  if (c < 128 && strchr ("fijlrtI.,:;!|'()[] -", (int) c) != NULL)
    return 50;
  return g_unichar_isupper (c) ? 92 : 78;
}

/* Where the longest beginning of text ends that takes no more than width. */
static const char *
fit_beginning (const char *text, guint width)
{
  guint taken = 0;

  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      taken += width_of (g_utf8_get_char (text));
      if (taken > width)
        break;
    }
  return text;
}

/* Where the longest end begins. A mark stays with what it belongs to. */
static const char *
fit_end (const char *text, guint width)
{
  const char *at = text + strlen (text);
  const char *found = at;
  guint taken = 0;

  while (at > text)
    {
      at = g_utf8_prev_char (at);
      taken += width_of (g_utf8_get_char (at));
      if (taken > width)
        break;
      if (width_of (g_utf8_get_char (at)) > 0)
        found = at;
    }
  return found;
}

static void
split (const char *name, guint width, char **first, char **second)
{
  const char *rest = fit_beginning (name, width);

  *first = g_strndup (name, (gsize) (rest - name));
  if (*fit_beginning (rest, width) == '\0')
    *second = g_strdup (rest);
  else
    *second = g_strconcat (ELLIPSIS, fit_end (rest, width > 120 ? width - 120 : 0), NULL);
}

char *
th_sheet_label (const char *name, guint32 width)
{
  g_autofree char *plain = th_text_for_people (name);
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;

  split (plain, width * 10, &first, &second);
  return g_markup_printf_escaped (
      "<svg xmlns='http://www.w3.org/2000/svg' width='%u' height='%u' font-size='12' "
      "font-family='sans-serif' text-anchor='middle' fill='#222'>"
      "<rect width='100%%' height='100%%' fill='#fff'/>"
      "<text x='50%%' y='14'>%s</text><text x='50%%' y='30'>%s</text></svg>",
      width, TH_SHEET_LABEL, first, second);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/gif-canvas.h"

#include <string.h>

#define CHANNELS 4u

typedef struct
{
  ThGifFile file;
  ThSize canvas;
  ThSize visible; /* of the frame */
  guint8 *pixels;
  guint8 *saved; /* what was under the frame */
  guint8 *line;
  guint8 plain[CHANNELS]; /* the first one that is a colour, or transparent */
  guint8 palette[256 * CHANNELS];
} Drawing;

static gsize
row_bytes (ThSize size)
{
  return (gsize) size.width * CHANNELS;
}

/* Where a row of the frame begins on the canvas. */
static guint8 *
place (const Drawing *drawing, guint32 row)
{
  const GifImageDesc *frame = &drawing->file.gif->Image;

  return drawing->pixels + ((gsize) frame->Top + row) * row_bytes (drawing->canvas)
         + (gsize) frame->Left * CHANNELS;
}

static gboolean
shows_picture (Drawing *drawing)
{
  ThBlank blank = { 0 };
  ThBlankRank rank;

  th_blank_look (&blank, drawing->pixels, (gsize) drawing->canvas.width * drawing->canvas.height);
  rank = th_blank_rank (&blank);
  if (rank == TH_BLANK_PLAIN && drawing->plain[3] == 0)
    memcpy (drawing->plain, blank.first, sizeof drawing->plain);
  return rank == TH_BLANK_PICTURE;
}

static ThStatus
no_memory (GError **error)
{
  g_set_error (error, TH_ERROR, th_status_to_error (TH_STATUS_NO_MEMORY), "GIF: %s",
               th_status_describe (TH_STATUS_NO_MEMORY));
  return TH_STATUS_NO_MEMORY;
}

/* Why a frame did not come; damage is no reason to give up. */
static ThStatus
judge (const ThGifFile *file, GError **error)
{
  ThStatus status = th_gif_file_fail (file, error);

  if (status == TH_STATUS_NO_MEMORY || status == TH_STATUS_IO)
    return status;
  g_clear_error (error);
  return TH_STATUS_CORRUPT;
}

/* FALSE where the data end. */
static gboolean
draw_frame (Drawing *drawing)
{
  ThGifFile *file = &drawing->file;

  for (guint32 n = 0; n < (guint32) file->gif->Image.Height; n++)
    {
      guint32 row = th_gif_file_row (file, n);
      guint8 *out = row < drawing->visible.height ? place (drawing, row) : NULL;

      if (!th_gif_file_line (file, drawing->line))
        return FALSE;
      for (guint32 x = 0; out != NULL && x < drawing->visible.width; x++)
        if (drawing->line[x] != file->transparent)
          memcpy (out + x * CHANNELS, drawing->palette + drawing->line[x] * CHANNELS, CHANNELS);
    }
  return TRUE;
}

/* Copies what is under the frame, or puts it back. */
static void
save (Drawing *drawing, gboolean back)
{
  gsize length = row_bytes (drawing->visible);

  for (guint32 row = 0; row < drawing->visible.height; row++)
    {
      guint8 *pixels = place (drawing, row), *copy = drawing->saved + row * length;

      memcpy (back ? pixels : copy, back ? copy : pixels, length);
    }
}

/* What is left of a frame when the next one comes. */
static void
dispose (Drawing *drawing)
{
  if (drawing->file.disposal == DISPOSE_PREVIOUS)
    save (drawing, TRUE);
  if (drawing->file.disposal != DISPOSE_BACKGROUND)
    return;
  for (guint32 row = 0; row < drawing->visible.height; row++)
    memset (place (drawing, row), 0, row_bytes (drawing->visible));
}

static ThStatus
begin_frame (Drawing *drawing)
{
  ThGifFile *file = &drawing->file;
  ThStatus status = th_gif_file_next (file, NULL);

  if (status != TH_STATUS_OK)
    return status;
  drawing->visible = th_gif_file_visible (file, drawing->canvas);
  th_gif_file_palette (file, CHANNELS, drawing->palette);
  if (file->disposal == DISPOSE_PREVIOUS)
    save (drawing, FALSE);
  return TH_STATUS_OK;
}

/* A canvas of the colour that was found, if any. */
static ThStatus
fill_plain (Drawing *drawing)
{
  const gsize n = (gsize) drawing->canvas.width * drawing->canvas.height;

  for (gsize i = 0; drawing->plain[3] != 0 && i < n; i++)
    memcpy (drawing->pixels + i * CHANNELS, drawing->plain, CHANNELS);
  return drawing->plain[3] != 0 ? TH_STATUS_OK : TH_STATUS_NO_CONTENT;
}

/* As th_gif_canvas_draw. */
static ThStatus
draw_frames (Drawing *drawing, GError **error)
{
  gboolean whole = TRUE;

  for (guint i = 0; i < TH_BLANK_FRAMES && whole; i++)
    {
      ThStatus status = begin_frame (drawing);

      whole = status == TH_STATUS_OK && draw_frame (drawing);
      if (!whole && status != TH_STATUS_NO_CONTENT)
        status = judge (&drawing->file, error);
      if (status == TH_STATUS_NO_MEMORY || status == TH_STATUS_IO)
        return status;
      if (shows_picture (drawing))
        return whole ? TH_STATUS_OK : TH_STATUS_PARTIAL;
      if (whole)
        dispose (drawing);
    }
  return fill_plain (drawing);
}

guint64
th_gif_canvas_bytes (ThSize canvas)
{
  return 2 * (guint64) canvas.width * canvas.height * CHANNELS + G_MAXUINT16 + sizeof (Drawing);
}

ThStatus
th_gif_canvas_draw (ThInput *input, ThSize canvas, guint8 **pixels, GError **error)
{
  gsize size = row_bytes (canvas) * canvas.height;
  g_autofree guint8 *drawn = g_try_malloc0 (size);
  g_autofree guint8 *saved = g_try_malloc (size);
  g_autofree guint8 *line = g_try_malloc (G_MAXUINT16);
  Drawing drawing = { .canvas = canvas, .pixels = drawn, .saved = saved, .line = line };
  ThStatus status;

  if (drawn == NULL || saved == NULL || line == NULL)
    return no_memory (error);
  status = th_gif_file_open (&drawing.file, input, error);
  if (status == TH_STATUS_OK)
    status = draw_frames (&drawing, error);
  th_gif_file_close (&drawing.file);
  if (th_status_has_pixels (status))
    *pixels = g_steal_pointer (&drawn);
  return status;
}

/* Whether the frame that begins shows no picture, of which all lines can be read. */
static ThStatus
look_at_frame (ThGifFile *file, ThSize canvas, guint8 *line, gboolean *plain, GError **error)
{
  const ThSize visible = th_gif_file_visible (file, canvas);
  const guint32 height = (guint32) file->gif->Image.Height;
  guint8 palette[256 * CHANNELS];
  ThBlank blank = { 0 };

  th_gif_file_palette (file, CHANNELS, palette);
  if (visible.width < canvas.width || visible.height < canvas.height)
    th_blank_look_nothing (&blank);
  for (guint32 n = 0; n < height && !blank.differs; n++)
    {
      if (!th_gif_file_line (file, line))
        return judge (file, error);
      for (guint32 x = 0; x < visible.width && th_gif_file_row (file, n) < visible.height; x++)
        th_blank_look (&blank, palette + line[x] * CHANNELS, 1);
    }
  *plain = !blank.differs;
  return TH_STATUS_OK;
}

/* A frame that is too large to be looked at beforehand counts as a picture, a damaged one too. */
static ThStatus
look (ThGifFile *file, ThSize canvas, gboolean *needed, GError **error)
{
  const GifImageDesc *frame = &file->gif->Image;
  g_autofree guint8 *line = NULL;
  ThStatus status = th_gif_file_next (file, error);

  if (status != TH_STATUS_OK || !th_gif_file_goes_on (file)
      || (guint64) frame->Width * (guint64) frame->Height > TH_BLANK_CANVAS_PIXELS)
    return status;
  line = g_try_malloc (G_MAXUINT16);
  if (line == NULL)
    return no_memory (error);
  status = look_at_frame (file, canvas, line, needed, error);
  return status == TH_STATUS_CORRUPT ? TH_STATUS_OK : status;
}

ThStatus
th_gif_canvas_is_needed (ThInput *input, ThSize canvas, gboolean *needed, GError **error)
{
  ThGifFile file;
  ThStatus status = th_gif_file_open (&file, input, error);

  *needed = FALSE;
  if (status == TH_STATUS_OK)
    status = look (&file, canvas, needed, error);
  th_gif_file_close (&file);
  return status;
}

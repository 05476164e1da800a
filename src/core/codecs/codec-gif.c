/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GIF: the first frame on the canvas, row by row, or of an animation that begins with nothing the
 * first canvas that shows something. */
#include "config.h"

#include <string.h>

#include "core/codecs/gif-canvas.h"
#include "core/codecs/gif-file.h"
#include "core/th-codec.h"

#define SCREEN_BYTES 13 /* signature and screen descriptor */
/* giflib's structs, code table and palettes: 30 KiB when measured; the heap grows by 132 KiB. */
#define LIBRARY_BYTES (192u * 1024u)

typedef struct
{
  ThSession base;
  ThHeader header;
  ThGifFile file;     /* at its first frame */
  ThSize visible;     /* the part of the frame that lies on the canvas */
  gboolean on_canvas; /* the first frame shows nothing: draw others over it */
  guint channels;
  guint8 palette[256 * 4];
} GifSession;

/* What one decode works with. */
typedef struct
{
  GifSession *session;
  guint8 *line;    /* indexes, one line of the frame */
  guint8 *out;     /* one row of the canvas */
  guint8 *indexes; /* of the visible part, where it is interlaced */
  guint8 *came;    /* which of its rows have come */
  gboolean complete;
} Decode;

static const char *const mime_types[] = { "image/gif", NULL };
static const ThMagic magic[] = { { 0, 6, "GIF87a", NULL }, { 0, 6, "GIF89a", NULL }, { 0 } };

static ThStatus
fail (ThStatus status, GError **error, const char *what)
{
  g_set_error (error, TH_ERROR, th_status_to_error (status), "GIF: %s", what);
  return status;
}

static ThStatus
no_memory (GError **error)
{
  return fail (TH_STATUS_NO_MEMORY, error, th_status_describe (TH_STATUS_NO_MEMORY));
}

/* A screen without a size is as large as the frame needs it. */
static ThStatus
measure (GifSession *session, const ThLimits *limits, GError **error)
{
  const GifFileType *gif = session->file.gif;
  const GifImageDesc *frame = &gif->Image;
  ThSize canvas = { (guint32) gif->SWidth, (guint32) gif->SHeight };
  ThStatus status;

  if (canvas.width == 0)
    canvas.width = (guint32) frame->Left + (guint32) frame->Width;
  if (canvas.height == 0)
    canvas.height = (guint32) frame->Top + (guint32) frame->Height;
  if (canvas.width == 0 || canvas.height == 0)
    return fail (TH_STATUS_NO_CONTENT, error, "the first frame is empty");
  status = th_limits_check_size (limits, canvas.width, canvas.height, error);
  if (status == TH_STATUS_OK && frame->Width > 0 && frame->Height > 0)
    status = th_limits_check_size (limits, (guint64) frame->Width, (guint64) frame->Height, error);
  session->header.size = canvas;
  session->visible = th_gif_file_visible (&session->file, canvas);
  return status;
}

/* Which frame is shown. */
static ThStatus
choose (GifSession *session, GError **error)
{
  ThInput *input = session->base.input;
  gboolean empty = session->visible.width == 0;
  ThSize size = session->header.size;
  gboolean more = th_gif_file_goes_on (&session->file)
                  && (guint64) size.width * size.height <= TH_BLANK_CANVAS_PIXELS;
  ThStatus status = TH_STATUS_OK;

  session->header.frames = more ? 0 : 1;
  session->on_canvas = more;
  if (more && !empty)
    status = th_gif_canvas_is_needed (input, size, &session->on_canvas, error);
  if (empty && !more)
    return fail (TH_STATUS_NO_CONTENT, error, "the frame is empty or lies outside of the canvas");
  if (th_input_failed (input) && status == TH_STATUS_OK)
    return fail (TH_STATUS_IO, error, th_status_describe (TH_STATUS_IO));
  return status;
}

static ThStatus
open_session (GifSession *session, const ThLimits *limits, GError **error)
{
  ThBytes head = th_input_peek (session->base.input, 0, SCREEN_BYTES);
  guint16 width = 0, height = 0;
  ThStatus status;

  th_bytes_u16 (head, 6, FALSE, &width);
  th_bytes_u16 (head, 8, FALSE, &height);
  if (width > 0 && height > 0)
    {
      status = th_limits_check_size (limits, width, height, error);
      if (status != TH_STATUS_OK)
        return status;
    }
  status = th_gif_file_open (&session->file, session->base.input, error);
  if (status == TH_STATUS_OK)
    status = th_gif_file_next (&session->file, error);
  if (status == TH_STATUS_OK)
    status = measure (session, limits, error);
  return status == TH_STATUS_OK ? choose (session, error) : status;
}

static void
gif_close (ThSession *base)
{
  GifSession *session = (GifSession *) base;

  th_gif_file_close (&session->file);
  g_free (session);
}

static ThStatus
gif_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  GifSession *session = g_new0 (GifSession, 1);
  ThHeader *header = &session->header;
  ThStatus status;

  session->base.input = input;
  status = open_session (session, limits, error);
  if (status != TH_STATUS_OK)
    {
      gif_close (&session->base);
      return status;
    }
  header->orientation = 1;
  header->pages = 1;
  header->mime_type = mime_types[0];
  header->has_alpha = session->file.transparent != NO_TRANSPARENT_COLOR || session->on_canvas
                      || session->visible.width < header->size.width
                      || session->visible.height < header->size.height;
  session->channels = header->has_alpha ? 4 : 3;
  th_gif_file_palette (&session->file, session->channels, session->palette);
  *out = &session->base;
  return TH_STATUS_OK;
}

static const ThHeader *
gif_header (const ThSession *base)
{
  return &((const GifSession *) base)->header;
}

static gboolean
gif_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  GifSession *session = (GifSession *) base;
  const ThHeader *header = &session->header;
  const GifImageDesc *frame = &session->file.gif->Image;
  guint64 kept = (guint64) (session->visible.width + 1) * session->visible.height;

  *plan = (ThPlan){
    .raster = {
      .width = header->size.width,
      .height = header->size.height,
      .exact_width = header->size.width,
      .exact_height = header->size.height,
      .color = TH_COLOR_RGB,
      .alpha = header->has_alpha ? TH_ALPHA_STRAIGHT : TH_ALPHA_NONE,
      .bits = 8,
    },
    .peak_bytes = sizeof *session + LIBRARY_BYTES + (guint64) frame->Width
                  + (guint64) header->size.width * session->channels
                  + (frame->Interlace ? kept : 0),
  };
  if (session->on_canvas)
    plan->peak_bytes += LIBRARY_BYTES + th_gif_canvas_bytes (header->size);
  return TRUE;
}

/* Reads an interlaced frame, all of it. */
static gboolean
load_interlaced (Decode *decode)
{
  ThGifFile *file = &decode->session->file;
  ThSize visible = decode->session->visible;

  for (guint32 n = 0; n < (guint32) file->gif->Image.Height; n++)
    {
      guint32 y = th_gif_file_row (file, n);

      if (!th_gif_file_line (file, decode->line))
        return FALSE;
      if (y >= visible.height)
        continue;
      memcpy (decode->indexes + (gsize) y * visible.width, decode->line, visible.width);
      decode->came[y] = 1;
    }
  return TRUE;
}

/* The indexes of row y of the frame; where it has not come, of the row of an earlier pass above. */
static const guint8 *
frame_row (Decode *decode, guint32 y)
{
  if (decode->indexes == NULL)
    return th_gif_file_line (&decode->session->file, decode->line) ? decode->line : NULL;
  for (guint32 above = 1; above <= 8; above *= 2)
    {
      guint32 row = y & ~(above - 1);

      if (decode->came[row])
        return decode->indexes + (gsize) row * decode->session->visible.width;
    }
  return NULL;
}

/* Makes row y of the canvas; FALSE where it has not come. */
static gboolean
compose_row (Decode *decode, guint32 y)
{
  const GifSession *session = decode->session;
  const GifImageDesc *frame = &session->file.gif->Image;
  guint32 top = (guint32) frame->Top;
  gsize channels = session->channels;
  guint8 *out = decode->out + (gsize) frame->Left * channels;
  const guint8 *indexes;

  memset (decode->out, 0, session->header.size.width * channels);
  if (y < top || y - top >= session->visible.height)
    return TRUE;
  indexes = frame_row (decode, y - top);
  if (indexes == NULL)
    return FALSE;
  for (guint32 x = 0; x < session->visible.width; x++)
    memcpy (out + x * channels, session->palette + indexes[x] * channels, channels);
  return TRUE;
}

static ThStatus
run (Decode *decode, ThSink *sink, GError **error)
{
  GifSession *session = decode->session;
  gsize stride = (gsize) session->header.size.width * session->channels;
  guint32 height = session->header.size.height;
  ThStatus failure;
  guint32 y;

  if (decode->indexes != NULL)
    decode->complete = load_interlaced (decode);
  for (y = 0; y < height && compose_row (decode, y); y++)
    if (!sink->rows (sink, decode->out, stride, 1))
      return TH_STATUS_STOPPED;
  if (y == height && decode->complete)
    return TH_STATUS_OK;
  failure = th_gif_file_fail (&session->file, error);
  if (failure != TH_STATUS_CORRUPT || y == (guint32) session->file.gif->Image.Top)
    return failure;
  g_clear_error (error);
  return TH_STATUS_PARTIAL;
}

/* The first frame as it is. */
static ThStatus
decode_frame (GifSession *session, const ThPlan *plan, ThSink *sink, GError **error)
{
  const GifImageDesc *frame = &session->file.gif->Image;
  ThSize visible = session->visible;
  gboolean interlaced = frame->Interlace;
  g_autofree guint8 *line = g_try_malloc ((gsize) frame->Width);
  g_autofree guint8 *out = g_try_malloc (th_raster_row_bytes (&plan->raster));
  g_autofree guint8 *indexes = NULL;
  g_autofree guint8 *came = NULL;
  Decode decode;

  if (interlaced)
    {
      indexes = g_try_malloc_n (visible.width, visible.height);
      came = g_try_malloc0 (visible.height);
    }
  if (line == NULL || out == NULL || (interlaced && (indexes == NULL || came == NULL)))
    return no_memory (error);
  decode = (Decode){ session, line, out, indexes, came, TRUE };
  return run (&decode, sink, error);
}

static ThStatus
decode_canvas (GifSession *session, const ThPlan *plan, ThSink *sink, GError **error)
{
  g_autofree guint8 *canvas = NULL;
  ThSize size = session->header.size;
  ThStatus status = th_gif_canvas_draw (session->base.input, size, &canvas, error);

  if (th_status_has_pixels (status)
      && !sink->rows (sink, canvas, th_raster_row_bytes (&plan->raster), size.height))
    return TH_STATUS_STOPPED;
  return status;
}

static ThStatus
gif_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  GifSession *session = (GifSession *) base;

  if (session->on_canvas)
    {
      ThStatus status = decode_canvas (session, plan, sink, error);

      if (status != TH_STATUS_NO_CONTENT)
        return status;
    }
  if (session->visible.width == 0)
    return fail (TH_STATUS_NO_CONTENT, error, "none of the first frames shows anything");
  return decode_frame (session, plan, sink, error);
}

const ThCodec th_codec_gif = {
  .abi = TH_CODEC_ABI,
  .name = "gif",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = gif_open,
  .header = gif_header,
  .plan = gif_plan,
  .decode = gif_decode,
  .close = gif_close,
};

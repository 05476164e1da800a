/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GIF: the first frame, composed on the canvas. */
#include "config.h"

#include <gif_lib.h>
#include <string.h>

#include "core/th-codec.h"

#define SCREEN_BYTES 13 /* signature and screen descriptor */
/* Comments, XMP and the like before the first frame. */
#define EXTENSIONS_MAX (32u * 1024u * 1024u)
/* giflib's structs, code table and palettes: 30 KiB when measured; the heap grows by 132 KiB. */
#define LIBRARY_BYTES (192u * 1024u)

typedef struct
{
  ThSession base;
  ThHeader header;
  GifFileType *gif;
  guint64 offset; /* of the next byte that giflib gets */
  gboolean in_data;
  guint block_left; /* bytes of the data block that giflib is reading */
  int transparent;  /* index, or NO_TRANSPARENT_COLOR */
  ThSize visible;   /* the part of the frame that lies on the canvas */
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

/* Why giflib did not go on. */
static ThStatus
fail_library (const GifSession *session, int code, GError **error)
{
  const char *what = GifErrorString (code);

  if (th_input_failed (session->base.input))
    return fail (TH_STATUS_IO, error, th_status_describe (TH_STATUS_IO));
  if (code == D_GIF_ERR_NOT_ENOUGH_MEM)
    return fail (TH_STATUS_NO_MEMORY, error, th_status_describe (TH_STATUS_NO_MEMORY));
  return fail (TH_STATUS_CORRUPT, error, what != NULL ? what : "the file ends too early");
}

/* Through the window: giflib asks for a few bytes at a time, 255 at the most. */
static guint
read_some (GifSession *session, GifByteType *buffer, int length)
{
  const ThBytes bytes = th_input_peek (session->base.input, session->offset, (gsize) length);
  const guint got = (guint) MIN (bytes.size, (gsize) length);

  memcpy (buffer, bytes.data, got);
  session->offset += got;
  return got;
}

/* Within a frame's data giflib reads a length, then that many bytes. Where the file ends in between
 * the length is shortened, so that giflib gets everything that is there, and then the end. */
static int
read_data (GifSession *session, GifByteType *buffer, int length)
{
  const guint64 size = th_input_size (session->base.input);
  const guint got = read_some (session, buffer, length);

  if (session->block_left > 0)
    {
      session->block_left -= MIN (session->block_left, got);
      return (int) got;
    }
  buffer[0] = got > 0 ? (GifByteType) MIN (buffer[0], size - session->offset) : 0;
  session->block_left = buffer[0];
  return 1;
}

static int
on_read (GifFileType *gif, GifByteType *buffer, int length)
{
  GifSession *session = gif->UserData;

  if (session->in_data)
    return read_data (session, buffer, length);
  return session->offset > EXTENSIONS_MAX ? 0 : (int) read_some (session, buffer, length);
}

static gboolean
take_extension (GifSession *session)
{
  GifByteType *data;
  int code;

  if (DGifGetExtension (session->gif, &code, &data) == GIF_ERROR)
    return FALSE;
  while (data != NULL)
    {
      GraphicsControlBlock control;

      if (code == GRAPHICS_EXT_FUNC_CODE
          && DGifExtensionToGCB (data[0], data + 1, &control) == GIF_OK)
        session->transparent = control.TransparentColor;
      if (DGifGetExtensionNext (session->gif, &data) == GIF_ERROR)
        return FALSE;
    }
  return TRUE;
}

/* Goes on to the data of the first frame. */
static ThStatus
find_frame (GifSession *session, GError **error)
{
  GifFileType *gif = session->gif;
  GifRecordType type = UNDEFINED_RECORD_TYPE;

  while (DGifGetRecordType (gif, &type) == GIF_OK)
    {
      if (type == TERMINATE_RECORD_TYPE)
        return fail (TH_STATUS_NO_CONTENT, error, "the file has no frame");
      if (type == IMAGE_DESC_RECORD_TYPE && DGifGetImageDesc (gif) == GIF_OK)
        return TH_STATUS_OK;
      if (type != EXTENSION_RECORD_TYPE || !take_extension (session))
        break;
    }
  return fail_library (session, gif->Error, error);
}

static guint32
part_on_canvas (int first, int length, guint32 canvas)
{
  return (guint32) first < canvas ? MIN ((guint32) length, canvas - (guint32) first) : 0;
}

/* A screen without a size is as large as the frame needs it. */
static ThStatus
measure (GifSession *session, const ThLimits *limits, GError **error)
{
  const GifImageDesc *frame = &session->gif->Image;
  ThSize canvas = { (guint32) session->gif->SWidth, (guint32) session->gif->SHeight };
  ThStatus status;

  if (frame->Width <= 0 || frame->Height <= 0)
    return fail (TH_STATUS_NO_CONTENT, error, "the first frame is empty");
  if (canvas.width == 0)
    canvas.width = (guint32) frame->Left + (guint32) frame->Width;
  if (canvas.height == 0)
    canvas.height = (guint32) frame->Top + (guint32) frame->Height;
  status = th_limits_check_size (limits, canvas.width, canvas.height, error);
  if (status == TH_STATUS_OK)
    status = th_limits_check_size (limits, (guint64) frame->Width, (guint64) frame->Height, error);
  if (status != TH_STATUS_OK)
    return status;
  session->visible = (ThSize){ part_on_canvas (frame->Left, frame->Width, canvas.width),
                               part_on_canvas (frame->Top, frame->Height, canvas.height) };
  if (session->visible.width == 0 || session->visible.height == 0)
    return fail (TH_STATUS_NO_CONTENT, error, "the first frame lies outside of the canvas");
  session->header.size = canvas;
  return TH_STATUS_OK;
}

/* Indexes beyond the palette are black; where there is no palette at all, they are greys. */
static void
make_palette (GifSession *session)
{
  const ColorMapObject *map =
      session->gif->Image.ColorMap != NULL ? session->gif->Image.ColorMap : session->gif->SColorMap;
  guint channels = session->channels;

  for (int i = 0; i < 256; i++)
    {
      guint8 *pixel = session->palette + (gsize) i * channels;

      memset (pixel, map == NULL ? i : 0, 3);
      if (map != NULL && i < map->ColorCount)
        memcpy (pixel, (guint8[]){ map->Colors[i].Red, map->Colors[i].Green, map->Colors[i].Blue },
                3);
      if (channels == 4)
        pixel[3] = i == session->transparent ? 0 : 255;
    }
}

static ThStatus
open_session (GifSession *session, const ThLimits *limits, GError **error)
{
  ThBytes head = th_input_peek (session->base.input, 0, SCREEN_BYTES);
  guint16 width = 0, height = 0;
  int code = 0;
  ThStatus status;

  th_bytes_u16 (head, 6, FALSE, &width);
  th_bytes_u16 (head, 8, FALSE, &height);
  if (width > 0 && height > 0)
    {
      status = th_limits_check_size (limits, width, height, error);
      if (status != TH_STATUS_OK)
        return status;
    }
  session->gif = DGifOpen (session, on_read, &code);
  if (session->gif == NULL)
    return fail_library (session, code, error);
  status = find_frame (session, error);
  return status == TH_STATUS_OK ? measure (session, limits, error) : status;
}

static void
gif_close (ThSession *base)
{
  GifSession *session = (GifSession *) base;

  if (session->gif != NULL)
    DGifCloseFile (session->gif, NULL);
  g_free (session);
}

static ThStatus
gif_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  GifSession *session = g_new0 (GifSession, 1);
  ThHeader *header = &session->header;
  ThStatus status;

  session->base.input = input;
  session->transparent = NO_TRANSPARENT_COLOR;
  status = open_session (session, limits, error);
  if (status != TH_STATUS_OK)
    {
      gif_close (&session->base);
      return status;
    }
  session->in_data = TRUE;
  header->orientation = 1;
  header->pages = 1;
  header->mime_type = mime_types[0];
  header->has_alpha = session->transparent != NO_TRANSPARENT_COLOR
                      || session->visible.width < header->size.width
                      || session->visible.height < header->size.height;
  session->channels = header->has_alpha ? 4 : 3;
  make_palette (session);
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
    .peak_bytes = sizeof *session + LIBRARY_BYTES + (guint64) session->gif->Image.Width
                  + (guint64) header->size.width * session->channels
                  + (session->gif->Image.Interlace ? kept : 0),
  };
  return TRUE;
}

/* Reads an interlaced frame, all of it. */
static gboolean
load_interlaced (Decode *decode)
{
  static const struct
  {
    guint32 first, step;
  } passes[] = { { 0, 8 }, { 4, 8 }, { 2, 4 }, { 1, 2 } };
  const GifImageDesc *frame = &decode->session->gif->Image;
  ThSize visible = decode->session->visible;

  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++)
    for (guint32 y = passes[i].first; y < (guint32) frame->Height; y += passes[i].step)
      {
        if (DGifGetLine (decode->session->gif, decode->line, frame->Width) == GIF_ERROR)
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
  const GifImageDesc *frame = &decode->session->gif->Image;

  if (decode->indexes == NULL)
    return DGifGetLine (decode->session->gif, decode->line, frame->Width) == GIF_OK ? decode->line
                                                                                    : NULL;
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
  guint32 top = (guint32) session->gif->Image.Top;
  gsize channels = session->channels;
  guint8 *out = decode->out + (gsize) session->gif->Image.Left * channels;
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
  failure = fail_library (session, session->gif->Error, error);
  if (failure != TH_STATUS_CORRUPT || y == (guint32) session->gif->Image.Top)
    return failure;
  g_clear_error (error);
  return TH_STATUS_PARTIAL;
}

static ThStatus
gif_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  GifSession *session = (GifSession *) base;
  ThSize visible = session->visible;
  gboolean interlaced = session->gif->Image.Interlace;
  g_autofree guint8 *line = g_try_malloc ((gsize) session->gif->Image.Width);
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
    return fail (TH_STATUS_NO_MEMORY, error, th_status_describe (TH_STATUS_NO_MEMORY));
  decode = (Decode){ session, line, out, indexes, came, TRUE };
  return run (&decode, sink, error);
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

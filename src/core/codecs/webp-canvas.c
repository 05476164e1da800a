/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/webp-canvas.h"

#include <errno.h>
#include <string.h>
#include <webp/decode.h>

#include "core/th-shrink.h"

#define CHANNELS    4u
#define FIXED_BYTES (256u * 1024u)
/* Sets of Huffman tables of a lossless picture, each of at most 5004 entries of 4 bytes beside its
 * struct. Their number is known only while decoding: 18 pictures of up to 9 megapixels by libwebp's
 * encoder left room for 100 at the most, a conformance file of 75 × 100 pixels has about as many.
 * They are allocated before the data that belong to them are read: a cut file needs as many. */
#define GROUP_BYTES      20800u
#define GROUP_PIXELS_MIN 16u
#define GROUPS_ALWAYS    512u
#define GROUP_PIXELS     16384u

typedef struct
{
  const ThWebpFrames *frames;
  ThInput *input;
  guint8 *pixels; /* the canvas */
  guint8 plain[CHANNELS];
} Drawing;

/* One frame while it is decoded; its owner clears it. */
typedef struct
{
  guint8 *data;
  guint8 *pixels;
  WebPDecoderConfig config; /* the decoder keeps its address */
  WebPIDecoder *decoder;
  guint32 rows; /* that came */
  ThStatus status;
} Frame;

/* Between the canvas and a sink whose raster is smaller, or has no alpha. */
typedef struct
{
  const ThRaster *raster;
  ThSink *sink;
  guint8 *row;
  gboolean stopped;
} Delivery;

static ThStatus
fail (ThStatus status, GError **error)
{
  g_set_error (error, TH_ERROR, th_status_to_error (status), "WebP: %s",
               th_status_describe (status));
  return status;
}

void
th_webp_frames_read (ThWebpFrames *frames, const ThWebpHead *head, ThInput *input,
                     const ThLimits *limits)
{
  guint64 offset = head->next;

  frames->canvas = head->canvas;
  frames->frames[0] = head->frame;
  frames->n = 1;
  while (head->animated && frames->n < TH_BLANK_FRAMES
         && th_webp_head_next (head, input, limits, &offset, &frames->frames[frames->n]))
    frames->n++;
}

gboolean
th_webp_frames_have_alpha (const ThWebpFrames *frames)
{
  const ThWebpFrame *first = &frames->frames[0];
  gboolean alpha = first->alpha || first->size.width < frames->canvas.width
                   || first->size.height < frames->canvas.height;

  for (guint i = 1; i < frames->n; i++)
    alpha = alpha || frames->frames[i - 1].clears
            || (frames->frames[i].replaces && frames->frames[i].alpha);
  return alpha;
}

guint64
th_webp_frame_bytes (const ThWebpFrame *frame, guint32 width)
{
  guint64 pixels = (guint64) frame->size.width * frame->size.height;
  guint64 groups = MIN (pixels / GROUP_PIXELS_MIN + 1, GROUPS_ALWAYS + pixels / GROUP_PIXELS);
  guint64 lossless = pixels * 19 / 4 + (guint64) frame->size.width * 80 + groups * GROUP_BYTES;
  guint64 bytes = FIXED_BYTES + (guint64) width * 128;

  if (frame->lossless)
    return bytes + lossless;
  bytes += (guint64) (frame->size.width / 16 + 1) * 2048;
  /* The plane of transparency, and its own lossless picture. */
  return bytes + (frame->alpha ? pixels + lossless : 0);
}

static ThRaster
canvas_raster (ThSize canvas)
{
  return (ThRaster){
    .width = canvas.width,
    .height = canvas.height,
    .exact_width = canvas.width,
    .exact_height = canvas.height,
    .color = TH_COLOR_RGB,
    .alpha = TH_ALPHA_STRAIGHT,
    .bits = 8,
  };
}

guint64
th_webp_canvas_bytes (const ThWebpFrames *frames, const ThRaster *raster)
{
  const ThRaster canvas = canvas_raster (frames->canvas);
  const ThSize size = { raster->width, raster->height };
  guint64 most = th_shrink_bytes (&canvas, &size, 1) + (guint64) raster->width * CHANNELS;

  for (guint i = 0; i < frames->n; i++)
    {
      const ThWebpFrame *frame = &frames->frames[i];
      const guint64 pixels = (guint64) frame->size.width * frame->size.height;
      const guint64 bytes = th_webp_frame_bytes (frame, frame->size.width) + pixels * CHANNELS
                            + frame->data.size + frame->alpha_data.size;

      most = MAX (most, bytes);
    }
  return most + (guint64) frames->canvas.width * frames->canvas.height * CHANNELS;
}

/* Where a row of the frame begins on the canvas. */
static guint8 *
place (const Drawing *drawing, const ThWebpFrame *frame, guint32 row)
{
  const gsize pixel = (gsize) (frame->y + row) * drawing->frames->canvas.width + frame->x;

  return drawing->pixels + pixel * CHANNELS;
}

/* Straight alpha, as the container's specification has it. */
static void
blend (const guint8 *from, guint8 *to)
{
  const guint32 over = from[3] * 255u, under = to[3] * (255u - from[3]);
  const guint32 alpha = over + under;

  if (from[3] == 0)
    return;
  for (guint c = 0; c < 3; c++)
    to[c] = (guint8) ((from[c] * over + to[c] * under + alpha / 2) / alpha);
  to[3] = (guint8) ((alpha + 127) / 255);
}

static void
draw_rows (const Drawing *drawing, const ThWebpFrame *frame, const guint8 *pixels, guint32 n)
{
  const gsize stride = (gsize) frame->size.width * CHANNELS;

  for (guint32 y = 0; y < n; y++, pixels += stride)
    {
      guint8 *out = place (drawing, frame, y);

      if (frame->replaces || !frame->alpha)
        memcpy (out, pixels, stride);
      else
        for (guint32 x = 0; x < frame->size.width; x++)
          blend (pixels + x * CHANNELS, out + x * CHANNELS);
    }
}

static gsize
read_span (ThInput *input, ThWebpSpan span, guint8 *buffer)
{
  const gssize got = th_input_read (input, span.offset, buffer, span.size);

  return (gsize) MAX (got, 0);
}

static gboolean
prepare (Frame *work, const ThWebpFrame *frame)
{
  const gsize stride = (gsize) frame->size.width * CHANNELS;
  WebPDecBuffer *output = &work->config.output;

  work->data = g_try_malloc (frame->alpha_data.size + frame->data.size);
  work->pixels = g_try_malloc_n (frame->size.height, stride);
  if (work->data == NULL || work->pixels == NULL || !WebPInitDecoderConfig (&work->config))
    return FALSE;
  output->colorspace = MODE_RGBA;
  output->is_external_memory = 1;
  output->u.RGBA = (WebPRGBABuffer){ work->pixels, (int) stride, stride * frame->size.height };
  work->decoder = WebPIDecode (NULL, 0, &work->config);
  return work->decoder != NULL;
}

/* Transparency, then the picture. OK, PARTIAL, IO, NO_MEMORY. */
static ThStatus
decode (Frame *work, const ThWebpFrame *frame, ThInput *input)
{
  gsize size = frame->lossless ? 0 : read_span (input, frame->alpha_data, work->data);
  VP8StatusCode code;
  int rows = 0;

  size += read_span (input, frame->data, work->data + size);
  errno = 0;
  code = WebPIUpdate (work->decoder, work->data, size);
  if (th_input_failed (input))
    return TH_STATUS_IO;
  /* libwebp calls most of what it could not allocate a damaged stream. */
  if (code != VP8_STATUS_OK && (code == VP8_STATUS_OUT_OF_MEMORY || errno == ENOMEM))
    return TH_STATUS_NO_MEMORY;
  if (WebPIDecGetRGB (work->decoder, &rows, NULL, NULL, NULL) != NULL)
    work->rows = (guint32) MAX (rows, 0);
  return code == VP8_STATUS_OK ? TH_STATUS_OK : TH_STATUS_PARTIAL;
}

/* OK, PARTIAL, IO, NO_MEMORY. */
static ThStatus
draw_frame (const Drawing *drawing, const ThWebpFrame *frame)
{
  Frame work = { .status = TH_STATUS_NO_MEMORY };

  if (prepare (&work, frame))
    work.status = decode (&work, frame, drawing->input);
  if (th_status_has_pixels (work.status))
    draw_rows (drawing, frame, work.pixels, work.rows);
  if (work.decoder != NULL)
    WebPIDelete (work.decoder);
  g_free (work.pixels);
  g_free (work.data);
  return work.status;
}

/* What is left of a frame when the next one comes. */
static void
dispose (const Drawing *drawing, const ThWebpFrame *frame)
{
  for (guint32 row = 0; frame->clears && row < frame->size.height; row++)
    memset (place (drawing, frame, row), 0, (gsize) frame->size.width * CHANNELS);
}

static gboolean
shows_picture (Drawing *drawing)
{
  const ThSize canvas = drawing->frames->canvas;
  ThBlank blank = { 0 };
  ThBlankRank rank;

  th_blank_look (&blank, drawing->pixels, (gsize) canvas.width * canvas.height);
  rank = th_blank_rank (&blank);
  if (rank == TH_BLANK_PLAIN && drawing->plain[3] == 0)
    memcpy (drawing->plain, blank.first, sizeof drawing->plain);
  return rank == TH_BLANK_PICTURE;
}

/* first is of no use any more where another colour has been found. */
static void
fill (const Drawing *drawing, const guint8 *first)
{
  const gsize n = (gsize) drawing->frames->canvas.width * drawing->frames->canvas.height;
  const guint8 *color = drawing->plain[3] != 0 ? drawing->plain : first;

  for (gsize i = 0; i < n; i++)
    memcpy (drawing->pixels + i * CHANNELS, color, CHANNELS);
}

/* Draws until the canvas shows something. OK, PARTIAL, IO, NO_MEMORY. */
static ThStatus
draw (Drawing *drawing, const guint8 *first)
{
  ThStatus status = TH_STATUS_OK;

  for (guint i = 0; i < drawing->frames->n && status == TH_STATUS_OK; i++)
    {
      const ThWebpFrame *frame = &drawing->frames->frames[i];

      status = draw_frame (drawing, frame);
      if (!th_status_has_pixels (status) || shows_picture (drawing))
        return status;
      dispose (drawing, frame);
    }
  fill (drawing, first);
  return status;
}

static void
deliver (guint i, guint32 y, const guint8 *row, gpointer data)
{
  Delivery *delivery = data;
  const guint channels = th_raster_channels (delivery->raster);

  if (delivery->stopped)
    return;
  for (guint32 x = 0; x < delivery->raster->width; x++)
    memcpy (delivery->row + (gsize) x * channels, row + (gsize) x * CHANNELS, channels);
  delivery->stopped = !delivery->sink->rows (delivery->sink, delivery->row,
                                             th_raster_row_bytes (delivery->raster), 1);
}

static ThStatus
push (const Drawing *drawing, const ThRaster *raster, ThSink *sink)
{
  const ThRaster canvas = canvas_raster (drawing->frames->canvas);
  const ThSize size = { raster->width, raster->height };
  g_autofree guint8 *row = g_try_malloc ((gsize) raster->width * CHANNELS);
  Delivery delivery = { raster, sink, row, FALSE };
  g_autoptr (ThShrink) shrink = th_shrink_new (&canvas, &size, 1, deliver, &delivery);
  ThSink *first = shrink != NULL ? th_shrink_sink (shrink) : NULL;

  if (row == NULL || shrink == NULL)
    return TH_STATUS_NO_MEMORY;
  first->rows (first, drawing->pixels, th_raster_row_bytes (&canvas), canvas.height);
  return delivery.stopped ? TH_STATUS_STOPPED : TH_STATUS_OK;
}

ThStatus
th_webp_canvas_push (const ThWebpFrames *frames, ThInput *input, const guint8 first[4],
                     const ThRaster *raster, ThSink *sink, GError **error)
{
  g_autofree guint8 *pixels =
      g_try_malloc0_n (frames->canvas.height, (gsize) frames->canvas.width * CHANNELS);
  Drawing drawing = { .frames = frames, .input = input, .pixels = pixels };
  ThStatus status = pixels != NULL ? draw (&drawing, first) : TH_STATUS_NO_MEMORY;
  ThStatus pushed = status;

  if (th_status_has_pixels (status))
    pushed = push (&drawing, raster, sink);
  if (pushed == TH_STATUS_IO || pushed == TH_STATUS_NO_MEMORY)
    return fail (pushed, error);
  return pushed == TH_STATUS_OK ? status : pushed;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* WebP: stills at a reduced size by libwebp's own scaler, and so the first frame of animations; of
 * one that begins with nothing the first canvas that shows something. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <webp/decode.h>

#include "core/codecs/webp-canvas.h"
#include "core/codecs/webp-head.h"
#include "core/th-codec.h"

/* libwebp averages boxes down to this many times the largest target, and the shrinker does the
 * rest. Over 32 pairs of pictures and sizes the lowest SSIM was 0.966 at 1, 0.973 at 1.5, 0.995 at
 * 2 and 0.998 at 3, for 1.03, 1.05 and 1.13 times the CPU time of 1. */
#define OVERSAMPLE            2u
#define UNSCALED_ALPHA_PIXELS (8u * 1024u * 1024u)

typedef struct
{
  ThSession base;
  ThHeader header;
  ThWebpHead head;
  ThWebpFrames frames;
  gboolean covers; /* the first picture is the whole canvas */
  gboolean looks;  /* whether the first frame shows something, since others follow */
} WebpSession;

/* What one decode works with. */
typedef struct
{
  WebpSession *session;
  const ThRaster *raster;
  ThSink *sink;
  WebPIDecoder *decoder;
  guint8 *pixels; /* what libwebp writes: the raster, or the frame to be composed */
  gsize stride;
  guint8 *row;      /* one row of the canvas; NULL where the picture covers it */
  guint32 pushed;   /* rows of pixels that the sink has */
  gboolean held;    /* it gets none, as long as these show nothing: */
  guint32 looked;   /* rows of pixels that */
  ThBlank blank;    /* has seen */
  gboolean stopped; /* by the sink */
} Decode;

static const char *const mime_types[] = { "image/webp", NULL };
static const ThMagic magic[] = {
  { 0, 12, "RIFF\0\0\0\0WEBP", "\377\377\377\377\0\0\0\0\377\377\377\377" }, { 0 }
};

static ThStatus
fail (ThStatus status, GError **error, const char *what)
{
  g_set_error (error, TH_ERROR, th_status_to_error (status), "WebP: %s",
               what != NULL ? what : th_status_describe (status));
  return status;
}

static void
webp_close (ThSession *base)
{
  WebpSession *session = (WebpSession *) base;

  th_webp_head_clear (&session->head);
  g_free (session);
}

static ThStatus
webp_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  WebpSession *session = g_new0 (WebpSession, 1);
  ThWebpHead *head = &session->head;
  ThStatus status = th_webp_head_read (head, input, limits, error);
  gboolean alpha;

  if (status != TH_STATUS_OK)
    {
      webp_close (&session->base);
      return status;
    }
  session->base.input = input;
  th_webp_frames_read (&session->frames, head, input, limits);
  if (th_input_failed (input))
    {
      webp_close (&session->base);
      return fail (TH_STATUS_IO, error, NULL);
    }
  session->covers = head->frame.size.width == head->canvas.width
                    && head->frame.size.height == head->canvas.height;
  session->looks = session->frames.n > 1
                   && (guint64) head->canvas.width * head->canvas.height <= TH_BLANK_CANVAS_PIXELS;
  alpha = session->looks ? th_webp_frames_have_alpha (&session->frames)
                         : head->frame.alpha || !session->covers;
  session->header = (ThHeader){
    .size = head->canvas,
    .orientation = head->orientation,
    .has_alpha = alpha,
    .pages = 1,
    .frames = session->frames.n > 1 ? 0 : 1,
    .icc = head->icc,
    .icc_size = head->icc_size,
    .mime_type = mime_types[0],
  };
  *out = &session->base;
  return TH_STATUS_OK;
}

static const ThHeader *
webp_header (const ThSession *base)
{
  return &((const WebpSession *) base)->header;
}

/* Lossy pictures with transparency lose the colours at its edge in libwebp's scaler, which averages
 * colours without their weights: they are scaled only where the whole picture would be too much. */
static gboolean
may_scale (const WebpSession *session)
{
  const ThWebpFrame *frame = &session->head.frame;

  return session->covers
         && (!frame->alpha || frame->lossless
             || (guint64) frame->size.width * frame->size.height > UNSCALED_ALPHA_PIXELS);
}

static guint32
scaled_side (guint32 full, guint32 target)
{
  return (guint32) MIN ((guint64) target * OVERSAMPLE, full);
}

/* The compressed picture is kept whole where libwebp could need any of it until the end. */
static gboolean
is_streamed (const ThWebpFrame *frame)
{
  return !frame->lossless && !frame->alpha && frame->partitions == 1;
}

static guint64
data_bytes (const ThWebpFrame *frame)
{
  /* What libwebp has not used yet is copied once when more comes; it wants the first partition
   * whole and then copies it. */
  if (is_streamed (frame))
    return 3 * (guint64) MIN (frame->first_partition, frame->data.size) + 4 * TH_INPUT_WINDOW;
  return frame->data.size + frame->alpha_data.size;
}

static gboolean
webp_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  WebpSession *session = (WebpSession *) base;
  const ThWebpHead *head = &session->head;
  gboolean scale = may_scale (session);
  guint32 width = scale ? scaled_side (head->canvas.width, targets[0].width) : head->canvas.width;
  guint32 height =
      scale ? scaled_side (head->canvas.height, targets[0].height) : head->canvas.height;
  gboolean alpha = session->header.has_alpha;
  guint64 pixels = session->covers
                       ? (guint64) width * height
                       : (guint64) head->frame.size.width * head->frame.size.height + width;
  guint64 bytes, drawn = 0;

  *plan = (ThPlan){
    .raster = {
      .width = width,
      .height = height,
      .exact_width = width,
      .exact_height = height,
      .color = TH_COLOR_RGB,
      .alpha = alpha ? TH_ALPHA_STRAIGHT : TH_ALPHA_NONE,
      .bits = 8,
    },
  };
  bytes = pixels * (alpha ? 4 : 3) + th_webp_frame_bytes (&head->frame, width)
          + data_bytes (&head->frame);
  if (session->looks)
    drawn = th_webp_canvas_bytes (&session->frames, &plan->raster);
  plan->peak_bytes = sizeof *session + head->icc_size + MAX (bytes, drawn);
  return TRUE;
}

/* Rows of the canvas in which the picture has no part. */
static gboolean
push_blank (Decode *decode, guint32 n)
{
  memset (decode->row, 0, th_raster_row_bytes (decode->raster));
  for (; n > 0 && !decode->stopped; n--)
    decode->stopped = !decode->sink->rows (decode->sink, decode->row, 0, 1);
  return !decode->stopped;
}

static void
push_composed (Decode *decode, guint32 n)
{
  const ThWebpHead *head = &decode->session->head;
  gsize row_bytes = th_raster_row_bytes (decode->raster);

  if (decode->pushed == 0 && n > 0 && !push_blank (decode, head->frame.y))
    return;
  memset (decode->row, 0, row_bytes);
  for (guint32 i = 0; i < n && !decode->stopped; i++)
    {
      memcpy (decode->row + (gsize) head->frame.x * 4,
              decode->pixels + (gsize) (decode->pushed + i) * decode->stride, decode->stride);
      decode->stopped = !decode->sink->rows (decode->sink, decode->row, row_bytes, 1);
    }
}

/* Whether the first so many rows show something, with what lies around them. */
static gboolean
show_something (Decode *decode, guint32 finished)
{
  const guint channels = th_raster_channels (decode->raster);
  const gsize n = (gsize) (finished - decode->looked) * (decode->stride / channels);
  const guint8 *rows = decode->pixels + decode->looked * decode->stride;

  if (!decode->session->covers)
    th_blank_look_nothing (&decode->blank);
  if (channels == 4)
    th_blank_look (&decode->blank, rows, n);
  else
    th_blank_look_rgb (&decode->blank, rows, n);
  decode->looked = finished;
  return decode->blank.differs;
}

/* Pushes the rows that libwebp has finished since the last time. */
static void
push_finished (Decode *decode)
{
  int finished = 0;
  guint32 n;

  if (WebPIDecGetRGB (decode->decoder, &finished, NULL, NULL, NULL) == NULL
      || (guint32) finished <= decode->pushed)
    return;
  if (decode->held && show_something (decode, (guint32) finished))
    decode->held = FALSE;
  if (decode->held)
    return;
  n = (guint32) finished - decode->pushed;
  if (decode->row != NULL)
    push_composed (decode, n);
  else
    decode->stopped = !decode->sink->rows (
        decode->sink, decode->pixels + decode->pushed * decode->stride, decode->stride, n);
  decode->pushed += n;
}

/* Feeds libwebp window by window; it lets go of what it has used. */
static VP8StatusCode
stream (Decode *decode)
{
  ThWebpSpan span = decode->session->head.frame.data;
  VP8StatusCode code = VP8_STATUS_SUSPENDED;

  while (span.size > 0 && code == VP8_STATUS_SUSPENDED && !decode->stopped)
    {
      ThBytes bytes = th_input_peek (decode->session->base.input, span.offset, 1);
      gsize n = MIN (bytes.size, span.size);

      if (n == 0)
        break;
      code = WebPIAppend (decode->decoder, bytes.data, n);
      push_finished (decode);
      span.offset += n;
      span.size -= n;
    }
  return code;
}

static gsize
read_span (ThInput *input, ThWebpSpan span, guint8 *buffer)
{
  const gssize got = th_input_read (input, span.offset, buffer, span.size);

  return (gsize) MAX (got, 0);
}

/* Gives libwebp all that there is at once: transparency, then the picture, as in a frame of an
 * animation. */
static VP8StatusCode
decode_whole (Decode *decode, guint8 *data)
{
  const ThWebpFrame *frame = &decode->session->head.frame;
  ThInput *input = decode->session->base.input;
  gsize size = frame->lossless ? 0 : read_span (input, frame->alpha_data, data);
  VP8StatusCode code;

  size += read_span (input, frame->data, data + size);
  code = WebPIUpdate (decode->decoder, data, size);
  push_finished (decode);
  return code;
}

static ThStatus
finish (Decode *decode, VP8StatusCode code, GError **error)
{
  const ThWebpHead *head = &decode->session->head;
  guint32 below = head->canvas.height - head->frame.y - head->frame.size.height;

  /* Of a frame that did not come wholly there is to be seen what came. */
  if (decode->held && code != VP8_STATUS_OK)
    {
      decode->held = FALSE;
      push_finished (decode);
    }
  if (decode->held)
    return TH_STATUS_OK;
  if (code == VP8_STATUS_OK && !decode->stopped && decode->row != NULL)
    push_blank (decode, below);
  if (decode->stopped)
    return TH_STATUS_STOPPED;
  if (code == VP8_STATUS_OK)
    return TH_STATUS_OK;
  if (th_input_failed (decode->session->base.input))
    return fail (TH_STATUS_IO, error, NULL);
  /* libwebp calls most of what it could not allocate a damaged stream. */
  if (code == VP8_STATUS_OUT_OF_MEMORY || errno == ENOMEM)
    return fail (TH_STATUS_NO_MEMORY, error, NULL);
  if (decode->pushed > 0)
    return TH_STATUS_PARTIAL;
  return fail (TH_STATUS_CORRUPT, error,
               code == VP8_STATUS_SUSPENDED ? "the file ends before the first rows"
                                            : "the picture is damaged");
}

static gboolean
make_decoder (Decode *decode, WebPDecoderConfig *config)
{
  WebpSession *session = decode->session;
  ThSize size = session->covers ? (ThSize){ decode->raster->width, decode->raster->height }
                                : session->head.frame.size;

  if (!WebPInitDecoderConfig (config))
    return FALSE;
  decode->stride = (gsize) size.width * th_raster_channels (decode->raster);
  decode->pixels = g_try_malloc_n (size.height, decode->stride);
  config->output.colorspace = session->header.has_alpha ? MODE_RGBA : MODE_RGB;
  config->output.is_external_memory = 1;
  config->output.u.RGBA =
      (WebPRGBABuffer){ decode->pixels, (int) decode->stride, decode->stride * size.height };
  if (size.width != session->head.frame.size.width
      || size.height != session->head.frame.size.height)
    {
      config->options.use_scaling = 1;
      config->options.scaled_width = (int) size.width;
      config->options.scaled_height = (int) size.height;
    }
  decode->decoder = decode->pixels != NULL ? WebPIDecode (NULL, 0, config) : NULL;
  return decode->decoder != NULL;
}

/* The first frame, unless it is held back. */
static ThStatus
decode_first (Decode *decode, GError **error)
{
  const WebpSession *session = decode->session;
  const ThWebpFrame *frame = &session->head.frame;
  gboolean streamed = is_streamed (frame);
  g_autofree guint8 *data = streamed ? NULL : g_try_malloc (data_bytes (frame));
  g_autofree guint8 *row =
      session->covers ? NULL : g_try_malloc (th_raster_row_bytes (decode->raster));
  WebPDecoderConfig config;
  ThStatus status;

  errno = 0;
  decode->row = row;
  if ((!streamed && data == NULL) || (!session->covers && row == NULL)
      || !make_decoder (decode, &config))
    status = fail (TH_STATUS_NO_MEMORY, error, NULL);
  else
    status = finish (decode, streamed ? stream (decode) : decode_whole (decode, data), error);
  if (decode->decoder != NULL)
    WebPIDelete (decode->decoder);
  g_free (decode->pixels);
  return status;
}

static ThStatus
webp_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  WebpSession *session = (WebpSession *) base;
  Decode decode = {
    .session = session, .raster = &plan->raster, .sink = sink, .held = session->looks
  };
  const ThStatus status = decode_first (&decode, error);

  if (status != TH_STATUS_OK || !decode.held)
    return status;
  return th_webp_canvas_push (&session->frames, base->input, decode.blank.first, &plan->raster,
                              sink, error);
}

const ThCodec th_codec_webp = {
  .abi = TH_CODEC_ABI,
  .name = "webp",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = webp_open,
  .header = webp_header,
  .plan = webp_plan,
  .decode = webp_decode,
  .close = webp_close,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* WebP: stills at a reduced size by libwebp's own scaler, and the first frame of animations. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <webp/decode.h>

#include "core/codecs/webp-head.h"
#include "core/th-codec.h"

/* libwebp averages boxes down to this many times the largest target, and the shrinker does the
 * rest. Over 32 pairs of pictures and sizes the lowest SSIM was 0.966 at 1, 0.973 at 1.5, 0.995 at
 * 2 and 0.998 at 3, for 1.03, 1.05 and 1.13 times the CPU time of 1. */
#define OVERSAMPLE            2u
#define UNSCALED_ALPHA_PIXELS (8u * 1024u * 1024u)
#define FIXED_BYTES           (256u * 1024u)
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
  ThSession base;
  ThHeader header;
  ThWebpHead head;
  gboolean covers; /* the first picture is the whole canvas */
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

  if (status != TH_STATUS_OK)
    {
      webp_close (&session->base);
      return status;
    }
  session->base.input = input;
  session->covers =
      head->frame.width == head->canvas.width && head->frame.height == head->canvas.height;
  session->header = (ThHeader){
    .size = head->canvas,
    .orientation = head->orientation,
    .has_alpha = head->alpha || !session->covers,
    .pages = 1,
    .frames = head->animated ? 0 : 1,
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
  const ThWebpHead *head = &session->head;

  return session->covers
         && (!head->alpha || head->lossless
             || (guint64) head->frame.width * head->frame.height > UNSCALED_ALPHA_PIXELS);
}

static guint32
scaled_side (guint32 full, guint32 target)
{
  return (guint32) MIN ((guint64) target * OVERSAMPLE, full);
}

/* libwebp's own memory: measured under a limit on data, see tests/codecs. */
static guint64
library_bytes (const WebpSession *session, const ThRaster *raster)
{
  const ThWebpHead *head = &session->head;
  guint64 pixels = (guint64) head->frame.width * head->frame.height;
  guint64 groups = MIN (pixels / GROUP_PIXELS_MIN + 1, GROUPS_ALWAYS + pixels / GROUP_PIXELS);
  guint64 lossless = pixels * 19 / 4 + (guint64) head->frame.width * 80 + groups * GROUP_BYTES;
  guint64 bytes = FIXED_BYTES + (guint64) raster->width * 128;

  if (head->lossless)
    return bytes + lossless;
  bytes += (guint64) (head->frame.width / 16 + 1) * 2048;
  /* The plane of transparency, and its own lossless picture. */
  return bytes + (head->alpha ? pixels + lossless : 0);
}

/* The compressed picture is kept whole where libwebp could need any of it until the end. */
static gboolean
is_streamed (const ThWebpHead *head)
{
  return !head->lossless && !head->alpha && head->partitions == 1;
}

static guint64
data_bytes (const ThWebpHead *head)
{
  /* What libwebp has not used yet is copied once when more comes; it wants the first partition
   * whole and then copies it. */
  if (is_streamed (head))
    return 3 * (guint64) MIN (head->first_partition, head->data.size) + 4 * TH_INPUT_WINDOW;
  return head->data.size + head->alpha_data.size;
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
  guint64 pixels = session->covers ? (guint64) width * height
                                   : (guint64) head->frame.width * head->frame.height + width;

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
  plan->peak_bytes = sizeof *session + head->icc_size + pixels * (alpha ? 4 : 3)
                     + library_bytes (session, &plan->raster) + data_bytes (head);
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

  if (decode->pushed == 0 && n > 0 && !push_blank (decode, head->y))
    return;
  memset (decode->row, 0, row_bytes);
  for (guint32 i = 0; i < n && !decode->stopped; i++)
    {
      memcpy (decode->row + (gsize) head->x * 4,
              decode->pixels + (gsize) (decode->pushed + i) * decode->stride, decode->stride);
      decode->stopped = !decode->sink->rows (decode->sink, decode->row, row_bytes, 1);
    }
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
  ThWebpSpan span = decode->session->head.data;
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
  const ThWebpHead *head = &decode->session->head;
  gsize size = head->lossless ? 0 : read_span (decode->session->base.input, head->alpha_data, data);
  VP8StatusCode code;

  size += read_span (decode->session->base.input, head->data, data + size);
  code = WebPIUpdate (decode->decoder, data, size);
  push_finished (decode);
  return code;
}

static ThStatus
finish (Decode *decode, VP8StatusCode code, GError **error)
{
  const ThWebpHead *head = &decode->session->head;
  guint32 below = head->canvas.height - head->y - head->frame.height;

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
                                : session->head.frame;

  if (!WebPInitDecoderConfig (config))
    return FALSE;
  decode->stride = (gsize) size.width * th_raster_channels (decode->raster);
  decode->pixels = g_try_malloc_n (size.height, decode->stride);
  config->output.colorspace = session->header.has_alpha ? MODE_RGBA : MODE_RGB;
  config->output.is_external_memory = 1;
  config->output.u.RGBA =
      (WebPRGBABuffer){ decode->pixels, (int) decode->stride, decode->stride * size.height };
  if (size.width != session->head.frame.width || size.height != session->head.frame.height)
    {
      config->options.use_scaling = 1;
      config->options.scaled_width = (int) size.width;
      config->options.scaled_height = (int) size.height;
    }
  decode->decoder = decode->pixels != NULL ? WebPIDecode (NULL, 0, config) : NULL;
  return decode->decoder != NULL;
}

static ThStatus
webp_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  WebpSession *session = (WebpSession *) base;
  gboolean streamed = is_streamed (&session->head);
  g_autofree guint8 *data = streamed ? NULL : g_try_malloc (data_bytes (&session->head));
  g_autofree guint8 *row =
      session->covers ? NULL : g_try_malloc (th_raster_row_bytes (&plan->raster));
  Decode decode = { .session = session, .raster = &plan->raster, .sink = sink, .row = row };
  WebPDecoderConfig config;
  ThStatus status;

  errno = 0;
  if ((!streamed && data == NULL) || (!session->covers && row == NULL)
      || !make_decoder (&decode, &config))
    status = fail (TH_STATUS_NO_MEMORY, error, NULL);
  else
    status = finish (&decode, streamed ? stream (&decode) : decode_whole (&decode, data), error);
  if (decode.decoder != NULL)
    WebPIDelete (decode.decoder);
  g_free (decode.pixels);
  return status;
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

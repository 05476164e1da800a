/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JPEG XL by libjxl: stills, and the frame that stands for an animation. libjxl 0.7 has no reduced
 * scale and hands out no part of a picture, so that it is decoded whole, or a preview in its place.
 */
#include "config.h"

#include <math.h>

#include "core/th-codec.h"
#include "modules/jxl-color.h"
#include "modules/jxl-frame.h"
#include "modules/jxl-rows.h"
#include "modules/jxl-stream.h"
#include "modules/quiet.h"

/* The decoder's state, and what it decodes at a time of each sample of a group. */
#define FIXED_BYTES   (8u * 1024u * 1024u)
#define GROUP_BYTES   5u
#define SECTION_BYTES (16u * 1024u * 1024u)
/* Most bytes that a part of a frame to be decoded may take, copied as it grows. */
#define SECTION_COPIES 3u

/* As far may the sides' ratio of preview and picture differ. */
#define ASPECT_TOLERANCE 0.01

#define EVENTS (JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME | JXL_DEC_FULL_IMAGE)

typedef struct
{
  ThSession base;
  ThHeader header;
  ThJxlStream stream;
  JxlBasicInfo info;
  ThJxlFrame frame; /* the first one */
  guint black;      /* the extra channel that holds it; as many as there are: none */
  guint8 *icc;
  gboolean may_use_preview;
} JxlSession;

static const char *const mime_types[] = { "image/jxl", NULL };
static const ThMagic magic[] = {
  { 0, 2, "\xff\x0a", NULL },
  { 0, 12, "\0\0\0\x0cJXL \r\n\x87\n", NULL },
  { 0 },
};

static ThStatus
fail (ThStatus status, GError **error, const char *what)
{
  g_set_error (error, TH_ERROR, th_status_to_error (status), "JPEG XL: %s",
               what != NULL ? what : th_status_describe (status));
  return status;
}

/* libjxl does not say what it dislikes. */
static ThStatus
fail_with (const JxlSession *session, JxlDecoderStatus event, GError **error)
{
  if (th_input_failed (session->base.input))
    return fail (TH_STATUS_IO, error, NULL);
  return fail (TH_STATUS_CORRUPT, error,
               event == JXL_DEC_NEED_MORE_INPUT ? "the file ends too early" : NULL);
}

/* libjxl says on standard error why it gives a file up. */
static gboolean
jxl_prepare (GError **error)
{
  if (th_quiet_prepare ())
    return TRUE;
  fail (TH_STATUS_NO_MEMORY, error, NULL);
  return FALSE;
}

static void
jxl_close (ThSession *base)
{
  JxlSession *session = (JxlSession *) base;

  th_jxl_stream_clear (&session->stream);
  g_free (session->icc);
  g_free (session);
}

static void
fill_header (JxlSession *session)
{
  const JxlBasicInfo *info = &session->info;

  session->header = (ThHeader){
    .size = { info->xsize, info->ysize },
    .orientation = CLAMP ((guint) info->orientation, 1, 8),
    .has_alpha = info->alpha_bits > 0,
    .pages = 1,
    .frames = info->have_animation ? 0 : 1,
    .mime_type = mime_types[0],
  };
}

static void
find_black (JxlSession *session)
{
  const guint n = session->info.num_extra_channels;
  JxlExtraChannelInfo channel;

  for (session->black = 0; session->black < n; session->black++)
    if (JxlDecoderGetExtraChannelInfo (session->stream.decoder, session->black, &channel)
            == JXL_DEC_SUCCESS
        && channel.type == JXL_CHANNEL_BLACK)
      return;
}

static ThStatus
read_info (JxlSession *session, const ThLimits *limits, GError **error)
{
  const JxlDecoderStatus event = th_jxl_stream_next (&session->stream);

  if (event != JXL_DEC_BASIC_INFO)
    return fail_with (session, event, error);
  if (JxlDecoderGetBasicInfo (session->stream.decoder, &session->info) != JXL_DEC_SUCCESS)
    return fail (TH_STATUS_CORRUPT, error, NULL);
  fill_header (session);
  find_black (session);
  return th_limits_check_size (limits, session->info.xsize, session->info.ysize, error);
}

static ThStatus
read_colors (JxlSession *session, GError **error)
{
  const JxlDecoderStatus event = th_jxl_stream_next (&session->stream);
  ThHeader *header = &session->header;

  if (event != JXL_DEC_COLOR_ENCODING)
    return fail_with (session, event, error);
  if (th_jxl_color_space (session->stream.decoder, &header->space))
    return TH_STATUS_OK;
  session->icc = th_jxl_color_profile (session->stream.decoder, &header->icc_size);
  header->icc = session->icc;
  return TH_STATUS_OK;
}

/* Where the decoder stopped, the first frame begins. */
static void
read_frame (JxlSession *session)
{
  th_jxl_stream_pause (&session->stream);
  session->frame = th_jxl_frame_read (
      th_input_peek (session->base.input, session->stream.offset, TH_JXL_FRAME_BYTES),
      &session->info);
}

static ThStatus
jxl_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  JxlSession *session = g_new0 (JxlSession, 1);
  ThStatus status;

  session->base.input = input;
  session->may_use_preview = limits->embedded_previews;
  if (th_jxl_stream_init (&session->stream, input, EVENTS))
    status = read_info (session, limits, error);
  else
    status = fail (TH_STATUS_NO_MEMORY, error, NULL);
  if (status == TH_STATUS_OK)
    status = read_colors (session, error);
  if (status != TH_STATUS_OK)
    {
      jxl_close (&session->base);
      return status;
    }
  read_frame (session);
  *out = &session->base;
  return TH_STATUS_OK;
}

static const ThHeader *
jxl_header (const ThSession *base)
{
  return &((const JxlSession *) base)->header;
}

/* 16 only where dark tones need them: it costs libjxl a picture of floats more. */
static guint8
bits_of (const JxlSession *session)
{
  const ThColorSpace *space = &session->header.space;
  const gboolean perceptual = space->transfer == TH_TRANSFER_SRGB
                              || (space->transfer == TH_TRANSFER_GAMMA && space->gamma >= 1.5);

  return session->info.bits_per_sample > 8 && !(space->given && perceptual) ? 16 : 8;
}

/* It is part of the picture, so that whoever changes that writes it anew. */
static gboolean
preview_suits (const JxlSession *session, ThSize target)
{
  const JxlBasicInfo *info = &session->info;
  const guint32 width = info->preview.xsize, height = info->preview.ysize;
  const double ratio = (double) width * info->ysize / MAX ((double) height * info->xsize, 1.0);

  return session->may_use_preview && info->have_preview && width >= target.width
         && height >= target.height && width <= info->xsize && height <= info->ysize
         && fabs (ratio - 1) <= ASPECT_TOLERANCE && session->black == info->num_extra_channels;
}

static ThRaster
raster_of (const JxlSession *session, ThSize size)
{
  const JxlBasicInfo *info = &session->info;

  return (ThRaster){
    .width = size.width,
    .height = size.height,
    .exact_width = size.width,
    .exact_height = size.height,
    .color = session->black < info->num_extra_channels ? TH_COLOR_CMYK
             : info->num_color_channels == 1           ? TH_COLOR_GREY
                                                       : TH_COLOR_RGB,
    .alpha = info->alpha_bits == 0       ? TH_ALPHA_NONE
             : info->alpha_premultiplied ? TH_ALPHA_PREMULTIPLIED
                                         : TH_ALPHA_STRAIGHT,
    .bits = bits_of (session),
  };
}

/* Of a pixel, as measured with libjxl 0.7 and rounded up: samples are 32 bits wide, and there are
 * copies while they are put together. */
static guint64
decoder_pixel_bytes (const JxlSession *session, const ThRaster *raster)
{
  const ThJxlFrame *frame = &session->frame;
  const guint64 extra = session->info.num_extra_channels;
  const guint64 colors = session->info.num_color_channels;
  const gboolean floats = raster->bits == 16 || raster->color == TH_COLOR_CMYK;
  const guint64 of_samples = frame->samples ? 6 * (colors + extra) + 3 : 0;
  const guint64 of_blocks = frame->blocks ? 6 + (extra > 0 ? 17 + 15 * extra : 0) : 0;
  guint64 bytes = MAX (of_samples, of_blocks);

  bytes += frame->passes > 1 ? 16 : 0;
  bytes += floats ? 4 * (3 + extra) : 0;
  bytes += frame->noise ? (floats ? 16 : 4) : 0;
  bytes += frame->more ? 16 * (3 + extra) : 0;
  return bytes;
}

static gboolean
jxl_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  const JxlSession *session = (const JxlSession *) base;
  const JxlPreviewHeader *preview = &session->info.preview;
  const gboolean small = preview_suits (session, targets[0]);
  const ThSize size = small ? (ThSize){ preview->xsize, preview->ysize } : session->header.size;
  const guint64 pixels = (guint64) size.width * size.height;
  const guint64 channels = 3 + session->info.num_extra_channels;
  const guint64 file = th_input_size (base->input);
  guint64 fixed;

  *plan = (ThPlan){ .from_preview = small, .raster = raster_of (session, size) };
  fixed = FIXED_BYTES + session->header.icc_size + SECTION_COPIES * MIN (file, SECTION_BYTES)
          + GROUP_BYTES * channels * session->frame.group * session->frame.group;
  plan->peak_bytes = fixed + th_jxl_rows_bytes (&plan->raster)
                     + pixels * decoder_pixel_bytes (session, &plan->raster);
  return TRUE;
}

static gboolean
give_buffers (const JxlSession *session, const ThJxlRows *rows)
{
  JxlDecoder *decoder = session->stream.decoder;

  if (JxlDecoderSetImageOutBuffer (decoder, &rows->format, rows->pixels, rows->size)
      != JXL_DEC_SUCCESS)
    return FALSE;
  return rows->black == NULL
         || JxlDecoderSetExtraChannelBuffer (decoder, &rows->format, rows->black, rows->black_size,
                                             session->black)
                == JXL_DEC_SUCCESS;
}

/* To the end of the next frame: FULL_IMAGE; or why there is none. */
static JxlDecoderStatus
next_frame (JxlSession *session, const ThJxlRows *rows)
{
  JxlDecoderStatus event = th_jxl_stream_next (&session->stream);

  while (event == JXL_DEC_FRAME || event == JXL_DEC_NEED_IMAGE_OUT_BUFFER)
    {
      if (event == JXL_DEC_NEED_IMAGE_OUT_BUFFER && !give_buffers (session, rows))
        return JXL_DEC_ERROR;
      event = th_jxl_stream_next (&session->stream);
    }
  return event;
}

/* A frame that is there in part is shown as far as it came; or else what was kept of those before.
 */
static ThStatus
show_what_came (JxlSession *session, JxlDecoderStatus event, gboolean kept, ThJxlRows *rows,
                GError **error)
{
  if (event == JXL_DEC_NEED_MORE_INPUT && !th_input_failed (session->base.input)
      && JxlDecoderFlushImage (session->stream.decoder) == JXL_DEC_SUCCESS)
    return TH_STATUS_PARTIAL;
  if (!kept)
    return fail_with (session, event, error);
  th_jxl_rows_repeat_kept (rows);
  return event == JXL_DEC_SUCCESS ? TH_STATUS_OK : TH_STATUS_PARTIAL;
}

/* Of a frame that is no picture one pixel is enough to draw it again. */
static ThStatus
decode_animation (JxlSession *session, ThJxlRows *rows, GError **error)
{
  ThBlankRank best = TH_BLANK_NOTHING;

  for (guint i = 0; i < TH_BLANK_FRAMES; i++)
    {
      const JxlDecoderStatus event = next_frame (session, rows);
      ThBlankRank rank;

      if (event != JXL_DEC_FULL_IMAGE)
        return show_what_came (session, event, i > 0, rows, error);
      rank = th_jxl_rows_rank (rows);
      if (rank == TH_BLANK_PICTURE)
        return TH_STATUS_OK;
      if (i == 0 || rank > best)
        {
          th_jxl_rows_keep_first (rows);
          best = rank;
        }
    }
  th_jxl_rows_repeat_kept (rows);
  return TH_STATUS_OK;
}

static ThStatus
decode_still (JxlSession *session, ThJxlRows *rows, GError **error)
{
  const JxlDecoderStatus event = next_frame (session, rows);

  return event == JXL_DEC_FULL_IMAGE ? TH_STATUS_OK
                                     : show_what_came (session, event, FALSE, rows, error);
}

/* The decoder begins anew, for it passes over previews that nobody wanted from the start. */
static ThStatus
decode_preview (JxlSession *session, ThJxlRows *rows, GError **error)
{
  ThJxlStream *stream = &session->stream;
  JxlDecoderStatus event;

  th_jxl_stream_clear (stream);
  if (!th_jxl_stream_init (stream, session->base.input, JXL_DEC_PREVIEW_IMAGE))
    return fail (TH_STATUS_NO_MEMORY, error, NULL);
  event = th_jxl_stream_next (stream);
  if (event == JXL_DEC_NEED_PREVIEW_OUT_BUFFER
      && JxlDecoderSetPreviewOutBuffer (stream->decoder, &rows->format, rows->pixels, rows->size)
             == JXL_DEC_SUCCESS)
    event = th_jxl_stream_next (stream);
  return event == JXL_DEC_PREVIEW_IMAGE ? TH_STATUS_OK : fail_with (session, event, error);
}

static ThStatus
decode_rows (JxlSession *session, const ThPlan *plan, ThJxlRows *rows, GError **error)
{
  if (plan->from_preview)
    return decode_preview (session, rows, error);
  return session->info.have_animation ? decode_animation (session, rows, error)
                                      : decode_still (session, rows, error);
}

static ThStatus
jxl_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  JxlSession *session = (JxlSession *) base;
  g_auto (ThJxlRows) rows = { 0 };
  ThStatus status, pushed;

  if (!th_jxl_rows_init (&rows, &plan->raster))
    return fail (TH_STATUS_NO_MEMORY, error, NULL);
  status = decode_rows (session, plan, &rows, error);
  if (!th_status_has_pixels (status))
    return status;
  /* Its planes are not needed any more. */
  th_jxl_stream_clear (&session->stream);
  pushed = th_jxl_rows_push (&rows, sink);
  if (pushed == TH_STATUS_NO_MEMORY)
    return fail (pushed, error, NULL);
  return pushed == TH_STATUS_OK ? status : pushed;
}

const ThCodec th_codec_jxl = {
  .abi = TH_CODEC_ABI,
  .name = "jxl",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .prepare = jxl_prepare,
  .open = jxl_open,
  .header = jxl_header,
  .plan = jxl_plan,
  .decode = jxl_decode,
  .close = jxl_close,
};

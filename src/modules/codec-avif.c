/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AVIF by libavif: stills, and the picture that stands for a sequence. AV1 has no reduced scale, so
 * that it is decoded whole; conversion to RGB goes by strips. */
#include "config.h"

#include <avif/avif.h>
#include <string.h>

#include "core/th-blank.h"
#include "core/th-codec.h"
#include "modules/avif-io.h"
#include "modules/avif-picture.h"

/* Rows that are converted at a time. Even, as chroma's are. */
#define STRIP 64u
/* Rows more on each side, for the chroma between them. */
#define MARGIN 2u
/* The decoder's state besides pictures, a row of blocks of it for each column. */
#define FIXED_BYTES  (8u * 1024u * 1024u)
#define COLUMN_BYTES 4096u
/* Pictures that are kept at once: the decoder's own, the one that is handed out, the whole of a
 * grid. */
#define PICTURES 3u

typedef struct
{
  ThSession base;
  ThHeader header;
  ThAvifIo io;
  avifDecoder *decoder;
  avifCropRect crop;
} AvifSession;

typedef struct
{
  const AvifSession *session;
  const ThRaster *raster;
  ThSink *sink;
  guint8 *rgb; /* a strip with its margins */
} Decode;

static const char *const mime_types[] = { "image/avif", "image/avif-sequence", NULL };
static const ThMagic magic[] = {
  { 4, 8, "ftypavif", NULL }, { 4, 8, "ftypavis", NULL }, { 4, 8, "ftypmif1", NULL },
  { 4, 8, "ftypmsf1", NULL }, { 4, 8, "ftypmiaf", NULL }, { 0 },
};

/* EXIF's number for a turn by so many quarters, counter-clockwise, and then a reflection: none, top
 * to bottom, left to right (ISO 23008-12, 6.5.10 and 6.5.12). */
static const guint orientations[4][3] = { { 1, 4, 2 }, { 8, 5, 7 }, { 3, 2, 4 }, { 6, 7, 5 } };

static ThStatus
fail (ThStatus status, GError **error, const char *what)
{
  g_set_error (error, TH_ERROR, th_status_to_error (status), "AVIF: %s",
               what != NULL && *what != '\0' ? what : th_status_describe (status));
  return status;
}

/* All others mean that the data are damaged, or as good as that. */
static const struct
{
  avifResult result;
  ThStatus status;
} statuses[] = {
  { AVIF_RESULT_OK, TH_STATUS_OK },
  { AVIF_RESULT_INVALID_FTYP, TH_STATUS_NOT_MINE },
  { AVIF_RESULT_NO_CONTENT, TH_STATUS_NO_CONTENT },
  { AVIF_RESULT_NO_IMAGES_REMAINING, TH_STATUS_NO_CONTENT },
  { AVIF_RESULT_OUT_OF_MEMORY, TH_STATUS_NO_MEMORY },
};

static ThStatus
status_of (avifResult result)
{
  for (gsize i = 0; i < G_N_ELEMENTS (statuses); i++)
    if (statuses[i].result == result)
      return statuses[i].status;
  return TH_STATUS_CORRUPT;
}

static ThStatus
fail_with (const AvifSession *session, avifResult result, GError **error)
{
  const char *detail = session->decoder->diag.error;

  if (th_input_failed (session->base.input))
    return fail (TH_STATUS_IO, error, NULL);
  /* Its own limits have no result of their own, only words. */
  if (strstr (detail, "too large") != NULL)
    return fail (TH_STATUS_TOO_LARGE, error, detail);
  return fail (status_of (result), error, *detail != '\0' ? detail : avifResultToString (result));
}

static void
avif_close (ThSession *base)
{
  AvifSession *session = (AvifSession *) base;

  if (session->decoder != NULL)
    avifDecoderDestroy (session->decoder);
  th_avif_io_clear (&session->io);
  g_free (session);
}

static void
set_up_decoder (AvifSession *session, const ThLimits *limits)
{
  avifDecoder *decoder = session->decoder;

  decoder->codecChoice = AVIF_CODEC_CHOICE_DAV1D;
  /* A locked-down process starts no threads. */
  decoder->maxThreads = 1;
  decoder->imageSizeLimit = (guint32) MIN (limits->max_pixels, AVIF_DEFAULT_IMAGE_SIZE_LIMIT);
  decoder->ignoreExif = AVIF_TRUE;
  decoder->ignoreXMP = AVIF_TRUE;
  /* What writers leave out, and a clean aperture between two pixels, is no reason to refuse. */
  decoder->strictFlags = AVIF_STRICT_DISABLED;
  avifDecoderSetIO (decoder, &session->io.io);
}

static guint
orientation_of (const avifImage *image)
{
  const guint quarters = image->transformFlags & AVIF_TRANSFORM_IROT ? image->irot.angle & 3 : 0;
  const guint mirror = image->transformFlags & AVIF_TRANSFORM_IMIR ? (image->imir.mode & 1) + 1 : 0;

  return orientations[quarters][mirror];
}

static void
fill_header (AvifSession *session)
{
  const avifDecoder *decoder = session->decoder;
  const avifImage *image = decoder->image;

  session->crop = th_avif_crop (image);
  session->header = (ThHeader){
    .size = { session->crop.width, session->crop.height },
    .orientation = orientation_of (image),
    .has_alpha = decoder->alphaPresent,
    .pages = 1,
    .frames = (guint) MAX (decoder->imageCount, 1),
    .duration = decoder->imageCount > 1 ? decoder->duration : 0,
    .icc = image->icc.size > 0 ? image->icc.data : NULL,
    .icc_size = image->icc.size,
    .mime_type = mime_types[0],
  };
  /* Of the samples after conversion, which have the full range. */
  (void) th_color_space_from_cicp (image->colorPrimaries, image->transferCharacteristics, TRUE,
                                   &session->header.space);
}

/* A picture beyond the limit is told from a damaged one before libavif calls it that. */
static ThStatus
judge_parse (const AvifSession *session, const ThLimits *limits, avifResult result, GError **error)
{
  const avifImage *image = session->decoder->image;

  if (image != NULL && image->width > 0 && image->height > 0)
    {
      const ThStatus status = th_limits_check_size (limits, image->width, image->height, error);

      if (status != TH_STATUS_OK)
        return status;
    }
  return result == AVIF_RESULT_OK ? TH_STATUS_OK : fail_with (session, result, error);
}

static ThStatus
avif_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  AvifSession *session = g_new0 (AvifSession, 1);
  ThStatus status;

  session->base.input = input;
  th_avif_io_init (&session->io, input);
  session->decoder = avifDecoderCreate ();
  if (session->decoder == NULL)
    {
      avif_close (&session->base);
      return fail (TH_STATUS_NO_MEMORY, error, NULL);
    }
  set_up_decoder (session, limits);
  status = judge_parse (session, limits, avifDecoderParse (session->decoder), error);
  if (status != TH_STATUS_OK)
    {
      avif_close (&session->base);
      return status;
    }
  fill_header (session);
  *out = &session->base;
  return TH_STATUS_OK;
}

static const ThHeader *
avif_header (const ThSession *base)
{
  return &((const AvifSession *) base)->header;
}

/* Of all planes, with the borders that the decoder adds. */
static guint64
picture_bytes (const AvifSession *session)
{
  const avifImage *image = session->decoder->image;
  const guint64 width = (guint64) image->width + 256;
  const guint64 samples = width * ((guint64) image->height + 256);
  const guint64 planes = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV444   ? 6
                         : image->yuvFormat == AVIF_PIXEL_FORMAT_YUV422 ? 4
                         : image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400 ? 2
                                                                        : 3;

  return samples / 2 * (planes + (session->header.has_alpha ? 2 : 0)) * (image->depth > 8 ? 2 : 1);
}

static gboolean
avif_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  const AvifSession *session = (const AvifSession *) base;
  const avifImage *image = session->decoder->image;
  const ThSize size = session->header.size;
  const gboolean alpha = session->header.has_alpha;

  *plan = (ThPlan){
    .raster = {
      .width = size.width,
      .height = size.height,
      .exact_width = size.width,
      .exact_height = size.height,
      .color = TH_COLOR_RGB,
      .alpha = !alpha                      ? TH_ALPHA_NONE
               : image->alphaPremultiplied ? TH_ALPHA_PREMULTIPLIED
                                           : TH_ALPHA_STRAIGHT,
      .bits = image->depth > 8 ? 16 : 8,
    },
  };
  /* What is compressed is kept as it was read, and once more as libavif copies it. */
  plan->peak_bytes = FIXED_BYTES + 2 * th_input_size (base->input)
                     + PICTURES * picture_bytes (session) + (guint64) image->width * COLUMN_BYTES
                     + th_raster_row_bytes (&plan->raster) * (STRIP + 2 * MARGIN);
  return TRUE;
}

/* Rows from y on, n of the cropped picture; above and below lie what chroma needs. bits: at most
 * the raster's. */
static avifResult
convert (Decode *decode, guint32 y, guint32 n, guint8 bits, const guint8 **rows)
{
  const AvifSession *session = decode->session;
  const avifImage *image = session->decoder->image;
  const avifCropRect *crop = &session->crop;
  const guint32 above = MIN (y, MARGIN);
  const guint32 below = MIN (crop->height - y - n, MARGIN);
  const avifCropRect part = { crop->x, crop->y + y - above, crop->width, n + above + below };
  avifImage *view = avifImageCreateEmpty ();
  avifRGBImage rgb;
  avifResult result = avifImageSetViewRect (view, image, &part);

  if (result == AVIF_RESULT_OK)
    {
      avifRGBImageSetDefaults (&rgb, view);
      rgb.depth = bits;
      rgb.format = session->header.has_alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
      rgb.alphaPremultiplied = image->alphaPremultiplied;
      rgb.pixels = decode->rgb;
      rgb.rowBytes = (guint32) th_raster_row_bytes (decode->raster);
      result = avifImageYUVToRGB (view, &rgb);
      *rows = decode->rgb + (gsize) rgb.rowBytes * above;
    }
  avifImageDestroy (view);
  return result;
}

static ThStatus
push_strips (Decode *decode, GError **error)
{
  const guint32 height = decode->raster->height;
  const gsize stride = th_raster_row_bytes (decode->raster);

  for (guint32 y = 0; y < height; y += STRIP)
    {
      const guint32 n = MIN (height - y, STRIP);
      const guint8 *rows = NULL;
      const avifResult result = convert (decode, y, n, decode->raster->bits, &rows);

      if (result != AVIF_RESULT_OK)
        return fail_with (decode->session, result, error);
      if (!decode->sink->rows (decode->sink, rows, stride, n))
        return TH_STATUS_STOPPED;
    }
  return TH_STATUS_OK;
}

/* The picture must be the one that the header told of. */
static gboolean
is_as_told (const AvifSession *session, const ThRaster *raster)
{
  const avifImage *image = session->decoder->image;
  const avifCropRect *crop = &session->crop;

  return crop->x + crop->width <= image->width && crop->y + crop->height <= image->height
         && (image->depth > 8 ? 16 : 8) == raster->bits;
}

/* What the frame shows; what cannot be said counts as a picture, whose failure is told then. */
static ThBlankRank
rank_frame (Decode *decode)
{
  const guint32 width = decode->raster->width, height = decode->raster->height;
  const guint channels = th_raster_channels (decode->raster);
  ThBlank blank = { 0 };

  if (!is_as_told (decode->session, decode->raster))
    return TH_BLANK_PICTURE;
  for (guint32 y = 0; y < height && !blank.differs; y += STRIP)
    {
      const guint32 n = MIN (height - y, STRIP);
      const gsize stride = th_raster_row_bytes (decode->raster);
      const guint8 *rows = NULL;

      if (convert (decode, y, n, 8, &rows) != AVIF_RESULT_OK)
        return TH_BLANK_PICTURE;
      for (guint32 i = 0; i < n; i++, rows += stride)
        if (channels == 4)
          th_blank_look (&blank, rows, width);
        else
          th_blank_look_rgb (&blank, rows, width);
    }
  return th_blank_rank (&blank);
}

/* The frame that stands for a sequence (core/th-blank.h). */
static avifResult
decode_frame (Decode *decode)
{
  avifDecoder *decoder = decode->session->decoder;
  const guint frames = MIN ((guint) MAX (decoder->imageCount, 1), TH_BLANK_FRAMES);
  guint chosen = 0;

  for (guint i = 0; i < frames; i++)
    {
      const avifResult result = avifDecoderNextImage (decoder);
      ThBlankRank rank;

      if (frames == 1 || (i == 0 && result != AVIF_RESULT_OK))
        return result;
      if (result != AVIF_RESULT_OK)
        break;
      rank = rank_frame (decode);
      if (rank == TH_BLANK_PICTURE)
        return result;
      if (rank == TH_BLANK_PLAIN && chosen == 0)
        chosen = i + 1;
    }
  return avifDecoderNthImage (decoder, chosen > 0 ? chosen - 1 : 0);
}

static ThStatus
avif_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  AvifSession *session = (AvifSession *) base;
  const gsize strip = th_raster_row_bytes (&plan->raster) * (STRIP + 2 * MARGIN);
  g_autofree guint8 *rgb = g_try_malloc (strip);
  Decode decode = { session, &plan->raster, sink, rgb };
  avifResult result;

  if (rgb == NULL)
    return fail (TH_STATUS_NO_MEMORY, error, NULL);
  result = decode_frame (&decode);
  if (result != AVIF_RESULT_OK)
    return fail_with (session, result, error);
  if (!is_as_told (session, &plan->raster))
    return fail (TH_STATUS_CORRUPT, error, "the picture is another than its header says");
  return push_strips (&decode, error);
}

const ThCodec th_codec_avif = {
  .abi = TH_CODEC_ABI,
  .name = "avif",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = avif_open,
  .header = avif_header,
  .plan = avif_plan,
  .decode = avif_decode,
  .close = avif_close,
};

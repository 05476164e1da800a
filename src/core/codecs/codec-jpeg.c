/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JPEG through libjpeg-turbo: baseline, extended, progressive and arithmetic-coded pictures of 8
 * bits. The library's own shrinking does most of the work of a thumbnail: at 1/8 it decodes one
 * value a block. */
#include "config.h"

#include "core/th-codec.h"

#include "core/codecs/jpeg-coefs.h"
#include "core/codecs/jpeg-drop.h"
#include "core/codecs/jpeg-guard.h"
#include "core/codecs/jpeg-markers.h"
#include "core/codecs/jpeg-preview.h"
#include "core/codecs/jpeg-scale.h"
#include "core/codecs/jpeg-scans.h"
#include "core/codecs/jpeg-source.h"
#include "core/codecs/jpeg-space.h"
#include "core/codecs/jpeg-thin.h"

/* Rows pushed at once: two rows of blocks. */
#define BATCH_ROWS 16u
/* What libjpeg allocates whatever the size: tables for Huffman and arithmetic decoding, for ranges
 * and colours, and the slack of its pools. */
#define FIXED_BYTES (384u * 1024u)

typedef struct
{
  ThSession base;
  struct jpeg_decompress_struct cinfo;
  ThJpegGuard guard;
  ThJpegSource source;
  ThJpegMarkers markers;
  ThJpegCoefs coefs;
  ThJpegThin *thin; /* or NULL */
  ThJpegPreview preview;
  gboolean use_previews;
  ThHeader header;
  guint8 *icc;
  guint scale;  /* eighths */
  double share; /* of the raster's rows and columns that the largest target has */
  gboolean smooth_chroma;
  /* Of the first frame header: libjpeg writes over its own before it refuses a second one. */
  int components;
  boolean progressive;
  boolean arithmetic;
  /* While decoding. */
  ThSink *sink;
  guint8 *batch;
  gsize stride;
  guint32 pushed;  /* rows */
  guint scans;     /* that were read to their end */
  gboolean broken; /* an error ended the scans */
  gboolean stopped;
} JpegSession;

static const char *const mime_types[] = { "image/jpeg", "image/jpg", "image/pjpeg", NULL };
static const ThMagic magic[] = { { 0, 3, "\xff\xd8\xff", NULL }, { 0 } };

static void
close_jpeg (ThSession *session)
{
  JpegSession *s = (JpegSession *) session;

  jpeg_destroy_decompress (&s->cinfo);
  th_jpeg_thin_free (s->thin);
  th_jpeg_preview_clear (&s->preview);
  g_free (s->batch);
  g_free (s->icc);
  g_free (s);
}

static void
step_header (gpointer data)
{
  JpegSession *s = data;

  jpeg_create_decompress (&s->cinfo);
  th_jpeg_source_init (&s->source, s->base.input, &s->cinfo);
  th_jpeg_markers_init (&s->markers, &s->cinfo);
  jpeg_read_header (&s->cinfo, TRUE);
}

static void
step_scale (gpointer data)
{
  JpegSession *s = data;

  s->cinfo.scale_num = s->scale;
  s->cinfo.scale_denom = 8;
  jpeg_calc_output_dimensions (&s->cinfo);
}

/* libjpeg-turbo 3 also opens lossless pictures, whose output no scale makes smaller than the file
 * says, and those of up to 16 bits, which it does not give as bytes. */
static gboolean
is_readable (JpegSession *s)
{
  const ThSize size = { s->cinfo.image_width, s->cinfo.image_height };

  s->scale = 1;
  return s->cinfo.data_precision == BITS_IN_JSAMPLE && th_jpeg_guard_run (&s->guard, step_scale, s)
         && s->cinfo.output_width == (size.width + 7) / 8
         && s->cinfo.output_height == (size.height + 7) / 8;
}

static ThStatus
read_header (JpegSession *s, const ThLimits *limits, GError **error)
{
  struct jpeg_decompress_struct *cinfo = &s->cinfo;
  ThColorModel color;
  ThStatus status;

  cinfo->err = th_jpeg_guard_init (&s->guard);
  if (!th_jpeg_guard_run (&s->guard, step_header, s))
    {
      th_jpeg_guard_set_error (&s->guard, cinfo, error);
      return th_jpeg_guard_status (&s->guard);
    }
  status = th_limits_check_size (limits, cinfo->image_width, cinfo->image_height, error);
  if (status != TH_STATUS_OK)
    return status;
  if (!th_jpeg_space_color (cinfo->jpeg_color_space, &color))
    {
      g_set_error (error, TH_ERROR, TH_ERROR_INVALID_FORMAT,
                   "JPEG: %d components have no known colours", cinfo->num_components);
      return TH_STATUS_CORRUPT;
    }
  if (!is_readable (s))
    {
      g_set_error_literal (error, TH_ERROR, TH_ERROR_INVALID_FORMAT,
                           "JPEG: neither lossless pictures nor more than 8 bits are supported");
      return TH_STATUS_CORRUPT;
    }
  s->components = cinfo->num_components;
  s->progressive = cinfo->progressive_mode;
  s->arithmetic = cinfo->arith_code;
  s->header = (ThHeader){
    .size = { cinfo->image_width, cinfo->image_height },
    .orientation = s->markers.exif.orientation,
    .pages = 1,
    .frames = 1,
    .mime_type = mime_types[0],
  };
  return TH_STATUS_OK;
}

static ThStatus
open_jpeg (ThInput *input, const ThLimits *limits, ThSession **session, GError **error)
{
  JpegSession *s = g_new0 (JpegSession, 1);
  ThStatus status;

  s->base.input = input;
  s->use_previews = limits->embedded_previews;
  status = read_header (s, limits, error);
  if (status != TH_STATUS_OK)
    {
      close_jpeg (&s->base);
      return status;
    }
  status = th_jpeg_markers_read_icc (&s->markers, input, &s->icc, &s->header.icc_size);
  s->header.icc = s->icc;
  if (s->markers.exif.adobe_rgb)
    s->header.space = th_color_space_adobe_rgb ();
  if (th_input_failed (input))
    status = TH_STATUS_IO;
  if (status != TH_STATUS_OK)
    {
      g_set_error (error, TH_ERROR, th_status_to_error (status), "JPEG: %s",
                   th_status_describe (status));
      close_jpeg (&s->base);
      return status;
    }
  th_jpeg_source_leave_header (&s->source);
  *session = &s->base;
  return TH_STATUS_OK;
}

static const ThHeader *
header_of (const ThSession *session)
{
  return &((const JpegSession *) session)->header;
}

/* Samples a row of one component, padded to whole MCUs. */
static guint64
padded_width (const struct jpeg_decompress_struct *cinfo, const jpeg_component_info *component)
{
  guint64 mcu_width = (guint64) cinfo->max_h_samp_factor * DCTSIZE;

  return (cinfo->image_width + mcu_width - 1) / mcu_width * component->h_samp_factor * DCTSIZE;
}

/* No overflow: sides are at most 65500, factors at most 4, components at most 10. */
static guint64
peak_bytes (JpegSession *s, const ThRaster *raster)
{
  const struct jpeg_decompress_struct *cinfo = &s->cinfo;
  guint64 sum = sizeof *s + s->header.icc_size + FIXED_BYTES;

  if (jpeg_has_multiple_scans (&s->cinfo))
    sum += th_jpeg_coefs_bytes (cinfo);
  else
    sum += th_jpeg_thin_bytes ();

  for (int i = 0; i < cinfo->num_components; i++)
    {
      guint64 width = padded_width (cinfo, &cinfo->comp_info[i]);

      /* Rows between the coefficients and the upsampler with their context, at most three rows of
       * blocks, and one row group of upsampled samples. */
      sum += width * cinfo->comp_info[i].v_samp_factor * DCTSIZE * 3;
      sum += ((guint64) cinfo->image_width + DCTSIZE * 4) * cinfo->max_v_samp_factor;
    }
  return sum + th_raster_row_bytes (raster) * (BATCH_ROWS + 2);
}

/* An embedded preview is a picture of just the target's size. */
static gboolean
plan_preview (JpegSession *s, ThSize target, ThPlan *plan)
{
  guint64 place = th_jpeg_source_tell (&s->source);
  gboolean found;

  th_jpeg_preview_clear (&s->preview);
  found = s->use_previews
          && th_jpeg_preview_find (&s->preview, s->base.input, &s->cinfo, &s->markers, target);
  th_jpeg_source_seek (&s->source, place);
  if (!found)
    return FALSE;
  *plan = (ThPlan){
    .from_preview = TRUE,
    .raster = th_jpeg_scale_raster (target, 8, (ThColorModel) s->preview.channels),
    .peak_bytes = sizeof *s + s->header.icc_size + FIXED_BYTES
                  + (guint64) target.width * target.height * s->preview.channels,
  };
  return TRUE;
}

static gboolean
plan_jpeg (ThSession *session, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  JpegSession *s = (JpegSession *) session;
  ThSize full = s->header.size;
  ThColorModel color = TH_COLOR_RGB;

  if (plan_preview (s, targets[0], plan))
    return TRUE;
  s->scale = th_jpeg_scale_for (full, targets[0]);
  s->smooth_chroma = !th_jpeg_scale_is_ample (full, targets[0], s->scale);
  if (!th_jpeg_guard_run (&s->guard, step_scale, s))
    return FALSE;
  (void) th_jpeg_space_color (s->cinfo.jpeg_color_space, &color);
  *plan = (ThPlan){ .raster = th_jpeg_scale_raster (full, s->scale, color) };
  s->share = MIN (1, MAX (targets[0].width / plan->raster.exact_width,
                          targets[0].height / plan->raster.exact_height));
  plan->peak_bytes = peak_bytes (s, &plan->raster);
  return TRUE;
}

static void
step_start (gpointer data)
{
  JpegSession *s = data;

  s->cinfo.dct_method = JDCT_ISLOW;
  /* Interpolated chroma is seen only where hardly anything is shrunk afterwards; elsewhere repeated
   * chroma is 4 % faster at full scale and gives the same luma. */
  s->cinfo.do_fancy_upsampling = s->smooth_chroma;
  /* Guesses the coefficients that have not come: slower by 40 % on progressive pictures that are
   * stopped early, and farther from the full picture (lowest SSIM 0.989 against 0.993). */
  s->cinfo.do_block_smoothing = FALSE;
  s->cinfo.buffered_image = jpeg_has_multiple_scans (&s->cinfo);
  if (s->cinfo.buffered_image)
    th_jpeg_coefs_use (&s->coefs, &s->cinfo);
  jpeg_start_decompress (&s->cinfo);
  s->thin = th_jpeg_thin_start (&s->cinfo, &s->source, TH_JPEG_THIN_WORTH);
}

/* Reads scans until no more is needed or there is no more. */
static void
step_scans (gpointer data)
{
  JpegSession *s = data;
  guint max = th_jpeg_scans_max (&s->cinfo);
  int got;

  if (s->progressive)
    th_jpeg_drop_scans (&s->cinfo);
  while ((got = jpeg_consume_input (&s->cinfo)) != JPEG_REACHED_EOI)
    {
      /* What an arithmetic decoder makes of missing data is not grey but noise. */
      if (s->cinfo.arith_code && s->guard.starved)
        return;
      if (got != JPEG_SCAN_COMPLETED)
        continue;
      s->scans++;
      if (s->scans >= max || th_jpeg_scans_suffice (&s->cinfo, s->share))
        return;
      if (s->progressive)
        th_jpeg_drop_scans (&s->cinfo);
    }
}

static void
step_output (gpointer data)
{
  JpegSession *s = data;

  jpeg_start_output (&s->cinfo, (int) s->scans);
}

/* Reads up to BATCH_ROWS rows; fewer only at the end. */
static guint32
read_batch (JpegSession *s)
{
  struct jpeg_decompress_struct *cinfo = &s->cinfo;
  JSAMPROW rows[BATCH_ROWS];
  guint32 wanted = MIN (BATCH_ROWS, cinfo->output_height - cinfo->output_scanline);
  guint32 got = 0;

  for (guint i = 0; i < BATCH_ROWS; i++)
    rows[i] = s->batch + i * s->stride;
  while (got < wanted)
    got += jpeg_read_scanlines (cinfo, rows + got, wanted - got);
  return got;
}

/* CMYK is stored inverted by everything that writes Adobe's marker, YCCK included, and plain
 * otherwise. */
static void
uninvert (JpegSession *s, guint32 rows)
{
  gsize count = rows * s->stride;

  if (s->cinfo.out_color_space != JCS_CMYK || !s->cinfo.saw_Adobe_marker)
    return;
  for (gsize i = 0; i < count; i++)
    s->batch[i] = (guint8) (255 - s->batch[i]);
}

/* Rows worth showing: those up to the row of MCUs in which the data ended for good. libjpeg would
 * make up the others. */
static guint32
good_rows (const JpegSession *s)
{
  const struct jpeg_decompress_struct *cinfo = &s->cinfo;
  int marker = cinfo->unread_marker;
  guint64 mcu_rows = (guint64) cinfo->max_v_samp_factor * cinfo->min_DCT_scaled_size;
  gboolean for_good =
      marker == JPEG_EOI || (marker != 0 && cinfo->restart_interval == 0) || s->source.ended;

  if (!s->guard.starved || s->guard.starved_scan != 1 || s->scans > 1 || !for_good)
    return cinfo->output_height;
  if (s->guard.starved_row == 0)
    return 0;
  return (guint32) MIN ((s->guard.starved_row + 1) * mcu_rows, cinfo->output_height);
}

static void
step_rows (gpointer data)
{
  JpegSession *s = data;

  while (s->cinfo.output_scanline < s->cinfo.output_height)
    {
      guint32 n = read_batch (s), good = good_rows (s);

      if (good <= s->pushed)
        return;
      n = MIN (n, good - s->pushed);
      uninvert (s, n);
      s->pushed += n;
      if (!s->sink->rows (s->sink, s->batch, s->stride, n))
        {
          s->stopped = TRUE;
          return;
        }
    }
}

static void
restore_header (JpegSession *s)
{
  s->cinfo.data_precision = BITS_IN_JSAMPLE;
  s->cinfo.image_width = s->header.size.width;
  s->cinfo.image_height = s->header.size.height;
  s->cinfo.num_components = s->components;
  s->cinfo.progressive_mode = s->progressive;
  s->cinfo.arith_code = s->arithmetic;
}

/* Reads the scans. Bad data in a later one leave what those before it gave. */
static gboolean
gather (JpegSession *s)
{
  if (th_jpeg_guard_run (&s->guard, step_scans, s))
    return TRUE;
  if (s->scans == 0 || th_jpeg_guard_status (&s->guard) != TH_STATUS_CORRUPT)
    return FALSE;
  restore_header (s);
  s->broken = TRUE;
  return TRUE;
}

/* Everything up to the first row. */
static gboolean
prepare (JpegSession *s)
{
  if (!th_jpeg_guard_run (&s->guard, step_start, s))
    return FALSE;
  if (!s->cinfo.buffered_image)
    return TRUE;
  return gather (s) && th_jpeg_guard_run (&s->guard, step_output, s);
}

static ThStatus
fail (JpegSession *s, GError **error)
{
  /* Also where it was not libjpeg that read in vain. */
  if (th_input_failed (s->base.input))
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "JPEG: the file cannot be read");
      return TH_STATUS_IO;
    }
  th_jpeg_guard_set_error (&s->guard, &s->cinfo, error);
  return th_jpeg_guard_status (&s->guard);
}

static ThStatus
push_preview (const JpegSession *s, ThSink *sink)
{
  const ThJpegPreview *preview = &s->preview;
  gsize stride = (gsize) preview->size.width * preview->channels;

  return sink->rows (sink, preview->pixels, stride, preview->size.height) ? TH_STATUS_OK
                                                                          : TH_STATUS_STOPPED;
}

static ThStatus
decode_jpeg (ThSession *session, const ThPlan *plan, ThSink *sink, GError **error)
{
  JpegSession *s = (JpegSession *) session;
  gboolean whole;

  if (plan->from_preview)
    return push_preview (s, sink);
  s->sink = sink;
  s->stride = th_raster_row_bytes (&plan->raster);
  s->batch = g_try_malloc (s->stride * BATCH_ROWS);
  s->cinfo.out_color_space = th_jpeg_space_output (plan->raster.color);
  if (s->batch == NULL)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "JPEG: no memory for %u rows", BATCH_ROWS);
      return TH_STATUS_NO_MEMORY;
    }
  if (!prepare (s))
    return fail (s, error);
  whole = th_jpeg_guard_run (&s->guard, step_rows, s);
  if (s->stopped)
    return TH_STATUS_STOPPED;
  if (th_input_failed (s->base.input) || (!whole && s->pushed == 0))
    return fail (s, error);
  if (s->pushed == 0)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_INVALID_FORMAT,
                   "JPEG: the data end before the first row");
      return TH_STATUS_CORRUPT;
    }
  if (!whole || s->broken || s->guard.starved || s->pushed < plan->raster.height)
    return TH_STATUS_PARTIAL;
  return TH_STATUS_OK;
}

const ThCodec th_codec_jpeg = {
  .abi = TH_CODEC_ABI,
  .name = "jpeg",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = open_jpeg,
  .header = header_of,
  .plan = plan_jpeg,
  .decode = decode_jpeg,
  .close = close_jpeg,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HEIF by libheif, which is HEVC in pictures of phones: the primary picture, or the thumbnail that
 * the file brings of it. libheif itself turns, mirrors and crops. */
#include "config.h"

#include <libheif/heif.h>
#include <math.h>
#include <string.h>

#include "core/th-codec.h"
#include "modules/heif-graph.h"
#include "modules/heif-io.h"
#include "modules/threads.h"

/* The decoder's state and its thread: stack and heap of its own. */
#define FIXED_BYTES (40u * 1024u * 1024u)
/* Of a pixel, besides what is handed out: the decoder's pictures, the whole of the tiles, what is
 * turned and converted. */
#define PIXEL_BYTES 12u
/* Thumbnails that are looked at. */
#define MAX_THUMBNAILS 8
/* As far may the sides' ratio of thumbnail and picture differ. */
#define ASPECT_TOLERANCE 0.01
#define MAX_ICC_BYTES    (16u * 1024u * 1024u)

typedef struct heif_context Context;
typedef struct heif_image_handle Handle;

typedef struct
{
  ThSession base;
  ThHeader header;
  ThHeifIo io;
  Context *context;
  Handle *primary;
  Handle *thumbnail; /* the one that plan chose, or NULL */
  gboolean may_use_thumbnail;
  guint8 *icc;
} HeifSession;

typedef struct
{
  const ThRaster *raster;
  ThSink *sink;
  const guint8 *rows;
  gsize stride;
  guint shift; /* from the picture's bits to 16; 0 for 8 */
  guint16 *row;
} Push;

static const char *const mime_types[] = { "image/heif", "image/heic", "image/heif-sequence",
                                          "image/heic-sequence", NULL };
static const ThMagic magic[] = {
  { 4, 8, "ftypheic", NULL }, { 4, 8, "ftypheix", NULL }, { 4, 8, "ftypheim", NULL },
  { 4, 8, "ftypheis", NULL }, { 4, 8, "ftyphevc", NULL }, { 4, 8, "ftyphevx", NULL },
  { 4, 8, "ftypmif1", NULL }, { 4, 8, "ftypmsf1", NULL }, { 0 },
};

static ThStatus
fail (ThStatus status, GError **error, const char *what)
{
  g_set_error (error, TH_ERROR, th_status_to_error (status), "HEIF: %s",
               what != NULL && *what != '\0' ? what : th_status_describe (status));
  return status;
}

/* All others mean that the data are damaged, or as good as that. */
static const struct
{
  int code;
  int subcode; /* -1: any */
  ThStatus status;
} statuses[] = {
  { heif_error_Memory_allocation_error, heif_suberror_Security_limit_exceeded,
    TH_STATUS_TOO_LARGE },
  { heif_error_Memory_allocation_error, -1, TH_STATUS_NO_MEMORY },
  { heif_error_Invalid_input, heif_suberror_Security_limit_exceeded, TH_STATUS_TOO_LARGE },
  { heif_error_Invalid_input, heif_suberror_No_ftyp_box, TH_STATUS_NOT_MINE },
  { heif_error_Unsupported_filetype, -1, TH_STATUS_NOT_MINE },
};

static ThStatus
fail_with (const HeifSession *session, struct heif_error problem, GError **error)
{
  ThStatus status = TH_STATUS_CORRUPT;

  if (th_input_failed (session->base.input))
    return fail (TH_STATUS_IO, error, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (statuses) && status == TH_STATUS_CORRUPT; i++)
    if (statuses[i].code == (int) problem.code
        && (statuses[i].subcode < 0 || statuses[i].subcode == (int) problem.subcode))
      status = statuses[i].status;
  return fail (status, error, problem.message);
}

/* libheif looks for its plug-ins. */
static gboolean
heif_prepare (GError **error)
{
  const struct heif_error problem = heif_init (NULL);

  if (problem.code == heif_error_Ok && th_threads_prepare ())
    return TRUE;
  fail (TH_STATUS_NO_SANDBOX, error, problem.message);
  return FALSE;
}

static void
heif_close (ThSession *base)
{
  HeifSession *session = (HeifSession *) base;

  g_clear_pointer (&session->thumbnail, heif_image_handle_release);
  g_clear_pointer (&session->primary, heif_image_handle_release);
  g_clear_pointer (&session->context, heif_context_free);
  g_free (session->icc);
  g_free (session);
}

static void
set_up_context (HeifSession *session, const ThLimits *limits)
{
  const double side = sqrt ((double) limits->max_pixels) + 1;

  /* Of the sides' product. */
  heif_context_set_maximum_image_size_limit (session->context, (int) MIN (side, G_MAXINT32));
  heif_context_set_max_decoding_threads (session->context, 0);
}

static void
read_profile (HeifSession *session)
{
  const gsize size = heif_image_handle_get_raw_color_profile_size (session->primary);
  struct heif_color_profile_nclx *nclx = NULL;

  if (size > 0 && size <= MAX_ICC_BYTES)
    session->icc = g_try_malloc (size);
  if (session->icc != NULL
      && heif_image_handle_get_raw_color_profile (session->primary, session->icc).code
             == heif_error_Ok)
    {
      session->header.icc = session->icc;
      session->header.icc_size = size;
    }
  if (heif_image_handle_get_nclx_color_profile (session->primary, &nclx).code != heif_error_Ok)
    return;
  /* Of the samples after conversion, which have the full range. */
  (void) th_color_space_from_cicp (nclx->color_primaries, nclx->transfer_characteristics, TRUE,
                                   &session->header.space);
  heif_nclx_color_profile_free (nclx);
}

static ThStatus
read_primary (HeifSession *session, const ThLimits *limits, GError **error)
{
  struct heif_error problem =
      heif_context_read_from_reader (session->context, &th_heif_reader, &session->io, NULL);
  int width, height;

  if (problem.code == heif_error_Ok && !th_heif_graph_is_sound (session->base.input))
    return fail (TH_STATUS_CORRUPT, error, "pictures are drawn from each other without end");
  if (problem.code == heif_error_Ok)
    problem = heif_context_get_primary_image_handle (session->context, &session->primary);
  if (problem.code != heif_error_Ok)
    return fail_with (session, problem, error);
  width = heif_image_handle_get_width (session->primary);
  height = heif_image_handle_get_height (session->primary);
  if (width <= 0 || height <= 0)
    return fail (TH_STATUS_CORRUPT, error, "the picture has no size");
  session->header = (ThHeader){
    .size = { (guint32) width, (guint32) height },
    .orientation = 1,
    .has_alpha = heif_image_handle_has_alpha_channel (session->primary) != 0,
    .pages = 1,
    .frames = 1,
    .mime_type = mime_types[0],
  };
  return th_limits_check_size (limits, (guint32) width, (guint32) height, error);
}

static ThStatus
heif_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  HeifSession *session = g_new0 (HeifSession, 1);
  ThStatus status = TH_STATUS_NO_MEMORY;

  session->base.input = input;
  session->io.input = input;
  session->may_use_thumbnail = limits->embedded_previews;
  session->context = heif_context_alloc ();
  if (session->context != NULL)
    {
      set_up_context (session, limits);
      status = read_primary (session, limits, error);
    }
  else
    fail (status, error, NULL);
  if (status != TH_STATUS_OK)
    {
      heif_close (&session->base);
      return status;
    }
  read_profile (session);
  *out = &session->base;
  return TH_STATUS_OK;
}

static const ThHeader *
heif_header (const ThSession *base)
{
  return &((const HeifSession *) base)->header;
}

static ThSize
size_of (const Handle *handle)
{
  const int width = heif_image_handle_get_width (handle);
  const int height = heif_image_handle_get_height (handle);

  return (ThSize){ (guint32) MAX (width, 0), (guint32) MAX (height, 0) };
}

static gboolean
suits (const HeifSession *session, const Handle *thumbnail, ThSize target)
{
  const ThSize full = session->header.size;
  const ThSize small = size_of (thumbnail);
  const double ratio =
      (double) small.width * full.height / MAX ((double) small.height * full.width, 1.0);

  return small.width >= target.width && small.height >= target.height
         && fabs (ratio - 1) <= ASPECT_TOLERANCE
         && (heif_image_handle_has_alpha_channel (thumbnail) != 0) == session->header.has_alpha;
}

/* The smallest that suffices: the file says of what it is one, and whoever changes the picture
 * writes both anew. */
static void
choose_thumbnail (HeifSession *session, ThSize target)
{
  heif_item_id ids[MAX_THUMBNAILS];
  const int n = heif_image_handle_get_list_of_thumbnail_IDs (session->primary, ids, MAX_THUMBNAILS);

  g_clear_pointer (&session->thumbnail, heif_image_handle_release);
  for (int i = 0; i < n && session->may_use_thumbnail; i++)
    {
      Handle *handle = NULL;
      gboolean better;

      if (heif_image_handle_get_thumbnail (session->primary, ids[i], &handle).code != heif_error_Ok)
        continue;
      better = suits (session, handle, target)
               && (session->thumbnail == NULL
                   || size_of (handle).width < size_of (session->thumbnail).width);
      if (better)
        {
          g_clear_pointer (&session->thumbnail, heif_image_handle_release);
          session->thumbnail = handle;
        }
      else
        heif_image_handle_release (handle);
    }
}

static gboolean
heif_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  HeifSession *session = (HeifSession *) base;
  const Handle *handle;
  ThSize size;
  int bits;

  choose_thumbnail (session, targets[0]);
  handle = session->thumbnail != NULL ? session->thumbnail : session->primary;
  size = size_of (handle);
  bits = heif_image_handle_get_luma_bits_per_pixel (handle);
  *plan = (ThPlan){
    .from_preview = session->thumbnail != NULL,
    .raster = {
      .width = size.width,
      .height = size.height,
      .exact_width = size.width,
      .exact_height = size.height,
      .color = TH_COLOR_RGB,
      .alpha = !session->header.has_alpha                          ? TH_ALPHA_NONE
               : heif_image_handle_is_premultiplied_alpha (handle) ? TH_ALPHA_PREMULTIPLIED
                                                                   : TH_ALPHA_STRAIGHT,
      .bits = bits > 8 ? 16 : 8,
    },
  };
  plan->peak_bytes = FIXED_BYTES + 2 * th_input_size (base->input) + session->header.icc_size
                     + (guint64) size.width * size.height
                           * (th_raster_channels (&plan->raster) + PIXEL_BYTES)
                           * (plan->raster.bits / 8);
  return TRUE;
}

static enum heif_chroma
chroma_of (const ThRaster *raster)
{
  const gboolean alpha = raster->alpha != TH_ALPHA_NONE;

  if (raster->bits == 8)
    return alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
  if (G_BYTE_ORDER == G_LITTLE_ENDIAN)
    return alpha ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE;
  return alpha ? heif_chroma_interleaved_RRGGBBAA_BE : heif_chroma_interleaved_RRGGBB_BE;
}

/* 0 to 2^bits - 1 becomes 0 to 65535. */
static void
widen_row (const Push *push, const guint8 *from)
{
  const guint n = push->raster->width * th_raster_channels (push->raster);
  const guint bits = 16 - push->shift;

  memcpy (push->row, from, n * sizeof *push->row);
  for (guint i = 0; i < n; i++)
    {
      const guint32 value = push->row[i];

      push->row[i] = (guint16) (value << push->shift | value >> (bits - push->shift));
    }
}

static ThStatus
push_rows (const Push *push)
{
  const ThRaster *raster = push->raster;

  if (push->shift == 0)
    return push->sink->rows (push->sink, push->rows, push->stride, raster->height)
               ? TH_STATUS_OK
               : TH_STATUS_STOPPED;
  for (guint32 y = 0; y < raster->height; y++)
    {
      widen_row (push, push->rows + y * push->stride);
      if (!push->sink->rows (push->sink, push->row, th_raster_row_bytes (raster), 1))
        return TH_STATUS_STOPPED;
    }
  return TH_STATUS_OK;
}

/* The picture must be the one that the header told of. */
static ThStatus
push_image (const struct heif_image *image, const ThRaster *raster, ThSink *sink, GError **error)
{
  const enum heif_channel all = heif_channel_interleaved;
  const int bits = heif_image_get_bits_per_pixel_range (image, all);
  g_autofree guint16 *row = g_try_malloc (th_raster_row_bytes (raster));
  Push push = { .raster = raster, .sink = sink, .row = row };
  int stride = 0;

  push.rows = heif_image_get_plane_readonly (image, all, &stride);
  push.stride = (gsize) MAX (stride, 0);
  push.shift = raster->bits == 16 ? 16 - (guint) CLAMP (bits, 8, 16) : 0;
  if (row == NULL)
    return fail (TH_STATUS_NO_MEMORY, error, NULL);
  if (push.rows == NULL || push.stride < th_raster_row_bytes (raster)
      || heif_image_get_width (image, all) != (int) raster->width
      || heif_image_get_height (image, all) != (int) raster->height)
    return fail (TH_STATUS_CORRUPT, error, "the picture is another than its header says");
  return push_rows (&push);
}

static ThStatus
heif_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  const HeifSession *session = (const HeifSession *) base;
  const Handle *handle = session->thumbnail != NULL ? session->thumbnail : session->primary;
  struct heif_image *image = NULL;
  const struct heif_error problem =
      heif_decode_image (handle, &image, heif_colorspace_RGB, chroma_of (&plan->raster), NULL);
  ThStatus status;

  if (problem.code != heif_error_Ok)
    return fail_with (session, problem, error);
  status = push_image (image, &plan->raster, sink, error);
  heif_image_release (image);
  return status;
}

const ThCodec th_codec_heif = {
  .abi = TH_CODEC_ABI,
  .name = "heif",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_THREADS,
  .prepare = heif_prepare,
  .open = heif_open,
  .header = heif_header,
  .plan = heif_plan,
  .decode = heif_decode,
  .close = heif_close,
};

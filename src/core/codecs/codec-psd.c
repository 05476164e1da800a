/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Photoshop files: the merged picture, whose planes are read in step. The small JPEG that they
 * bring has 160 pixels at the most, which is too few for a good thumbnail of 128, and nothing
 * proves that it is still true; it serves where the merged picture is missing or cut. */
#include "config.h"

#include <string.h>

#include "core/codecs/psd-pixels.h"
#include "core/codecs/psd-plane.h"
#include "core/th-part.h"

#define SMALL_BYTES 4096u /* an error, and what the heap rounds up */
#define MOST_DIRTY  64u   /* rows; then the rest is given up */

typedef struct
{
  ThSession base;
  ThHeader header;
  ThPsdHead head;
  ThPsdPixels pixels;
  guint64 offsets[TH_PSD_MOST_PLANES];
  guint8 *icc; /* owned */
  ThPart part; /* the small picture, where its input is not NULL */
} PsdSession;

typedef struct
{
  const PsdSession *session;
  ThPsdPixels pixels;
  ThPsdPlane planes[TH_PSD_MOST_PLANES];
  guint8 *row; /* of a plane */
  guint8 *out;
  guint dirty;     /* rows of which some colour is missing */
  gboolean opaque; /* some alpha is */
} Decode;

/* Exchanges red and blue on the way. */
typedef struct
{
  ThSink sink;
  ThSink *next;
  guint32 width;
  guint8 *row;
} Swapper;

static const char *const mime_types[] = { "image/vnd.adobe.photoshop",
                                          "image/photoshop",
                                          "image/psd",
                                          "image/x-photoshop",
                                          "image/x-psd",
                                          "application/photoshop",
                                          "application/x-photoshop",
                                          NULL };

static const ThMagic magic[] = { { 0, 6, "8BPS\0\1", NULL }, { 0, 6, "8BPS\0\2", NULL }, { 0 } };

extern const ThCodec th_codec_psd;

static ThStatus
fail (ThInput *input, ThStatus status, GError **error, const char *what)
{
  if (th_input_failed (input))
    status = TH_STATUS_IO;
  g_set_error (error, TH_ERROR, th_status_to_error (status), "PSD: %s",
               what != NULL && status != TH_STATUS_IO ? what : th_status_describe (status));
  return status;
}

/* A profile that cannot be had is none. */
static void
read_icc (PsdSession *session)
{
  const ThPsdRange range = session->head.icc;
  guint8 *icc = range.size > 0 ? g_try_malloc ((gsize) range.size) : NULL;

  if (icc == NULL)
    return;
  session->icc = icc;
  if (th_input_read (session->base.input, range.offset, icc, (gsize) range.size)
      != (gssize) range.size)
    return;
  session->header.icc = icc;
  session->header.icc_size = (gsize) range.size;
}

static void
describe (PsdSession *session)
{
  session->header = (ThHeader){
    .size = session->head.size,
    .orientation = 1,
    .has_alpha = session->pixels.raster.alpha != TH_ALPHA_NONE,
    .pages = 1,
    .frames = 1,
    .space = th_psd_pixels_space (&session->pixels),
    .mime_type = mime_types[0],
  };
  if (session->head.mode != TH_PSD_LAB)
    read_icc (session);
}

static ThStatus
open_part (PsdSession *session, const ThLimits *limits)
{
  static const ThBytes nothing = { NULL, 0 };
  const ThPsdRange jpeg = session->head.jpeg;
  ThInput *input = session->base.input;
  ThStatus status;

  if (jpeg.size == 0)
    return TH_STATUS_NO_CONTENT;
  status = th_part_open (&session->part, th_input_new_part (input, jpeg.offset, jpeg.size, nothing),
                         &th_codec_psd, limits, NULL);
  if (status != TH_STATUS_OK)
    return status;
  session->header = th_part_header (&session->part);
  session->header.mime_type = mime_types[0];
  return TH_STATUS_OK;
}

/* Where the merged picture is not there or not whole. */
static ThStatus
open_small (PsdSession *session, const ThLimits *limits, gboolean known, GError **error)
{
  ThInput *input = session->base.input;
  const ThStatus status = open_part (session, limits);

  if (status == TH_STATUS_OK)
    return status;
  if (status == TH_STATUS_IO || status == TH_STATUS_NO_MEMORY)
    return fail (input, status, error, NULL);
  if (!session->head.merged)
    return fail (input, TH_STATUS_NO_CONTENT, error, "it was saved without a merged picture");
  if (!known)
    return fail (input, TH_STATUS_CORRUPT, error, "the compression is unknown");
  describe (session);
  return TH_STATUS_OK;
}

static ThStatus
open_session (PsdSession *session, const ThLimits *limits, GError **error)
{
  ThInput *input = session->base.input;
  ThPsdHead *head = &session->head;
  const char *what;
  ThStatus status = th_psd_head_read (head, input, &what);
  gboolean known, whole;

  if (status != TH_STATUS_OK)
    return fail (input, status, error, what);
  status = th_limits_check_size (limits, head->size.width, head->size.height, error);
  if (status != TH_STATUS_OK)
    return status;
  th_psd_pixels_init (&session->pixels, head);
  known = head->compression == TH_PSD_RAW || head->compression == TH_PSD_RUNS;
  whole = th_psd_find_planes (head, input, session->offsets, session->pixels.planes);
  if (th_input_failed (input))
    return fail (input, TH_STATUS_IO, error, NULL);
  if (!head->merged || !known || !whole)
    return open_small (session, limits, known, error);
  describe (session);
  return TH_STATUS_OK;
}

static void
psd_close (ThSession *base)
{
  PsdSession *session = (PsdSession *) base;

  th_part_clear (&session->part);
  g_free (session->icc);
  g_free (session);
}

static ThStatus
psd_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  PsdSession *session = g_new0 (PsdSession, 1);
  ThStatus status;

  session->base.input = input;
  status = open_session (session, limits, error);
  if (status == TH_STATUS_OK)
    *out = &session->base;
  else
    psd_close (&session->base);
  return status;
}

static const ThHeader *
psd_header (const ThSession *base)
{
  return &((const PsdSession *) base)->header;
}

/* Red and blue can only be exchanged where there are some. */
static gboolean
swaps (const PsdSession *session, const ThRaster *raster)
{
  return session->head.swapped && raster->color == TH_COLOR_RGB && raster->alpha == TH_ALPHA_NONE
         && raster->bits == 8;
}

static gboolean
psd_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  PsdSession *session = (PsdSession *) base;
  const ThRaster *raster = &session->pixels.raster;
  guint64 more = sizeof *session + sizeof (Decode) + SMALL_BYTES + session->header.icc_size;

  if (session->part.input != NULL)
    return th_part_plan (&session->part, targets, n_targets, plan)
           && g_uint64_checked_add (&more, more, th_raster_row_bytes (&plan->raster))
           && g_uint64_checked_add (&plan->peak_bytes, plan->peak_bytes, more);
  *plan = (ThPlan){
    .raster = *raster,
    .peak_bytes = more + th_raster_row_bytes (raster) + th_psd_row_bytes (&session->head)
                  + (guint64) session->pixels.planes * th_psd_plane_room (&session->head),
  };
  return TRUE;
}

static gboolean
swap_rows (ThSink *sink, const void *rows, gsize stride, guint32 n)
{
  Swapper *swapper = (Swapper *) sink;
  const gsize bytes = (gsize) swapper->width * 3;

  for (guint32 y = 0; y < n; y++)
    {
      const guint8 *from = (const guint8 *) rows + y * stride;

      for (gsize i = 0; i < bytes; i++)
        swapper->row[i] = from[i + 2 - i % 3 * 2];
      if (!swapper->next->rows (swapper->next, swapper->row, bytes, 1))
        return FALSE;
    }
  return TRUE;
}

static ThStatus
decode_part (const PsdSession *session, const ThPlan *plan, ThSink *sink, GError **error)
{
  g_autofree guint8 *row = NULL;
  Swapper swapper = { { swap_rows }, sink, plan->raster.width, NULL };

  if (!swaps (session, &plan->raster))
    return th_part_decode (&session->part, plan, sink, error);
  swapper.row = row = g_try_malloc (th_raster_row_bytes (&plan->raster));
  if (row == NULL)
    return fail (session->base.input, TH_STATUS_NO_MEMORY, error, NULL);
  return th_part_decode (&session->part, plan, &swapper.sink, error);
}

/* A row of all planes. Without its alpha a picture is opaque; without a colour it ends. */
static ThPsdRow
fill_row (Decode *decode)
{
  ThPsdPixels *pixels = &decode->pixels;
  ThPsdRow worst = TH_PSD_ROW_WHOLE;

  for (guint i = 0; i < pixels->planes; i++)
    {
      const ThPsdRow row = th_psd_plane_row (&decode->planes[i], decode->row);
      const gboolean alpha = pixels->alpha && i + 1 == pixels->planes;

      if (row == TH_PSD_ROW_MISSING && !alpha)
        return row;
      if (row == TH_PSD_ROW_WHOLE || !alpha)
        th_psd_pixels_put (pixels, i, decode->row, decode->out);
      else
        th_psd_pixels_put_opaque (pixels, decode->out);
      if (row != TH_PSD_ROW_WHOLE && alpha)
        decode->opaque = TRUE;
      else
        worst = MAX (worst, row);
    }
  th_psd_pixels_finish (pixels, decode->out);
  return worst;
}

static ThStatus
run (Decode *decode, const ThPlan *plan, ThSink *sink, GError **error)
{
  ThInput *input = decode->session->base.input;
  const gsize stride = th_raster_row_bytes (&plan->raster);
  gboolean whole = FALSE;
  guint32 y = 0;

  for (; y < plan->raster.height && decode->dirty <= MOST_DIRTY; y++)
    {
      const ThPsdRow row = fill_row (decode);

      if (row == TH_PSD_ROW_MISSING)
        break;
      whole = whole || row == TH_PSD_ROW_WHOLE;
      decode->dirty += row == TH_PSD_ROW_DIRTY;
      if (!sink->rows (sink, decode->out, stride, 1))
        return TH_STATUS_STOPPED;
    }
  if (th_input_failed (input))
    return fail (input, TH_STATUS_IO, error, NULL);
  if (!whole)
    return fail (input, TH_STATUS_CORRUPT, error, "no row of the picture is whole");
  if (y < plan->raster.height || decode->dirty > 0 || decode->opaque)
    return TH_STATUS_PARTIAL;
  return TH_STATUS_OK;
}

static gboolean
prepare_planes (Decode *decode, const ThPlan *plan)
{
  const PsdSession *session = decode->session;
  gboolean ready = TRUE;

  decode->row = g_try_malloc (th_psd_row_bytes (&session->head));
  decode->out = g_try_malloc0 (th_raster_row_bytes (&plan->raster));
  for (guint i = 0; i < session->pixels.planes; i++)
    ready = th_psd_plane_init (&decode->planes[i], &session->head, session->base.input, i,
                               session->offsets[i])
            && ready;
  return ready && decode->row != NULL && decode->out != NULL;
}

static ThStatus
psd_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  const PsdSession *session = (const PsdSession *) base;
  g_autofree Decode *decode = NULL;
  ThStatus status;

  if (session->part.input != NULL)
    return decode_part (session, plan, sink, error);
  decode = g_new0 (Decode, 1);
  decode->session = session;
  decode->pixels = session->pixels;
  if (prepare_planes (decode, plan))
    status = run (decode, plan, sink, error);
  else
    status = fail (base->input, TH_STATUS_NO_MEMORY, error, NULL);
  for (guint i = 0; i < session->pixels.planes; i++)
    th_psd_plane_clear (&decode->planes[i]);
  g_free (decode->row);
  g_free (decode->out);
  return status;
}

const ThCodec th_codec_psd = {
  .abi = TH_CODEC_ABI,
  .name = "psd",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = psd_open,
  .header = psd_header,
  .plan = psd_plan,
  .decode = psd_decode,
  .close = psd_close,
};

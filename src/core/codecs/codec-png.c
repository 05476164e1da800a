/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PNG and the default image of APNG, row by row. */
#include "config.h"

#include "core/codecs/png-adam7.h"
#include "core/codecs/png-expand.h"
#include "core/codecs/png-head.h"
#include "core/codecs/png-rows.h"
#include "core/th-codec.h"

typedef struct
{
  ThSession base;
  ThHeader header;
  ThPngHead head;
  ThPngExpand expand;
} PngSession;

/* What one decode works with. */
typedef struct
{
  PngSession *session;
  ThPngRows *rows;
  ThPngAdam7 *adam7; /* NULL where the picture is not interlaced */
  gboolean complete; /* all six passes that adam7 keeps */
  guint8 *out;       /* one row of the raster */
} Decode;

static const char *const mime_types[] = {
  "image/png", "image/x-png", "image/apng", "image/vnd.mozilla.apng", NULL,
};

static const ThMagic magic[] = { { 0, 8, "\211PNG\r\n\032\n", NULL }, { 0 } };

static void
png_close (ThSession *base)
{
  PngSession *session = (PngSession *) base;

  th_png_head_clear (&session->head);
  g_free (session);
}

static ThStatus
png_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  PngSession *session = g_new0 (PngSession, 1);
  ThPngHead *head = &session->head;
  ThStatus status = th_png_head_read (head, input, limits, error);
  gboolean profile;

  if (status != TH_STATUS_OK)
    {
      png_close (&session->base);
      return status;
    }
  session->base.input = input;
  th_png_expand_init (&session->expand, head);
  session->header = (ThHeader){
    .size = head->size,
    .orientation = head->orientation,
    .has_alpha = session->expand.alpha != TH_ALPHA_NONE,
    .pages = 1,
    .frames = head->frames,
    .mime_type = head->frames > 1 ? "image/apng" : "image/png",
  };
  session->header.space = th_png_colors_space (&head->colors, &profile);
  session->header.icc = profile ? head->icc : NULL;
  session->header.icc_size = profile ? head->icc_size : 0;
  *out = &session->base;
  return TH_STATUS_OK;
}

static const ThHeader *
png_header (const ThSession *base)
{
  return &((const PngSession *) base)->header;
}

static gboolean
png_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  PngSession *session = (PngSession *) base;
  const ThPngHead *head = &session->head;
  const ThPngExpand *expand = &session->expand;
  guint64 row = (guint64) head->size.width * expand->pixel_bytes;

  *plan = (ThPlan){
    .raster = {
      .width = head->size.width,
      .height = head->size.height,
      .exact_width = head->size.width,
      .exact_height = head->size.height,
      .color = expand->color,
      .alpha = expand->alpha,
      .bits = expand->bits,
    },
    .peak_bytes = sizeof *session + head->icc_size + th_png_rows_bytes (head) + row
                  + (head->interlaced ? th_png_adam7_bytes (head) : 0),
  };
  return TRUE;
}

/* The pixels of row y, or NULL where there are no more. */
static const guint8 *
next_row (Decode *decode, guint32 y)
{
  const ThPngExpand *expand = &decode->session->expand;
  gboolean stream = decode->adam7 == NULL || (decode->complete && y % 2 == 1);
  const guint8 *stored = stream ? th_png_rows_next (decode->rows) : NULL;

  if (stored != NULL && expand->row == NULL)
    return stored;
  if (stored != NULL)
    {
      th_png_expand_row (expand, stored, decode->session->head.size.width, decode->out);
      return decode->out;
    }
  if (decode->adam7 == NULL)
    return NULL;
  decode->complete = decode->complete && !stream;
  return th_png_adam7_row (decode->adam7, y, decode->out) ? decode->out : NULL;
}

static ThStatus
run (Decode *decode, const ThPlan *plan, ThSink *sink, GError **error)
{
  gsize stride = th_raster_row_bytes (&plan->raster);
  ThStatus failure;
  guint32 y;

  if (decode->adam7 != NULL)
    decode->complete = th_png_adam7_load (decode->adam7, decode->rows);
  for (y = 0; y < plan->raster.height; y++)
    {
      const guint8 *row = next_row (decode, y);

      if (row == NULL)
        break;
      if (!sink->rows (sink, row, stride, 1))
        return TH_STATUS_STOPPED;
    }
  if (y == plan->raster.height && (decode->adam7 == NULL || decode->complete))
    return TH_STATUS_OK;
  failure = th_png_rows_failure (decode->rows, error);
  if (failure != TH_STATUS_CORRUPT || y == 0)
    return failure;
  g_clear_error (error);
  return TH_STATUS_PARTIAL;
}

static ThStatus
png_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  PngSession *session = (PngSession *) base;
  g_autoptr (ThPngRows) rows = th_png_rows_new (&session->head, base->input);
  g_autoptr (ThPngAdam7) adam7 = NULL;
  g_autofree guint8 *out = g_try_malloc (th_raster_row_bytes (&plan->raster));
  Decode decode;

  if (session->head.interlaced)
    adam7 = th_png_adam7_new (&session->head, &session->expand);
  if (out == NULL || (session->head.interlaced && adam7 == NULL))
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "PNG: %s",
                   th_status_describe (TH_STATUS_NO_MEMORY));
      return TH_STATUS_NO_MEMORY;
    }
  decode = (Decode){ .session = session, .rows = rows, .adam7 = adam7, .out = out };
  return run (&decode, plan, sink, error);
}

const ThCodec th_codec_png = {
  .abi = TH_CODEC_ABI,
  .name = "png",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = png_open,
  .header = png_header,
  .plan = png_plan,
  .decode = png_decode,
  .close = png_close,
};

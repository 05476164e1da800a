/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-render.h"

#include "core/th-codec.h"
#include "core/th-orient.h"
#include "core/th-shrink.h"

G_STATIC_ASSERT (TH_N_FLAVORS <= TH_SHRINK_MAX_TARGETS);

#define MIB (1024u * 1024u)

struct _ThRender
{
  const ThLimits *limits;
  const ThCodec *codec;
  ThSession *session;
  const ThHeader *header; /* the session's */
  guint n_targets;
  ThSize targets[TH_N_FLAVORS]; /* stored orientation */
  ThPlan plan;
  guint orientation; /* the header's and bottom_up together */
  ThColor *color;
  ThRenderPlan public_plan;
};

static ThStatus
fail (GError **error, ThStatus status, const char *text)
{
  g_set_error_literal (error, TH_ERROR, th_status_to_error (status),
                       text != NULL ? text : th_status_describe (status));
  return status;
}

/* A codec that failed without a word still gets its sentence. */
static ThStatus
explained (ThStatus status, GError *from, GError **error)
{
  if (from != NULL)
    {
      g_propagate_error (error, from);
      return status;
    }
  return fail (error, status, NULL);
}

static ThStatus
find_codec (ThRender *render, ThInput *input, GError **error)
{
  render->codec = th_codec_sniff (input);
  if (render->codec != NULL)
    return TH_STATUS_OK;
  if (th_input_failed (input))
    return fail (error, TH_STATUS_IO, NULL);
  if (th_input_size (input) == 0)
    return fail (error, TH_STATUS_NO_CONTENT, "the file is empty");
  return fail (error, TH_STATUS_NOT_MINE, NULL);
}

static ThStatus
open_session (ThRender *render, ThInput *input, GError **error)
{
  GError *own = NULL;
  ThStatus status;

  status = render->codec->open (input, render->limits, &render->session, &own);
  if (status != TH_STATUS_OK)
    return explained (status, own, error);
  render->header = render->codec->header (render->session);
  return th_limits_check_size (render->limits, render->header->size.width,
                               render->header->size.height, error);
}

static void
choose_targets (ThRender *render, const guint32 *boxes, guint n_boxes)
{
  const ThHeader *header = render->header;
  const ThSize full = th_size_oriented (header->size, header->orientation);

  render->n_targets = n_boxes;
  for (guint i = 0; i < n_boxes; i++)
    {
      const ThSize seen =
          header->scalable ? th_fit_scalable (full, boxes[i]) : th_fit (full, boxes[i]);

      /* Turning back trades the sides in just the cases in which turning does. */
      render->targets[i] = th_size_oriented (seen, header->orientation);
    }
}

static gboolean
is_fraction_of (double exact, guint32 pixels)
{
  return exact > (double) pixels - 1.0 && exact <= (double) pixels;
}

/* The raster can follow from numbers in the file, so a misfit is the file's fault. */
static gboolean
raster_fits (const ThRaster *raster, ThSize target)
{
  return raster->width >= target.width && raster->height >= target.height
         && is_fraction_of (raster->exact_width, raster->width)
         && is_fraction_of (raster->exact_height, raster->height);
}

static ThStatus
plan_decode (ThRender *render, GError **error)
{
  ThPlan *plan = &render->plan;

  if (!render->codec->plan (render->session, render->targets, render->n_targets, plan))
    return fail (error, TH_STATUS_TOO_LARGE, NULL);
  if (!raster_fits (&plan->raster, render->targets[0]))
    return fail (error, TH_STATUS_CORRUPT, "the sizes within the picture contradict each other");
  g_assert (plan->raster.bits == 8 || plan->raster.bits == 16);
  return th_limits_check_size (render->limits, plan->raster.width, plan->raster.height, error);
}

/* One row of the widest result between colour and orientation. */
static gsize
row_bytes (const ThRender *render)
{
  return (gsize) render->targets[0].width * th_color_channels (render->color);
}

static ThStatus
check_bytes (ThRender *render, GError **error)
{
  const guint64 limit = render->limits->max_plan_bytes;
  guint64 bytes = th_shrink_bytes (&render->plan.raster, render->targets, render->n_targets);

  if (!g_uint64_checked_add (&bytes, bytes, render->plan.peak_bytes)
      || !g_uint64_checked_add (&bytes, bytes, row_bytes (render))
      || !g_uint64_checked_add (&bytes, bytes, th_color_bytes (render->color)) || bytes > limit)
    {
      g_set_error (error, TH_ERROR, th_status_to_error (TH_STATUS_TOO_LARGE),
                   "decoding needs %" G_GUINT64_FORMAT
                   " MiB of memory, more than the limit of %" G_GUINT64_FORMAT " MiB",
                   bytes / MIB, limit / MIB);
      return TH_STATUS_TOO_LARGE;
    }
  render->public_plan.peak_bytes = bytes;
  return TH_STATUS_OK;
}

static void
publish (ThRender *render)
{
  const ThHeader *header = render->header;

  render->public_plan = (ThRenderPlan){
    .codec = render->codec->name,
    .mime_type = header->mime_type,
    .full = th_size_oriented (header->size, header->orientation),
    .scalable = header->scalable,
    .channels = th_color_channels (render->color),
    .pages = header->pages,
    .frames = header->frames,
    .duration = header->duration,
  };
}

static guint64
pixels_of_targets (const ThRender *render)
{
  guint64 pixels = 0;

  for (guint i = 0; i < render->n_targets; i++)
    pixels += (guint64) render->targets[i].width * render->targets[i].height;
  return pixels;
}

static ThStatus
choose_color (ThRender *render, ThColorCache *colors, GError **error)
{
  const ThHeader *header = render->header;
  const ThColorSource source = {
    .model = render->plan.raster.color,
    .has_alpha = render->plan.raster.alpha != TH_ALPHA_NONE,
    .deep = render->plan.raster.bits == 16,
    .space = header->space,
    .icc = { header->icc, header->icc_size },
    .pixels = pixels_of_targets (render),
  };

  render->color = th_color_new (&source, colors);
  return render->color != NULL ? TH_STATUS_OK : fail (error, TH_STATUS_NO_MEMORY, NULL);
}

static ThStatus
open_and_plan (ThRender *render, ThInput *input, const guint32 *boxes, guint n_boxes,
               ThColorCache *colors, GError **error)
{
  ThStatus status = find_codec (render, input, error);

  if (status == TH_STATUS_OK)
    status = open_session (render, input, error);
  if (status != TH_STATUS_OK)
    return status;
  choose_targets (render, boxes, n_boxes);
  status = plan_decode (render, error);
  if (status != TH_STATUS_OK)
    return status;
  render->orientation = render->plan.bottom_up ? th_orient_after_flip (render->header->orientation)
                                               : render->header->orientation;
  status = choose_color (render, colors, error);
  if (status != TH_STATUS_OK)
    return status;
  publish (render);
  return check_bytes (render, error);
}

ThStatus
th_render_open (ThInput *input, const ThLimits *limits, const guint32 *boxes, guint n_boxes,
                ThColorCache *colors, ThRender **render, GError **error)
{
  g_autoptr (ThRender) made = NULL;
  ThStatus status;

  g_assert (n_boxes >= 1 && n_boxes <= TH_N_FLAVORS);
  made = g_new0 (ThRender, 1);
  made->limits = limits;
  status = open_and_plan (made, input, boxes, n_boxes, colors, error);
  if (status == TH_STATUS_OK)
    *render = g_steal_pointer (&made);
  return status;
}

const ThRenderPlan *
th_render_plan (const ThRender *render)
{
  return &render->public_plan;
}

/* What the outcome of decode means once it is known how many rows came. */
static ThStatus
judge (const ThRender *render, ThStatus status, guint32 rows, GError *own, GError **error)
{
  const gboolean complete = rows == render->plan.raster.height;

  if (status != TH_STATUS_OK && status != TH_STATUS_PARTIAL && status != TH_STATUS_STOPPED)
    return explained (status, own, error);
  g_clear_error (&own);
  if (rows == 0)
    return fail (error, TH_STATUS_CORRUPT, "none of the picture could be decoded");
  return complete && status != TH_STATUS_PARTIAL ? TH_STATUS_OK : TH_STATUS_PARTIAL;
}

/* Where finished rows go. */
typedef struct
{
  const ThRender *render;
  const ThImage *results;
  guint8 *row; /* between colour and orientation */
} Delivery;

static void
deliver (guint i, guint32 y, const guint8 *row, gpointer data)
{
  const Delivery *delivery = data;
  const ThRender *render = delivery->render;
  const ThSize size = render->targets[i];

  th_color_row (render->color, row, size.width, delivery->row);
  th_orient_row (delivery->row, y, size, render->orientation, &delivery->results[i]);
}

ThStatus
th_render_run (ThRender *render, const ThImage *results, GError **error)
{
  g_autofree guint8 *row = g_try_malloc (row_bytes (render));
  Delivery delivery = { render, results, row };
  g_autoptr (ThShrink) shrink =
      th_shrink_new (&render->plan.raster, render->targets, render->n_targets, deliver, &delivery);
  GError *own = NULL;
  ThStatus status;

  if (shrink == NULL || row == NULL)
    return fail (error, TH_STATUS_NO_MEMORY, NULL);
  if (th_color_bits (render->color) == 16)
    th_shrink_keep_depth (shrink);
  status = render->codec->decode (render->session, &render->plan, th_shrink_sink (shrink), &own);
  status = judge (render, status, th_shrink_rows_seen (shrink), own, error);
  if (th_status_has_pixels (status))
    th_shrink_finish (shrink);
  return status;
}

void
th_render_free (ThRender *render)
{
  if (render->session != NULL)
    render->codec->close (render->session);
  g_clear_pointer (&render->color, th_color_free);
  g_free (render);
}

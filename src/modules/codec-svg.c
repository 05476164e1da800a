/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SVG and SVGZ by librsvg: rendered once, at the largest size that is wanted. A document has no
 * address, so that librsvg loads nothing besides it. */
#include "config.h"

#include <librsvg/rsvg.h>
#include <math.h>
#include <string.h>

#include "core/th-codec.h"
#include "modules/threads.h"

/* Of the document as it is stored. */
#define MAX_BYTES (32u * 1024u * 1024u)
/* What a document becomes in memory, and a compressed one first. */
#define BYTES_PER_BYTE  24u
#define BYTES_PER_GZIP  400u
#define FIXED_BYTES     (48u * 1024u * 1024u)
#define SURFACES        4u /* layers of groups, filters and masks */
#define BYTES_PER_PIXEL 4u
/* Where the document says nothing of its size: what browsers take. */
#define DEFAULT_WIDTH  300.0
#define DEFAULT_HEIGHT 150.0
/* What a side can be off a document's shape, in pixels; more is a strip (base/th-fit.h). */
#define ROUNDING 0.51
/* Inches are as CSS has them. */
#define DPI 96.0

typedef struct
{
  ThSession base;
  ThHeader header;
  gboolean packed;
  RsvgHandle *handle;
} SvgSession;

static const char *const mime_types[] = { "image/svg+xml", "image/svg+xml-compressed", "image/svg",
                                          NULL };

static ThStatus
fail (ThStatus status, GError **error, const char *what)
{
  g_set_error (error, TH_ERROR, th_status_to_error (status), "SVG: %s",
               what != NULL ? what : th_status_describe (status));
  return status;
}

static void
svg_close (ThSession *base)
{
  SvgSession *session = (SvgSession *) base;

  g_clear_object (&session->handle);
  g_free (session);
}

/* XML that has an element svg near its beginning, or gzip of who knows what. */
static gboolean
looks_like_svg (ThInput *input, gboolean *packed)
{
  const ThBytes head = th_input_peek (input, 0, TH_INPUT_WINDOW);

  *packed = head.size > 2 && head.data[0] == 0x1f && head.data[1] == 0x8b;
  return *packed || g_strstr_len ((const char *) head.data, (gssize) head.size, "<svg") != NULL
         || g_strstr_len ((const char *) head.data, (gssize) head.size, ":svg") != NULL;
}

static RsvgHandle *
load (ThInput *input, GError **error)
{
  const guint64 size = th_input_size (input);
  g_autofree guint8 *data = g_try_malloc ((gsize) size + 1);
  const gssize got = data != NULL ? th_input_read (input, 0, data, (gsize) size) : -1;

  if (got >= 0)
    return rsvg_handle_new_from_data (data, (gsize) got, error);
  g_set_error_literal (error, TH_ERROR, TH_ERROR_OTHER, "it cannot be read");
  return NULL;
}

/* In pixels; 0 where it cannot be told. */
static void
measure (RsvgHandle *handle, double *width, double *height)
{
  gboolean has_width, has_height, has_box;
  RsvgLength length_x, length_y;
  RsvgRectangle box;

  if (rsvg_handle_get_intrinsic_size_in_pixels (handle, width, height))
    return;
  rsvg_handle_get_intrinsic_dimensions (handle, &has_width, &length_x, &has_height, &length_y,
                                        &has_box, &box);
  *width = has_box ? box.width : DEFAULT_WIDTH;
  *height = has_box ? box.height : DEFAULT_HEIGHT;
}

static ThStatus
fill_header (SvgSession *session, GError **error)
{
  double width, height;

  measure (session->handle, &width, &height);
  if (!isfinite (width) || !isfinite (height) || width <= 0 || height <= 0)
    return fail (TH_STATUS_NO_CONTENT, error, "the picture has no size");
  width = ceil (MIN (width, (double) G_MAXINT32));
  height = ceil (MIN (height, (double) G_MAXINT32));
  session->header = (ThHeader){
    .size = { (guint32) width, (guint32) height },
    .orientation = 1,
    .has_alpha = TRUE,
    .scalable = TRUE,
    .pages = 1,
    .frames = 1,
    .mime_type = mime_types[0],
  };
  return TH_STATUS_OK;
}

static ThStatus
svg_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  g_autoptr (GError) local = NULL;
  SvgSession *session;
  gboolean packed;
  ThStatus status;

  if (!looks_like_svg (input, &packed))
    return th_input_failed (input) ? fail (TH_STATUS_IO, error, NULL)
                                   : fail (TH_STATUS_NOT_MINE, error, NULL);
  if (th_input_size (input) > MAX_BYTES)
    return fail (TH_STATUS_TOO_LARGE, error, "the document is too large");
  session = g_new0 (SvgSession, 1);
  session->base.input = input;
  session->packed = packed;
  session->handle = load (input, &local);
  if (session->handle == NULL)
    status = th_input_failed (input) ? fail (TH_STATUS_IO, error, NULL)
                                     : fail (TH_STATUS_CORRUPT, error, local->message);
  else
    {
      rsvg_handle_set_dpi (session->handle, DPI);
      status = fill_header (session, error);
    }
  if (status != TH_STATUS_OK)
    svg_close (&session->base);
  else
    *out = &session->base;
  return status;
}

static const ThHeader *
svg_header (const ThSession *base)
{
  return &((const SvgSession *) base)->header;
}

static gboolean
svg_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  const SvgSession *session = (const SvgSession *) base;
  const ThSize size = targets[0];
  const guint64 document =
      th_input_size (base->input) * (session->packed ? BYTES_PER_GZIP : BYTES_PER_BYTE);

  *plan = (ThPlan){
    .raster = {
      .width = size.width,
      .height = size.height,
      .exact_width = size.width,
      .exact_height = size.height,
      .color = TH_COLOR_RGB,
      .alpha = TH_ALPHA_PREMULTIPLIED,
      .bits = 8,
    },
    .peak_bytes = FIXED_BYTES + document
                  + (guint64) size.width * size.height * BYTES_PER_PIXEL * SURFACES,
  };
  return TRUE;
}

/* Cairo has a pixel as one number: alpha, red, green, blue, from the top. */
static void
to_rgba (const guint32 *from, guint32 width, guint8 *to)
{
  for (guint32 x = 0; x < width; x++, to += 4)
    {
      to[0] = (guint8) (from[x] >> 16);
      to[1] = (guint8) (from[x] >> 8);
      to[2] = (guint8) from[x];
      to[3] = (guint8) (from[x] >> 24);
    }
}

static ThStatus
push_surface (cairo_surface_t *surface, const ThRaster *raster, ThSink *sink, GError **error)
{
  g_autofree guint8 *row = g_try_malloc (th_raster_row_bytes (raster));
  const guint8 *rows = cairo_image_surface_get_data (surface);
  const int stride = cairo_image_surface_get_stride (surface);

  if (row == NULL || rows == NULL)
    return fail (TH_STATUS_NO_MEMORY, error, NULL);
  for (guint32 y = 0; y < raster->height; y++)
    {
      to_rgba ((const guint32 *) (const void *) (rows + (gsize) y * (gsize) stride), raster->width,
               row);
      if (!sink->rows (sink, row, th_raster_row_bytes (raster), 1))
        return TH_STATUS_STOPPED;
    }
  return TH_STATUS_OK;
}

/* librsvg keeps the shape of a document and leaves the rest of a viewport of another shape empty: a
 * strip is drawn into one of its own, which is stretched. */
static RsvgRectangle
viewport_for (ThSize full, ThSize size)
{
  const double width = (double) full.width * size.height / full.height;
  const double height = (double) full.height * size.width / full.width;

  RsvgRectangle viewport = { 0, 0, size.width, size.height };

  if (full.width >= full.height && fabs (height - size.height) > ROUNDING)
    viewport.height = height;
  if (full.width < full.height && fabs (width - size.width) > ROUNDING)
    viewport.width = width;
  return viewport;
}

static gboolean
render (RsvgHandle *handle, cairo_surface_t *surface, ThSize full, ThSize size, GError **error)
{
  const RsvgRectangle viewport = viewport_for (full, size);
  cairo_t *cairo = cairo_create (surface);
  gboolean good;

  cairo_scale (cairo, size.width / viewport.width, size.height / viewport.height);
  good = rsvg_handle_render_document (handle, cairo, &viewport, error);
  cairo_destroy (cairo);
  cairo_surface_flush (surface);
  return good;
}

static ThStatus
svg_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  const SvgSession *session = (const SvgSession *) base;
  const ThSize size = { plan->raster.width, plan->raster.height };
  cairo_surface_t *surface =
      cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) size.width, (int) size.height);
  g_autoptr (GError) local = NULL;
  ThStatus status;

  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS)
    status = fail (TH_STATUS_NO_MEMORY, error, NULL);
  else if (!render (session->handle, surface, session->header.size, size, &local))
    status = fail (TH_STATUS_CORRUPT, error, local->message);
  else
    status = push_surface (surface, &plan->raster, sink, error);
  cairo_surface_destroy (surface);
  return status;
}

/* A first document with text: the libraries find the fonts, and set up what they keep. No filter,
 * for which librsvg starts threads that stay. */
static gboolean
svg_prepare (GError **error)
{
  static const char text[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"16\">"
                             "<text y=\"12\" font-size=\"10\">a</text></svg>";
  RsvgHandle *handle = rsvg_handle_new_from_data ((const guint8 *) text, sizeof text - 1, error);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 16, 16);
  const ThSize size = { 16, 16 };
  const gboolean good = handle != NULL && render (handle, surface, size, size, error);

  cairo_surface_destroy (surface);
  g_clear_object (&handle);
  return good && th_threads_prepare ();
}

const ThCodec th_codec_svg = {
  .abi = TH_CODEC_ABI,
  .name = "svg",
  .mime_types = mime_types,
  .magic = NULL,
  .needs = TH_NEEDS_FONTS | TH_NEEDS_THREADS,
  .prepare = svg_prepare,
  .open = svg_open,
  .header = svg_header,
  .plan = svg_plan,
  .decode = svg_decode,
  .close = svg_close,
};

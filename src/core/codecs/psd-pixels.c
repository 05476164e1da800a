/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/psd-pixels.h"

#include <string.h>

#define DEEP_MAX 65535u
/* Rounding makes one in so many of all the values there are. */
#define ROUNDED 85u

static gboolean
is_of_inks (const ThPsdHead *head)
{
  return head->mode == TH_PSD_CMYK || (head->mode == TH_PSD_INKS && th_psd_head_colors (head) >= 3);
}

static ThColorModel
find_color (const ThPsdHead *head)
{
  if (is_of_inks (head))
    return TH_COLOR_CMYK;
  if (head->mode == TH_PSD_RGB || head->mode == TH_PSD_LAB || head->mode == TH_PSD_INDEXED)
    return TH_COLOR_RGB;
  return TH_COLOR_GREY;
}

/* Colours are stored as seen on white, but for those that are looked up, or computed pixel by
 * pixel. */
static ThAlpha
find_alpha (const ThPsdHead *head, gboolean plane)
{
  if (head->mode == TH_PSD_INDEXED)
    return plane || head->transparent >= 0 ? TH_ALPHA_STRAIGHT : TH_ALPHA_NONE;
  if (!plane)
    return TH_ALPHA_NONE;
  return head->mode == TH_PSD_LAB ? TH_ALPHA_STRAIGHT : TH_ALPHA_PREMULTIPLIED;
}

void
th_psd_pixels_init (ThPsdPixels *pixels, const ThPsdHead *head)
{
  const guint colors = th_psd_head_colors (head);
  const gboolean alpha = head->transparent_channel && head->channels > colors
                         && head->mode != TH_PSD_INKS && head->mode != TH_PSD_BITMAP;
  const gboolean deep = head->depth > 8 || head->mode == TH_PSD_LAB;

  *pixels = (ThPsdPixels){
    .head = head,
    .raster = { head->size.width, head->size.height, head->size.width, head->size.height,
                find_color (head), find_alpha (head, alpha), deep ? 16 : 8 },
    .planes = (find_color (head) == TH_COLOR_GREY ? 1 : colors) + (alpha ? 1 : 0),
    .alpha = alpha,
    .matrix = th_color_space_srgb_from_xyz (),
  };
}

ThColorSpace
th_psd_pixels_space (const ThPsdPixels *pixels)
{
  if (pixels->head->depth == 32 || pixels->head->mode == TH_PSD_LAB)
    return th_color_space_plain (TH_TRANSFER_GAMMA, 1);
  return (ThColorSpace){ 0 };
}

static guint16
to_deep (double value)
{
  /* Also of what is no number. */
  return value > 0 ? (guint16) (MIN (value, 1.0) * DEEP_MAX + 0.5) : 0;
}

static guint16
sample_16 (const guint8 *stored)
{
  return (guint16) (stored[0] << 8 | stored[1]);
}

static guint16
sample_32 (const guint8 *stored)
{
  const guint32 bits =
      (guint32) stored[0] << 24 | (guint32) stored[1] << 16 | (guint32) stored[2] << 8 | stored[3];
  float value;

  memcpy (&value, &bits, sizeof value);
  return to_deep (value);
}

static void
put_1 (const guint8 *row, guint32 width, guint8 *out, guint step)
{
  for (gsize x = 0; x < width; x++)
    out[x * step] = row[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
}

static void
put_8 (const guint8 *row, guint32 width, guint8 *out, guint step, guint8 flip)
{
  for (gsize x = 0; x < width; x++)
    out[x * step] = row[x] ^ flip;
}

static void
put_8_deep (const guint8 *row, guint32 width, guint16 *out, guint step)
{
  for (gsize x = 0; x < width; x++)
    out[x * step] = (guint16) (row[x] * 257u);
}

static void
put_16 (const guint8 *row, guint32 width, guint16 *out, guint step, guint16 flip)
{
  for (gsize x = 0; x < width; x++)
    out[x * step] = sample_16 (row + 2 * x) ^ flip;
}

static void
put_32 (const guint8 *row, guint32 width, guint16 *out, guint step)
{
  for (gsize x = 0; x < width; x++)
    out[x * step] = sample_32 (row + 4 * x);
}

static gboolean
is_alpha (const ThPsdPixels *pixels, guint plane)
{
  return pixels->alpha && plane + 1 == pixels->planes;
}

static guint
channel_of (const ThPsdPixels *pixels, guint plane)
{
  return is_alpha (pixels, plane) ? pixels->raster.color : plane;
}

void
th_psd_pixels_put (const ThPsdPixels *pixels, guint plane, const guint8 *row, void *out)
{
  const guint32 width = pixels->raster.width;
  const guint step = th_raster_channels (&pixels->raster);
  const guint channel = channel_of (pixels, plane);
  const gboolean flip = is_of_inks (pixels->head) && !is_alpha (pixels, plane);
  guint8 *shallow = (guint8 *) out + channel;
  guint16 *deep = (guint16 *) out + channel;

  if (pixels->head->depth == 1)
    put_1 (row, width, shallow, step);
  else if (pixels->head->depth == 16)
    put_16 (row, width, deep, step, flip ? DEEP_MAX : 0);
  else if (pixels->head->depth == 32)
    put_32 (row, width, deep, step);
  else if (pixels->raster.bits == 16)
    put_8_deep (row, width, deep, step);
  else
    put_8 (row, width, shallow, step, flip ? 255 : 0);
}

void
th_psd_pixels_put_opaque (const ThPsdPixels *pixels, void *out)
{
  const guint step = th_raster_channels (&pixels->raster);

  for (gsize x = 0; x < pixels->raster.width; x++)
    if (pixels->raster.bits == 16)
      ((guint16 *) out)[x * step + step - 1] = DEEP_MAX;
    else
      ((guint8 *) out)[x * step + step - 1] = 255;
}

static void
look_up (const ThPsdPixels *pixels, guint8 *out)
{
  const ThPsdHead *head = pixels->head;
  const guint step = th_raster_channels (&pixels->raster);

  for (gsize x = 0; x < pixels->raster.width; x++, out += step)
    {
      const guint index = out[0];

      for (guint c = 0; c < 3; c++)
        out[c] = head->colors[c * TH_PSD_COLORS + index];
      if (step == 4 && head->transparent >= 0)
        out[3] = (int) index == head->transparent ? 0 : 255;
    }
}

/* What is blended with white is nowhere darker than what is not there leaves it. */
static gboolean
is_on_white (const ThRaster *raster, guint value, guint alpha, guint most)
{
  const guint dark = raster->color == TH_COLOR_CMYK ? value : most - value;

  return dark <= alpha + most / ROUNDED;
}

/* From blended with white, or from straight, to premultiplied. */
static guint
unblend (const ThPsdPixels *pixels, guint value, guint alpha, guint most)
{
  const guint ink = MIN (value, alpha);
  const guint sum = value + alpha;

  if (pixels->straight)
    return (guint) (((guint64) value * alpha + most / 2) / most);
  return pixels->raster.color == TH_COLOR_CMYK ? ink : MAX (sum, most) - most;
}

static void
unblend_8 (ThPsdPixels *pixels, guint8 *out)
{
  const guint colors = pixels->raster.color;
  const gsize n = pixels->raster.width * (gsize) (colors + 1);

  for (gsize i = 0; i < n && !pixels->straight; i += colors + 1)
    for (guint c = 0; c < colors; c++)
      if (!is_on_white (&pixels->raster, out[i + c], out[i + colors], 255))
        pixels->straight = TRUE;
  for (gsize i = 0; i < n; i += colors + 1)
    for (guint c = 0; c < colors; c++)
      out[i + c] = (guint8) unblend (pixels, out[i + c], out[i + colors], 255);
}

static void
unblend_16 (ThPsdPixels *pixels, guint16 *out)
{
  const guint colors = pixels->raster.color;
  const gsize n = pixels->raster.width * (gsize) (colors + 1);

  for (gsize i = 0; i < n && !pixels->straight; i += colors + 1)
    for (guint c = 0; c < colors; c++)
      if (!is_on_white (&pixels->raster, out[i + c], out[i + colors], DEEP_MAX))
        pixels->straight = TRUE;
  for (gsize i = 0; i < n; i += colors + 1)
    for (guint c = 0; c < colors; c++)
      out[i + c] = (guint16) unblend (pixels, out[i + c], out[i + colors], DEEP_MAX);
}

/* lab: from 0 to 1, 0.5 being no colour. */
static void
lab_to_light (const ThPsdPixels *pixels, const double *lab, guint16 *out)
{
  static const double white[3] = { 0.96422, 1.0, 0.82521 }; /* D50 */
  const double *m = pixels->matrix.m;
  const double fy = (lab[0] * 100 + 16) / 116;
  const double f[3] = { fy + (lab[1] - 0.5) * 256 / 500, fy, fy - (lab[2] - 0.5) * 256 / 200 };
  double xyz[3];

  for (guint i = 0; i < 3; i++)
    xyz[i] = white[i] * (f[i] > 6.0 / 29 ? f[i] * f[i] * f[i] : (f[i] - 4.0 / 29) * 108 / 841);
  for (guint i = 0; i < 3; i++)
    out[i] = to_deep (m[3 * i] * xyz[0] + m[3 * i + 1] * xyz[1] + m[3 * i + 2] * xyz[2]);
}

/* 8 bits were multiplied by 257, and no colour is 128 of them. */
static void
convert_lab (const ThPsdPixels *pixels, guint16 *out)
{
  const guint step = th_raster_channels (&pixels->raster);
  const double unit = pixels->head->depth == 8 ? 256 * 257 : 65536;

  for (gsize x = 0; x < pixels->raster.width; x++, out += step)
    {
      const double alpha = step == 4 ? MAX (out[3], 1) / (double) DEEP_MAX : 1;
      const double lab[3] = { (out[0] / (double) DEEP_MAX + alpha - 1) / alpha,
                              (out[1] / unit - 0.5) / alpha + 0.5,
                              (out[2] / unit - 0.5) / alpha + 0.5 };

      lab_to_light (pixels, lab, out);
    }
}

void
th_psd_pixels_finish (ThPsdPixels *pixels, void *out)
{
  if (pixels->head->mode == TH_PSD_INDEXED)
    look_up (pixels, out);
  else if (pixels->head->mode == TH_PSD_LAB)
    convert_lab (pixels, out);
  else if (pixels->alpha && pixels->raster.bits == 16)
    unblend_16 (pixels, out);
  else if (pixels->alpha)
    unblend_8 (pixels, out);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/tiff-expand.h"

#include <math.h>
#include <string.h>

#include "modules/tiff-fetch.h"

/* Steps of the curve from linear light to sRGB; between them it is straight. */
#define CURVE_STEPS 4096u

typedef ThTiffChannel Channel;

/* A row by one of the routes; what it returns is the raster's row. */
typedef const void *(*Route) (ThTiffExpand *expand, const Channel *channels);

struct _ThTiffExpand
{
  const ThTiffPage *page;
  guint32 width;
  guint n; /* channels of the raster */
  Route route;
  ThTiffFetch fetch;
  guint8 *out;      /* a row of the raster */
  guint16 *deep;    /* a row of samples of 16 bits; the raster's too where that has as many */
  guint8 *lookup;   /* colours of each value of a sample of up to 8 bits */
  guint16 *palette; /* red, then green, then blue */
  guint16 *curve;   /* CURVE_STEPS + 1 values, where colours are linear light */
};

static guint8
to_8 (guint16 deep)
{
  return (guint8) ((deep * 255u + TH_TIFF_DEEP_MAX / 2) / TH_TIFF_DEEP_MAX);
}

/* The stored row is the raster's. */
static const void *
pass_on (ThTiffExpand *expand, const Channel *channels)
{
  return channels[0].row;
}

/* One sample of up to 8 bits a pixel, by a table of its values. */
static const void *
look_up (ThTiffExpand *expand, const Channel *channels)
{
  const guint bits = expand->page->bits;
  const guint8 mask = (guint8) ((1u << bits) - 1);
  const Channel *channel = &channels[0];
  guint8 *out = expand->out;

  for (guint32 x = 0; x < expand->width; x++, out += expand->n)
    {
      const gsize bit = (channel->first + x * channel->step) * bits;
      guint value;

      /* Samples of these depths do not cross bytes. */
      if (8 % bits == 0)
        value = channel->row[bit / 8] >> (8 - bits - bit % 8) & mask;
      else
        value = th_tiff_bits (channel->row, bit, bits);
      memcpy (out, expand->lookup + value * expand->n, expand->n);
    }
  return expand->out;
}

/* One bit a pixel, in grey, and nothing else. */
static const void *
look_up_bits (ThTiffExpand *expand, const Channel *channels)
{
  const guint8 values[2] = { expand->lookup[0], expand->lookup[1] };

  for (guint32 x = 0; x < expand->width; x++)
    expand->out[x] = values[channels[0].row[x / 8] >> (7 - x % 8) & 1];
  return expand->out;
}

static const void *
copy_8 (ThTiffExpand *expand, const Channel *channels)
{
  const gboolean invert = expand->page->meaning == TH_TIFF_INVERT;

  for (guint c = 0; c < expand->n; c++)
    {
      const Channel channel = channels[c];
      const guint8 flip = invert && c == 0 ? 0xff : 0;

      for (guint32 x = 0; x < expand->width; x++)
        expand->out[x * expand->n + c] = channel.row[channel.first + x * channel.step] ^ flip;
    }
  return expand->out;
}

static guint16
along_curve (const guint16 *curve, guint16 value)
{
  const guint32 scaled = value * CURVE_STEPS;
  const guint32 step = scaled / TH_TIFF_DEEP_MAX;
  const guint32 rest = scaled % TH_TIFF_DEEP_MAX;

  if (step == CURVE_STEPS)
    return curve[step];
  return (guint16) (curve[step]
                    + (guint32) (curve[step + 1] - curve[step]) * (guint64) rest
                          / TH_TIFF_DEEP_MAX);
}

/* CIE L*a*b* of D50 to linear sRGB of D65 (Bradford), then along the curve. */
static void
convert_lab (const ThTiffExpand *expand, guint16 *pixel)
{
  static const double to_rgb[3][3] = {
    { 3.1338561, -1.6168667, -0.4906146 },
    { -0.9787684, 1.9161415, 0.0334540 },
    { 0.0719453, -0.2289914, 1.4052427 },
  };
  static const double white[3] = { 0.96422, 1.0, 0.82521 };
  const gboolean icc = expand->page->meaning == TH_TIFF_ICCLAB;
  /* With 16 bits ICC's scale ends at 0xff00; with 8 the samples were multiplied by 257. */
  const double unit = expand->page->bits == 8 ? 257 : 256;
  const double top = expand->page->bits == 16 && icc ? 65280 : TH_TIFF_DEEP_MAX;
  const double fy = (pixel[0] / top * 100 + 16) / 116;
  const double a = icc ? pixel[1] / unit - 128 : (gint16) pixel[1] / 256.0;
  const double b = icc ? pixel[2] / unit - 128 : (gint16) pixel[2] / 256.0;
  const double f[3] = { fy + a / 500, fy, fy - b / 200 };
  double xyz[3];

  for (guint i = 0; i < 3; i++)
    xyz[i] = white[i] * (f[i] > 6.0 / 29 ? f[i] * f[i] * f[i] : (f[i] - 4.0 / 29) * 108 / 841);
  for (guint i = 0; i < 3; i++)
    pixel[i] =
        along_curve (expand->curve, th_tiff_deep (to_rgb[i][0] * xyz[0] + to_rgb[i][1] * xyz[1]
                                                  + to_rgb[i][2] * xyz[2]));
}

static void
convert_deep (const ThTiffExpand *expand, guint16 *pixel)
{
  const ThTiffPage *page = expand->page;

  if (page->meaning == TH_TIFF_CIELAB || page->meaning == TH_TIFF_ICCLAB)
    convert_lab (expand, pixel);
  else if (page->meaning == TH_TIFF_INVERT)
    pixel[0] = (guint16) (TH_TIFF_DEEP_MAX - pixel[0]);
  else if (expand->curve != NULL)
    for (guint c = 0; c < page->color; c++)
      pixel[c] = along_curve (expand->curve, pixel[c]);
}

/* Everything else, through 16 bits. */
static const void *
go_deep (ThTiffExpand *expand, const Channel *channels)
{
  const ThTiffPage *page = expand->page;
  const gsize n = expand->n;

  for (guint c = 0; c < n; c++)
    expand->fetch (page->bits, expand->width, channels[c], expand->deep + c, n);
  for (guint32 x = 0; x < expand->width; x++)
    convert_deep (expand, expand->deep + x * n);
  if (page->out_bits == 16)
    return expand->deep;
  for (gsize i = 0; i < expand->width * n; i++)
    expand->out[i] = to_8 (expand->deep[i]);
  return expand->out;
}

/* Palettes of more than 8 bits. */
static const void *
look_up_deep (ThTiffExpand *expand, const Channel *channels)
{
  const ThTiffPage *page = expand->page;
  const gsize size = (gsize) 1 << page->bits;

  for (guint32 x = 0; x < expand->width; x++)
    {
      const Channel *channel = &channels[0];
      const gsize at = channel->first + x * channel->step;
      guint16 value;

      if (page->bits == 16)
        memcpy (&value, channel->row + 2 * at, 2);
      else
        value = (guint16) th_tiff_bits (channel->row, at * page->bits, page->bits);
      for (guint c = 0; c < 3; c++)
        expand->out[x * 3 + c] = to_8 (expand->palette[c * size + value]);
    }
  return expand->out;
}

/* Some write palettes of 8-bit values. */
static gboolean
read_palette (ThTiffExpand *expand, TIFF *tiff)
{
  const gsize size = (gsize) 1 << expand->page->bits;
  guint16 *colors[3];
  guint16 most = 0;

  if (!TIFFGetField (tiff, TIFFTAG_COLORMAP, &colors[0], &colors[1], &colors[2]))
    return FALSE;
  expand->palette = g_try_new (guint16, 3 * size);
  if (expand->palette == NULL)
    return FALSE;
  for (guint c = 0; c < 3; c++)
    for (gsize i = 0; i < size; i++)
      {
        expand->palette[c * size + i] = colors[c][i];
        most = MAX (most, colors[c][i]);
      }
  for (gsize i = 0; i < 3 * size && most < 256; i++)
    expand->palette[i] = (guint16) (expand->palette[i] * 257);
  return TRUE;
}

static void
make_lookup (ThTiffExpand *expand)
{
  const ThTiffPage *page = expand->page;
  const guint size = 1u << page->bits;

  expand->lookup = g_new (guint8, (gsize) size * expand->n);
  for (guint value = 0; value < size; value++)
    {
      const guint8 grey = (guint8) ((value * 255 + (size - 1) / 2) / (size - 1));

      for (guint c = 0; c < expand->n; c++)
        {
          guint8 *out = &expand->lookup[value * expand->n + c];

          if (expand->palette != NULL)
            *out = to_8 (expand->palette[c * size + value]);
          else
            *out = page->meaning == TH_TIFF_INVERT ? 255 - grey : grey;
        }
    }
}

static void
make_curve (ThTiffExpand *expand)
{
  expand->curve = g_new (guint16, CURVE_STEPS + 1);
  for (guint i = 0; i <= CURVE_STEPS; i++)
    {
      const double light = (double) i / CURVE_STEPS;

      expand->curve[i] =
          th_tiff_deep (light <= 0.0031308 ? light * 12.92 : 1.055 * pow (light, 1 / 2.4) - 0.055);
    }
}

static gboolean
is_as_it_shall_be (const ThTiffPage *page)
{
  if (page->way == TH_TIFF_RGBA)
    return TRUE;
  if (page->meaning != TH_TIFF_PLAIN || page->number != TH_TIFF_UINT || page->separate)
    return FALSE;
  for (guint i = 0; i < page->n_wanted; i++)
    if (page->wanted[i] != i)
      return FALSE;
  return page->n_wanted == page->samples && (page->bits == 8 || page->bits == 16);
}

static Route
choose_route (const ThTiffPage *page)
{
  const gboolean table = page->meaning == TH_TIFF_PALETTE || page->n_wanted == 1;

  if (is_as_it_shall_be (page))
    return pass_on;
  if (page->number != TH_TIFF_UINT)
    return go_deep;
  if (page->bits == 1 && page->n_wanted == 1 && page->color == TH_COLOR_GREY
      && (page->samples == 1 || page->separate))
    return look_up_bits;
  if (table && page->bits <= 8)
    return look_up;
  if (page->meaning == TH_TIFF_PALETTE)
    return look_up_deep;
  if (page->bits == 8 && page->meaning <= TH_TIFF_INVERT)
    return copy_8;
  return go_deep;
}

guint64
th_tiff_expand_bytes (const ThTiffPage *page)
{
  const guint64 pixel = TH_TIFF_SAMPLES_MAX * 3;
  const guint64 palette = page->meaning == TH_TIFF_PALETTE ? (6ull << page->bits) : 0;

  return page->size.width * pixel + palette + CURVE_STEPS * 2 + 4096;
}

ThTiffExpand *
th_tiff_expand_new (const ThTiffPage *page, TIFF *tiff, gboolean has_profile)
{
  g_autoptr (ThTiffExpand) expand = g_new0 (ThTiffExpand, 1);
  gsize samples;

  expand->page = page;
  expand->width = page->size.width;
  expand->n = (guint) page->color + (page->alpha != TH_ALPHA_NONE ? 1 : 0);
  expand->fetch = th_tiff_fetch_for (page);
  expand->route = choose_route (page);
  samples = (gsize) expand->width * expand->n;
  if (page->meaning == TH_TIFF_PALETTE && !read_palette (expand, tiff))
    return NULL;
  if (expand->route == look_up || expand->route == look_up_bits)
    make_lookup (expand);
  if (page->meaning == TH_TIFF_CIELAB || page->meaning == TH_TIFF_ICCLAB
      || (page->number == TH_TIFF_FLOAT && !has_profile && page->color == TH_COLOR_RGB))
    make_curve (expand);
  if (expand->route == go_deep)
    expand->deep = g_try_new (guint16, samples);
  if (expand->route != pass_on)
    expand->out = g_try_malloc (samples);
  if ((expand->route == go_deep && expand->deep == NULL)
      || (expand->route != pass_on && expand->out == NULL))
    return NULL;
  return g_steal_pointer (&expand);
}

void
th_tiff_expand_free (ThTiffExpand *expand)
{
  g_free (expand->out);
  g_free (expand->deep);
  g_free (expand->lookup);
  g_free (expand->palette);
  g_free (expand->curve);
  g_free (expand);
}

const void *
th_tiff_expand_row (ThTiffExpand *expand, const guint8 *const planes[TH_TIFF_SAMPLES_MAX])
{
  const ThTiffPage *page = expand->page;
  Channel channels[TH_TIFF_SAMPLES_MAX];

  for (guint c = 0; c < MAX (page->n_wanted, 1); c++)
    channels[c] = page->separate && page->way != TH_TIFF_RGBA
                      ? (Channel){ planes[c], 0, 1 }
                      : (Channel){ planes[0], page->wanted[c], page->samples };
  return expand->route (expand, channels);
}

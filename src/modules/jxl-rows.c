/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/jxl-rows.h"

#include <string.h>

/* libjxl writes RGB and RGBA of 8 bits as they are finished; for anything else it first makes a
 * picture of floats. So grey comes as RGB. */
static JxlPixelFormat
format_of (const ThRaster *raster)
{
  return (JxlPixelFormat){
    .num_channels = raster->alpha != TH_ALPHA_NONE ? 4 : 3,
    .data_type = raster->bits == 16 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
    .endianness = JXL_NATIVE_ENDIAN,
  };
}

static gsize
pixel_bytes (const ThRaster *raster)
{
  return format_of (raster).num_channels * (raster->bits / 8u);
}

guint64
th_jxl_rows_bytes (const ThRaster *raster)
{
  const guint64 black = raster->color == TH_COLOR_CMYK ? raster->bits / 8u : 0;

  return (guint64) raster->width * raster->height * (pixel_bytes (raster) + black)
         + th_raster_row_bytes (raster);
}

gboolean
th_jxl_rows_init (ThJxlRows *rows, const ThRaster *raster)
{
  const int nothing = raster->alpha != TH_ALPHA_NONE ? 0 : 0x80;
  gsize pixels, size;

  *rows = (ThJxlRows){ .raster = raster, .format = format_of (raster) };
  if (!g_size_checked_mul (&pixels, raster->width, raster->height)
      || !g_size_checked_mul (&size, pixels, pixel_bytes (raster)))
    return FALSE;
  rows->size = size;
  rows->pixels = g_try_malloc (size);
  if (rows->pixels == NULL)
    return FALSE;
  memset (rows->pixels, nothing, size);
  if (raster->color != TH_COLOR_CMYK)
    return TRUE;
  rows->black_size = pixels * (raster->bits / 8u);
  rows->black = g_try_malloc (rows->black_size);
  if (rows->black == NULL)
    return FALSE;
  memset (rows->black, 0xff, rows->black_size);
  return TRUE;
}

void
th_jxl_rows_clear (ThJxlRows *rows)
{
  g_clear_pointer (&rows->pixels, g_free);
  g_clear_pointer (&rows->black, g_free);
}

static guint
sample_8 (const ThJxlRows *rows, const guint8 *samples, gsize index)
{
  guint16 deep;

  if (rows->raster->bits == 8)
    return samples[index];
  memcpy (&deep, samples + 2 * index, sizeof deep);
  return deep >> 8;
}

ThBlankRank
th_jxl_rows_rank (const ThJxlRows *rows)
{
  const gsize n = (gsize) rows->raster->width * rows->raster->height;
  const gsize channels = rows->format.num_channels;
  ThBlank blank = { 0 };

  for (gsize i = 0; i < n && !blank.differs; i++)
    {
      const guint light = rows->black != NULL ? sample_8 (rows, rows->black, i) : 255;
      guint8 rgba[4] = { 0, 0, 0, 255 };

      for (gsize c = 0; c < channels; c++)
        rgba[c] = (guint8) sample_8 (rows, rows->pixels, i * channels + c);
      for (gsize c = 0; c < 3; c++)
        rgba[c] = (guint8) (rgba[c] * light / 255);
      th_blank_look (&blank, rgba, 1);
    }
  return th_blank_rank (&blank);
}

void
th_jxl_rows_keep_first (ThJxlRows *rows)
{
  memcpy (rows->kept, rows->pixels, pixel_bytes (rows->raster));
  if (rows->black != NULL)
    memcpy (rows->kept_black, rows->black, rows->raster->bits / 8u);
}

static void
fill (guint8 *data, gsize size, const guint8 *unit, gsize length)
{
  for (gsize i = 0; i < size; i += length)
    memcpy (data + i, unit, length);
}

void
th_jxl_rows_repeat_kept (ThJxlRows *rows)
{
  fill (rows->pixels, rows->size, rows->kept, pixel_bytes (rows->raster));
  fill (rows->black, rows->black_size, rows->kept_black, rows->raster->bits / 8u);
}

/* The first of three, and alpha. */
static void
grey_row (const ThJxlRows *rows, gsize y, guint8 *out)
{
  const gsize sample = rows->raster->bits / 8u;
  const gsize pixel = pixel_bytes (rows->raster);
  const guint8 *in = rows->pixels + y * rows->raster->width * pixel;
  const gboolean alpha = rows->raster->alpha != TH_ALPHA_NONE;

  for (guint32 x = 0; x < rows->raster->width; x++, in += pixel)
    {
      memcpy (out, in, sample);
      out += sample;
      if (!alpha)
        continue;
      memcpy (out, in + 3 * sample, sample);
      out += sample;
    }
}

/* Turning all bits over turns a sample over, of 8 bits as of 16. */
static void
cmyk_row (const ThJxlRows *rows, gsize y, guint8 *out)
{
  const gsize sample = rows->raster->bits / 8u;
  const gsize pixel = pixel_bytes (rows->raster);
  const guint8 *ink = rows->pixels + y * rows->raster->width * pixel;
  const guint8 *black = rows->black + y * rows->raster->width * sample;

  for (guint32 x = 0; x < rows->raster->width; x++, ink += pixel, black += sample)
    {
      for (gsize i = 0; i < 3 * sample; i++)
        *out++ = (guint8) ~ink[i];
      for (gsize i = 0; i < sample; i++)
        *out++ = (guint8) ~black[i];
      if (rows->raster->alpha == TH_ALPHA_NONE)
        continue;
      memcpy (out, ink + 3 * sample, sample);
      out += sample;
    }
}

ThStatus
th_jxl_rows_push (const ThJxlRows *rows, ThSink *sink)
{
  const ThRaster *raster = rows->raster;
  const gsize stride = th_raster_row_bytes (raster);
  g_autofree guint8 *row = NULL;

  if (raster->color == TH_COLOR_RGB)
    return sink->rows (sink, rows->pixels, stride, raster->height) ? TH_STATUS_OK
                                                                   : TH_STATUS_STOPPED;
  row = g_try_malloc (stride);
  if (row == NULL)
    return TH_STATUS_NO_MEMORY;
  for (guint32 y = 0; y < raster->height; y++)
    {
      if (raster->color == TH_COLOR_GREY)
        grey_row (rows, y, row);
      else
        cmyk_row (rows, y, row);
      if (!sink->rows (sink, row, stride, 1))
        return TH_STATUS_STOPPED;
    }
  return TH_STATUS_OK;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-rows.h"

#include <string.h>

/* Mid grey in 8 bits; in CMYK it is ink. */
#define MID_GREY 128
#define MID_INK  127

/* Exact at both ends and at every value that 8 bits can say. */
static inline gint16
from_u16 (guint32 v)
{
  return (gint16) ((v * ((guint32) TH_SAMPLE_ONE + 1)) >> 16);
}

static inline guint16
load_u16 (const guint8 *at)
{
  guint16 value;

  memcpy (&value, at, sizeof value);
  return value;
}

static inline void
straight_u8 (const guint8 *row, guint32 width, guint channels, gint16 *out)
{
  for (gsize i = 0; i < width; i++, row += channels, out += channels)
    {
      const guint8 a = row[channels - 1];

      for (guint c = 0; c + 1 < channels; c++)
        out[c] = th_premultiplied (row[c], a);
      out[channels - 1] = (gint16) (a << TH_SAMPLE_SHIFT);
    }
}

static void
read_straight_u8 (const ThKernels *kernels, const guint8 *row, guint32 width, guint channels,
                  gint16 *out)
{
  if (channels == 4)
    kernels->premultiply_u8 (row, width, out);
  else if (channels == 2)
    straight_u8 (row, width, 2, out);
  else
    straight_u8 (row, width, channels, out);
}

static void
read_straight_u16 (const guint8 *row, guint32 width, guint channels, gint16 *out)
{
  for (gsize i = 0; i < width; i++, row += channels * 2, out += channels)
    {
      guint64 a = load_u16 (row + (channels - 1) * 2);

      for (guint c = 0; c + 1 < channels; c++)
        out[c] = from_u16 ((guint32) ((load_u16 (row + c * 2) * a + 32767u) / 65535u));
      out[channels - 1] = from_u16 ((guint32) a);
    }
}

static void
read_plain_u16 (const guint8 *row, gsize n, gint16 *out)
{
  for (gsize i = 0; i < n; i++)
    out[i] = from_u16 (load_u16 (row + i * 2));
}

void
th_rows_read (const ThKernels *kernels, const ThRaster *raster, const void *row, gint16 *out)
{
  guint channels = th_raster_channels (raster);
  gsize n = (gsize) raster->width * channels;

  if (raster->alpha == TH_ALPHA_STRAIGHT && raster->bits == 8)
    read_straight_u8 (kernels, row, raster->width, channels, out);
  else if (raster->alpha == TH_ALPHA_STRAIGHT)
    read_straight_u16 (row, raster->width, channels, out);
  else if (raster->bits == 8)
    kernels->widen_u8 (row, n, out);
  else
    read_plain_u16 (row, n, out);
}

/* Divides by alpha within the samples; colour beyond alpha is overshoot of a filter. Alpha's own
 * overshoot counts: colours at an edge have overshot with it, and would be a bright rim. */
static inline void
unpremultiply (gint16 *pixel, guint channels)
{
  gint32 a = MAX (pixel[channels - 1], 0);
  float by = a > 0 ? (float) TH_SAMPLE_ONE / (float) a : 0.0f;

  for (guint c = 0; c + 1 < channels; c++)
    pixel[c] = (gint16) ((float) CLAMP (pixel[c], 0, a) * by + 0.5f);
}

static void
write_u16 (const gint16 *row, gsize n, guint16 *out)
{
  for (gsize i = 0; i < n; i++)
    out[i] = (guint16) (((guint32) CLAMP (row[i], 0, TH_SAMPLE_ONE) * 65535u + TH_SAMPLE_ONE / 2)
                        / TH_SAMPLE_ONE);
}

void
th_rows_write (const ThKernels *kernels, guint channels, gboolean has_alpha, gboolean deep,
               guint32 width, gint16 *row, void *out)
{
  gsize n = (gsize) width * channels;

  for (gsize i = 0; has_alpha && i < n; i += channels)
    unpremultiply (row + i, channels);
  if (deep)
    write_u16 (row, n, out);
  else
    kernels->narrow_u8 (row, n, out);
}

void
th_rows_missing (const ThRaster *raster, void *row)
{
  const guint channels = th_raster_channels (raster);
  const gsize bytes = raster->bits / 8u;
  guint8 *at = row;

  /* Transparent whatever the colour; in CMYK, no ink but black. */
  memset (row, raster->alpha == TH_ALPHA_NONE && raster->color != TH_COLOR_CMYK ? MID_GREY : 0,
          th_raster_row_bytes (raster));
  if (raster->alpha != TH_ALPHA_NONE || raster->color != TH_COLOR_CMYK)
    return;
  for (gsize x = 0; x < raster->width; x++)
    memset (at + (x * channels + 3) * bytes, MID_INK, bytes);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/tiff-fetch.h"

#include <math.h>
#include <string.h>

guint16
th_tiff_deep (double value)
{
  /* Also for what is no number. */
  if (!(value > 0))
    return 0;
  return value >= 1 ? TH_TIFF_DEEP_MAX : (guint16) (value * TH_TIFF_DEEP_MAX + 0.5);
}

guint32
th_tiff_bits (const guint8 *row, guint64 bit, guint n)
{
  guint64 value = 0;
  const guint64 last = (bit + n - 1) / 8;

  for (guint64 i = bit / 8; i <= last; i++)
    value = value << 8 | row[i];
  value >>= (last + 1) * 8 - bit - n;
  return (guint32) (value & ((G_GUINT64_CONSTANT (1) << n) - 1));
}

static void
fetch_bits (guint bits, guint32 width, ThTiffChannel channel, guint16 *out, gsize step)
{
  const guint64 max = (G_GUINT64_CONSTANT (1) << bits) - 1;

  for (guint32 x = 0; x < width; x++)
    {
      const guint64 value =
          th_tiff_bits (channel.row, (channel.first + x * channel.step) * bits, bits);

      out[x * step] = (guint16) ((value * TH_TIFF_DEEP_MAX + max / 2) / max);
    }
}

static void
fetch_8 (guint bits, guint32 width, ThTiffChannel channel, guint16 *out, gsize step)
{
  for (guint32 x = 0; x < width; x++)
    out[x * step] = (guint16) (channel.row[channel.first + x * channel.step] * 257u);
}

static void
fetch_16 (guint bits, guint32 width, ThTiffChannel channel, guint16 *out, gsize step)
{
  for (guint32 x = 0; x < width; x++)
    memcpy (&out[x * step], channel.row + 2 * (channel.first + x * channel.step), 2);
}

static void
fetch_32 (guint bits, guint32 width, ThTiffChannel channel, guint16 *out, gsize step)
{
  for (guint32 x = 0; x < width; x++)
    {
      guint32 value;

      memcpy (&value, channel.row + 4 * (channel.first + x * channel.step), 4);
      out[x * step] = (guint16) (value >> 16);
    }
}

/* Negative numbers show as 0. */
static void
fetch_signed (guint bits, guint32 width, ThTiffChannel channel, guint16 *out, gsize step)
{
  const guint bytes = bits / 8;

  for (guint32 x = 0; x < width; x++)
    {
      const guint8 *at = channel.row + bytes * (channel.first + x * channel.step);
      gint32 value = 0;
      gint16 half;

      if (bytes == 1)
        value = (gint8) *at * (1 << 24);
      else if (bytes == 2)
        {
          memcpy (&half, at, 2);
          value = half * (1 << 16);
        }
      else
        memcpy (&value, at, 4);
      out[x * step] = (guint16) (value < 0 ? 0 : value >> 15);
    }
}

/* A small floating-point number of any division into exponent and fraction. */
static double
small_float (guint32 bits, guint exponent_bits, guint fraction_bits)
{
  const guint32 fraction = bits & ((1u << fraction_bits) - 1);
  const guint32 exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const gboolean negative = (bits >> (fraction_bits + exponent_bits)) != 0;
  double value;

  if (exponent == 0)
    value = ldexp (fraction, 1 - bias - (int) fraction_bits);
  else if (exponent == (1u << exponent_bits) - 1)
    value = fraction != 0 ? 0 : G_MAXDOUBLE;
  else
    value = ldexp (fraction + (1u << fraction_bits), (int) exponent - bias - (int) fraction_bits);
  return negative ? -value : value;
}

static double
read_float (const guint8 *at, guint bytes)
{
  guint16 half = 0;
  guint32 whole = 0;
  float single;
  double full;

  if (bytes == 8)
    memcpy (&full, at, 8);
  else if (bytes == 4)
    memcpy (&single, at, 4);
  else if (bytes == 3)
    memcpy (&whole, at, 3);
  else
    memcpy (&half, at, 2);
  if (bytes == 8)
    return full;
  if (bytes == 4)
    return single;
  if (bytes == 3)
    return small_float (G_BYTE_ORDER == G_BIG_ENDIAN ? whole >> 8 : whole, 7, 16);
  return small_float (half, 5, 10);
}

static void
fetch_float (guint bits, guint32 width, ThTiffChannel channel, guint16 *out, gsize step)
{
  const guint bytes = bits / 8;

  for (guint32 x = 0; x < width; x++)
    out[x * step] =
        th_tiff_deep (read_float (channel.row + bytes * (channel.first + x * channel.step), bytes));
}

ThTiffFetch
th_tiff_fetch_for (const ThTiffPage *page)
{
  const gboolean lab = page->meaning == TH_TIFF_CIELAB || page->meaning == TH_TIFF_ICCLAB;

  if (page->number == TH_TIFF_FLOAT)
    return fetch_float;
  if (page->number == TH_TIFF_INT && !lab)
    return fetch_signed;
  if (page->bits == 8)
    return fetch_8;
  if (page->bits == 16)
    return fetch_16;
  return page->bits == 32 ? fetch_32 : fetch_bits;
}

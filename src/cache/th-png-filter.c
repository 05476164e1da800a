/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-png-filter.h"

#include <string.h>

#define FILTER_SUB 1
#define FILTER_UP  2

/* A vector of the size that every 64-bit processor has; elsewhere the compiler takes it apart. */
#define LANES 16
typedef guint8 Bytes __attribute__ ((vector_size (LANES)));
typedef gint8 SignedBytes __attribute__ ((vector_size (LANES)));
typedef guint16 Words __attribute__ ((vector_size (LANES)));
/* So often 2 × 128 can be added to a word. */
#define MAX_SUMS 255u

static Bytes
load (const guint8 *from)
{
  Bytes bytes;

  memcpy (&bytes, from, sizeof bytes);
  return bytes;
}

/* How far each byte is from 0, as a signed number. */
static Bytes
distance (Bytes value)
{
  Bytes negative = (Bytes) ((SignedBytes) value < 0);

  return (value ^ negative) - negative;
}

static Words
add_pairs (Words sums, Bytes bytes)
{
  Words pairs;

  memcpy (&pairs, &bytes, sizeof pairs);
  return sums + (pairs & 0xff) + (pairs >> 8);
}

static guint64
total (Words sums)
{
  guint64 sum = 0;

  for (guint i = 0; i < LANES / 2; i++)
    sum += sums[i];
  return sum;
}

/* What a filter that subtracts `from` leaves of a row, the sum of all distances from 0: the usual
 * guess at how well it compresses. The last few bytes are left out. */
static guint64
cost (const guint8 *row, const guint8 *from, gsize bytes)
{
  guint64 sum = 0;
  gsize i = 0;

  while (i + LANES <= bytes)
    {
      Words sums = { 0 };

      for (guint n = 0; n < MAX_SUMS && i + LANES <= bytes; n++, i += LANES)
        sums = add_pairs (sums, distance (load (row + i) - load (from + i)));
      sum += total (sums);
    }
  return sum;
}

static void
subtract (guint8 *restrict out, const guint8 *restrict row, const guint8 *restrict from,
          gsize bytes)
{
  for (gsize i = 0; i < bytes; i++)
    out[i] = (guint8) (row[i] - from[i]);
}

/* above is NULL for the first row. */
static void
filter_row (const guint8 *row, const guint8 *above, gsize bytes, guint channels, guint8 *out)
{
  gsize rest = bytes - channels;

  if (above != NULL
      && cost (row + channels, above + channels, rest) < cost (row + channels, row, rest))
    {
      out[0] = FILTER_UP;
      subtract (out + 1, row, above, bytes);
      return;
    }
  out[0] = FILTER_SUB;
  memcpy (out + 1, row, channels);
  subtract (out + 1 + channels, row + channels, row, rest);
}

static void
drop_alpha (const guint8 *rgba, guint32 width, guint8 *rgb)
{
  for (gsize x = 0; x < width; x++)
    memcpy (rgb + x * 3, rgba + x * 4, 3);
}

gboolean
th_png_filtered_bytes (ThSize size, guint channels, gsize *bytes)
{
  return g_size_checked_mul (bytes, size.width, channels) && g_size_checked_add (bytes, *bytes, 1)
         && g_size_checked_mul (bytes, *bytes, size.height);
}

void
th_png_filter (const ThImage *image, guint channels, guint8 *scratch, guint8 *out)
{
  gsize bytes = (gsize) image->size.width * channels;
  const guint8 *above = NULL;

  for (guint32 y = 0; y < image->size.height; y++, out += bytes + 1)
    {
      const guint8 *row = image->data + y * image->stride;

      if (channels != image->channels)
        {
          guint8 *packed = scratch + (y % 2) * bytes;

          drop_alpha (row, image->size.width, packed);
          row = packed;
        }
      filter_row (row, above, bytes, channels, out);
      above = row;
    }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/png-unfilter.h"

#include <string.h>

enum
{
  FILTER_NONE,
  FILTER_SUB,
  FILTER_UP,
  FILTER_AVERAGE,
  FILTER_PAETH,
};

/* Two pixels of up to four bytes, each byte with room for a sign. */
typedef gint16 Pair __attribute__ ((vector_size (16)));
typedef guint8 PairBytes __attribute__ ((vector_size (8)));

static inline guint32
load (const guint8 *from)
{
  guint32 pixel;

  memcpy (&pixel, from, sizeof pixel);
  return pixel;
}

/* Four sums of bytes at once. */
static inline guint32
add_bytes (guint32 a, guint32 b)
{
  return ((a & 0x7f7f7f7f) + (b & 0x7f7f7f7f)) ^ ((a ^ b) & 0x80808080);
}

static inline guint32
average_bytes (guint32 a, guint32 b)
{
  return (a & b) + (((a ^ b) & 0xfefefefe) >> 1);
}

static inline void
sub_pixels (guint8 *row, gsize length, guint step)
{
  guint32 left = 0;

  for (gsize i = 0; i + step <= length; i += step)
    {
      left = add_bytes (load (row + i), left);
      memcpy (row + i, &left, step);
    }
}

static inline void
average_pixels (guint8 *row, const guint8 *above, gsize length, guint step)
{
  guint32 left = 0;

  for (gsize i = 0; i + step <= length; i += step)
    {
      left = add_bytes (load (row + i), average_bytes (left, load (above + i)));
      memcpy (row + i, &left, step);
    }
}

static inline Pair
pair_of (guint32 first, guint32 second)
{
  guint32 both[2] = { first, second };
  PairBytes bytes;

  memcpy (&bytes, both, sizeof bytes);
  return __builtin_convertvector(bytes, Pair);
}

static inline Pair
magnitude (Pair value)
{
  Pair sign = value >> 15;

  return (value ^ sign) - sign;
}

static inline Pair
paeth_pair (Pair left, Pair above, Pair corner)
{
  Pair to_left = above - corner;
  Pair to_above = left - corner;
  Pair to_corner = magnitude (to_left + to_above);
  Pair not_left, not_above;

  to_left = magnitude (to_left);
  to_above = magnitude (to_above);
  not_left = (to_left > to_above) | (to_left > to_corner);
  not_above = to_above > to_corner;
  return (left & ~not_left) | (not_left & ((above & ~not_above) | (corner & not_above)));
}

typedef struct
{
  Pair left;
  Pair corner;
} PaethState;

/* One step of both rows: above is that of the first; the second's is the first's last result. */
static inline PairBytes
paeth_step (PaethState *state, guint32 above, guint32 first, guint32 second)
{
  Pair up = __builtin_shufflevector (pair_of (above, 0), state->left, 0, 1, 2, 3, 8, 9, 10, 11);

  state->left = (paeth_pair (state->left, up, state->corner) + pair_of (first, second)) & 255;
  state->corner = up;
  return __builtin_convertvector(state->left, PairBytes);
}

/* Two rows at once, the second one pixel behind the first, because each pixel waits for its left
 * neighbour. Rows are at least a pixel long. */
static inline void
paeth_pixels (guint8 *first, guint8 *second, const guint8 *above, gsize length, guint step)
{
  PaethState state = { { 0 }, { 0 } };
  PairBytes bytes = paeth_step (&state, load (above), load (first), 0);
  gsize i;

  memcpy (first, &bytes, step);
  for (i = step; i + step <= length; i += step)
    {
      bytes = paeth_step (&state, load (above + i), load (first + i), load (second + i - step));
      memcpy (first + i, &bytes, step);
      memcpy (second + i - step, (const guint8 *) &bytes + 4, step);
    }
  bytes = paeth_step (&state, 0, 0, load (second + i - step));
  memcpy (second + i - step, (const guint8 *) &bytes + 4, step);
}

static inline void
paeth_row (guint8 *row, const guint8 *above, gsize length, guint step)
{
  PaethState state = { { 0 }, { 0 } };

  for (gsize i = 0; i + step <= length; i += step)
    {
      PairBytes bytes = paeth_step (&state, load (above + i), load (row + i), 0);

      memcpy (row + i, &bytes, step);
    }
}

static void
up_row (guint8 *row, const guint8 *above, gsize length)
{
  for (gsize i = 0; i < length; i++)
    row[i] = (guint8) (row[i] + above[i]);
}

static guint
paeth_byte (int left, int above, int corner)
{
  int to_left = ABS (above - corner);
  int to_above = ABS (left - corner);
  int to_corner = ABS (left + above - 2 * corner);

  if (to_left <= to_above && to_left <= to_corner)
    return (guint) left;
  return (guint) (to_above <= to_corner ? above : corner);
}

/* Pixels of any size, byte by byte. */
static void
plain_row (guint8 filter, guint8 *row, const guint8 *above, gsize length, guint step)
{
  for (gsize i = 0; i < length; i++)
    {
      guint left = i >= step ? row[i - step] : 0;
      guint guess = left;

      if (filter == FILTER_AVERAGE)
        guess = (left + above[i]) / 2;
      else if (filter == FILTER_PAETH)
        guess = paeth_byte ((int) left, above[i], i >= step ? above[i - step] : 0);
      row[i] = (guint8) (row[i] + guess);
    }
}

static inline void
pixel_row (guint8 filter, guint8 *row, const guint8 *above, gsize length, guint step)
{
  if (filter == FILTER_SUB)
    sub_pixels (row, length, step);
  else if (filter == FILTER_AVERAGE)
    average_pixels (row, above, length, step);
  else
    paeth_row (row, above, length, step);
}

static void
one_row (guint8 filter, guint8 *row, const guint8 *above, gsize length, guint step)
{
  if (filter == FILTER_NONE)
    return;
  if (filter == FILTER_UP)
    up_row (row, above, length);
  else if (step == 3)
    pixel_row (filter, row, above, length, 3);
  else if (step == 4)
    pixel_row (filter, row, above, length, 4);
  else
    plain_row (filter, row, above, length, step);
}

guint
th_png_unfilter (guint8 *rows, gsize stride, guint n, guint step, const guint8 *above)
{
  gsize length = stride - 1;

  for (guint i = 0; i < n; i++)
    {
      guint8 *row = rows + i * stride + 1;
      guint8 *next = row + stride;

      if (row[-1] > FILTER_PAETH)
        return i;
      if ((step == 3 || step == 4) && row[-1] == FILTER_PAETH && i + 1 < n
          && next[-1] == FILTER_PAETH)
        {
          if (step == 3)
            paeth_pixels (row, next, above, length, 3);
          else
            paeth_pixels (row, next, above, length, 4);
          i++;
          row = next;
        }
      else
        one_row (row[-1], row, above, length, step);
      above = row;
    }
  return n;
}

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

/* Rows that are taken at once: each Paeth pixel waits for its left neighbour, so that one row alone
 * leaves most of a core idle. Four in one longer vector were half as fast: it is not in a register.
 */
#define LANES 4

/* A pixel of up to four bytes of two rows, each byte with room for a sign. */
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
widen (guint32 first, guint32 second)
{
  guint64 both = GUINT64_TO_LE ((guint64) second << 32 | first);
  PairBytes bytes;

  memcpy (&bytes, &both, sizeof bytes);
  return __builtin_convertvector(bytes, Pair);
}

static inline guint64
narrow (Pair pair)
{
  PairBytes bytes = __builtin_convertvector(pair, PairBytes);
  guint64 both;

  memcpy (&both, &bytes, sizeof both);
  return GUINT64_FROM_LE (both);
}

static inline Pair
magnitude (Pair value)
{
  Pair sign = value >> 15;

  return (value ^ sign) - sign;
}

static inline Pair
paeth_guess (Pair left, Pair above, Pair corner)
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
  Pair left[2]; /* of rows 0 and 1, and of rows 2 and 3 */
  Pair corner[2];
} PaethState;

/* One pixel of each row, each row one pixel behind the one above it: what lies above a pixel is
 * then the last result of the lane before, and for the first lane the row above them all. */
static inline void
paeth_step (PaethState *state, guint32 above, const guint32 *raw, guint32 *out, guint pairs)
{
  Pair up[2] = {
    __builtin_shufflevector (widen (above, 0), state->left[0], 0, 1, 2, 3, 8, 9, 10, 11),
    __builtin_shufflevector (state->left[0], state->left[1], 4, 5, 6, 7, 8, 9, 10, 11),
  };

  for (guint k = 0; k < pairs; k++)
    {
      Pair guess = paeth_guess (state->left[k], up[k], state->corner[k]);
      guint64 both;

      state->left[k] = (guess + widen (raw[2 * k], raw[2 * k + 1])) & 255;
      state->corner[k] = up[k];
      both = narrow (state->left[k]);
      out[2 * k] = (guint32) both;
      out[2 * k + 1] = (guint32) (both >> 32);
    }
}

/* The steps in which not every row has a pixel: n rows of pixels pixels, stride bytes apart. */
static inline void
paeth_edge (PaethState *state, guint8 *rows, gsize stride, guint n, const guint8 *above,
            gsize pixels, gsize i, guint step)
{
  guint32 raw[LANES] = { 0 };
  guint32 out[LANES];

  for (guint k = 0; k < n; k++)
    if (i >= k && i - k < pixels)
      raw[k] = load (rows + k * stride + (i - k) * step);
  paeth_step (state, i < pixels ? load (above + i * step) : 0, raw, out, 2);
  for (guint k = 0; k < n; k++)
    if (i >= k && i - k < pixels)
      memcpy (rows + k * stride + (i - k) * step, &out[k], step);
}

/* n rows with the Paeth filter, at most LANES. */
static inline void
paeth_rows (guint8 *rows, gsize stride, guint n, const guint8 *above, gsize pixels, guint step)
{
  PaethState state = { { { 0 } }, { { 0 } } };
  guint32 raw[LANES] = { 0 };
  guint32 out[LANES];
  gsize i = 0;

  for (; i + 1 < n; i++)
    paeth_edge (&state, rows, stride, n, above, pixels, i, step);
  for (; i < pixels; i++)
    {
      for (guint k = 0; k < n; k++)
        raw[k] = load (rows + k * stride + (i - k) * step);
      paeth_step (&state, load (above + i * step), raw, out, (n + 1) / 2);
      for (guint k = 0; k < n; k++)
        memcpy (rows + k * stride + (i - k) * step, &out[k], step);
    }
  for (; i + 1 < pixels + n; i++)
    paeth_edge (&state, rows, stride, n, above, pixels, i, step);
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

static void
one_row (guint8 filter, guint8 *row, const guint8 *above, gsize length, guint step)
{
  if (filter == FILTER_NONE)
    return;
  if (filter == FILTER_UP)
    up_row (row, above, length);
  else if (filter == FILTER_SUB && step == 3)
    sub_pixels (row, length, 3);
  else if (filter == FILTER_SUB && step == 4)
    sub_pixels (row, length, 4);
  else if (filter == FILTER_AVERAGE && step == 3)
    average_pixels (row, above, length, 3);
  else if (filter == FILTER_AVERAGE && step == 4)
    average_pixels (row, above, length, 4);
  else
    plain_row (filter, row, above, length, step);
}

/* How many of the n rows, at most LANES, have the Paeth filter before another one comes. */
static guint
paeth_run (const guint8 *rows, gsize stride, guint n)
{
  guint run = 0;

  while (run < MIN (n, LANES) && rows[run * stride] == FILTER_PAETH)
    run++;
  return run;
}

guint
th_png_unfilter (guint8 *rows, gsize stride, guint n, guint step, const guint8 *above)
{
  gsize length = stride - 1;
  guint done;

  for (guint i = 0; i < n; i += done)
    {
      guint8 *row = rows + i * stride;
      guint run = step == 3 || step == 4 ? paeth_run (row, stride, n - i) : 0;

      if (row[0] > FILTER_PAETH)
        return i;
      /* Constants, so that loops and copies are unrolled. */
      if (run == LANES && step == 3)
        paeth_rows (row + 1, stride, LANES, above, length / 3, 3);
      else if (run == LANES)
        paeth_rows (row + 1, stride, LANES, above, length / 4, 4);
      else if (run > 0 && step == 3)
        paeth_rows (row + 1, stride, run, above, length / 3, 3);
      else if (run > 0)
        paeth_rows (row + 1, stride, run, above, length / 4, 4);
      else
        one_row (row[0], row + 1, above, length, step);
      done = MAX (run, 1);
      above = row + (done - 1) * stride + 1;
    }
  return n;
}

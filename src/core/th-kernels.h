/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shrinker's inner loops, in more than one make, of which each gives the same bits. They know
 * rows of samples and weights, no pictures. */
#pragma once

#include <glib.h>

/* A working sample: 8-bit values times 64, so that there is room for a filter's overshoot. */
#define TH_SAMPLE_SHIFT 6
#define TH_SAMPLE_ONE   (255 << TH_SAMPLE_SHIFT)
/* Weights are fractions of 1 << TH_WEIGHT_SHIFT. */
#define TH_WEIGHT_SHIFT 14
#define TH_WEIGHT_ONE   (1 << TH_WEIGHT_SHIFT)
/* Rows that the members add_… can sum before they, or a few thousand columns of them, overflow. */
#define TH_ADD_U8_ROWS    256u
#define TH_ADD_SHORT_ROWS 4u
#define TH_ADD_LONG_ROWS  128u

/* Weights that one step of a kernel may take. */
#define TH_FILTER_STEP 8u

/* For each output pixel the inputs that it is made of. Read-only while in use. */
typedef struct
{
  guint32 n_out;
  guint32 stride; /* weights kept for each output: a multiple of TH_FILTER_STEP, surplus ones 0 */
  guint32 *first; /* first input pixel of each output */
  guint32 *taps;  /* how many inputs count, at most stride */
  gint16 *weights;
} ThFilter;

/* TH_SAMPLE_ONE / 255² in units of 2^-16, rounded up. */
#define TH_PREMULTIPLY 16449

/* c × a / 255 for 8-bit values in working samples: never more than a's own, exactly that for c =
 * 255. */
static inline gint16
th_premultiplied (guint8 c, guint8 a)
{
  return (gint16) ((c * a * (guint32) TH_PREMULTIPLY) >> 16);
}

typedef struct
{
  const char *name;
  /* sums[i] += row[i]; at most TH_ADD_…_ROWS times. Working samples are 0 to TH_SAMPLE_ONE here. */
  void (*add_u8) (const guint8 *row, gsize n, guint16 *sums);
  void (*add_short) (const gint16 *row, gsize n, guint16 *sums);
  void (*add_long) (const gint16 *row, gsize n, guint32 *sums);
  /* out[box] = by × the total of factor pixels' sums, rounded; factor × the largest sum is below
   * 2^31; at most 4 channels. These may read TH_ARENA_ALIGN bytes past the end of sums and write as
   * many past out. */
  void (*mean_u16) (const guint16 *sums, gsize boxes, guint32 factor, guint channels, float by,
                    gint16 *out);
  void (*mean_u32) (const guint32 *sums, gsize boxes, guint32 factor, guint channels, float by,
                    gint16 *out);
  /* out[i] = row[i] << TH_SAMPLE_SHIFT. */
  void (*widen_u8) (const guint8 *row, gsize n, gint16 *out);
  /* The same for n pixels of 3 channels and straight alpha, multiplied in. */
  void (*premultiply_u8) (const guint8 *row, gsize n, gint16 *out);
  /* These two may read TH_ARENA_ALIGN bytes past the end of each row, and write as many past the
   * end of out.
   * out[i] = sum of weights[k] × rows[k][i]; n_rows is even. */
  void (*vertical) (const gint16 *const *rows, const gint16 *weights, guint32 n_rows, gsize n,
                    gint16 *out);
  /* One row of filter->n_out pixels. */
  void (*horizontal) (const gint16 *row, const ThFilter *filter, guint channels, gint16 *out);
  /* 8-bit values, clamped and rounded. */
  void (*narrow_u8) (const gint16 *row, gsize n, guint8 *out);
} ThKernels;

/* The fastest make that this processor runs. */
const ThKernels *th_kernels_best (void);
/* Plain C: the reference for the others, and what all other processors get. */
extern const ThKernels th_kernels_plain;

/* Members of the plain make that others borrow. */
void th_plain_add_u8 (const guint8 *row, gsize n, guint16 *sums);
void th_plain_add_short (const gint16 *row, gsize n, guint16 *sums);
void th_plain_widen_u8 (const guint8 *row, gsize n, gint16 *out);
void th_plain_premultiply_u8 (const guint8 *row, gsize n, gint16 *out);
void th_plain_horizontal (const gint16 *row, const ThFilter *filter, guint channels, gint16 *out);
void th_plain_narrow_u8 (const gint16 *row, gsize n, guint8 *out);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shrinker's inner loops, in more than one make. All are integer arithmetic and give the same
 * bits. They know rows of samples and weights, no pictures. */
#pragma once

#include <glib.h>

/* A working sample: 8-bit values times 64, so that there is room for a filter's overshoot. */
#define TH_SAMPLE_SHIFT 6
#define TH_SAMPLE_ONE   (255 << TH_SAMPLE_SHIFT)
/* Weights are fractions of 1 << TH_WEIGHT_SHIFT. */
#define TH_WEIGHT_SHIFT 14
#define TH_WEIGHT_ONE   (1 << TH_WEIGHT_SHIFT)
/* Rows that th_kernels->add_u8 and ->add_s16 can sum before they overflow. */
#define TH_ADD_U8_ROWS  256u
#define TH_ADD_S16_ROWS 128u

/* For each output pixel the inputs that it is made of. Read-only while in use. */
typedef struct
{
  guint32 n_out;
  guint32 stride; /* weights kept for each output; even, the surplus ones are 0 */
  guint32 *first; /* first input pixel of each output */
  guint32 *taps;  /* how many inputs count, at most stride */
  gint16 *weights;
} ThFilter;

typedef struct
{
  const char *name;
  /* sums[i] += row[i]; at most TH_ADD_..._ROWS times. */
  void (*add_u8) (const guint8 *row, gsize n, guint16 *sums);
  void (*add_s16) (const gint16 *row, gsize n, guint32 *sums);
  /* out[i] = row[i] << TH_SAMPLE_SHIFT. */
  void (*widen_u8) (const guint8 *row, gsize n, gint16 *out);
  /* out[i] = sum over the taps of weights[k] × rows[k][i]; n_rows is even. */
  void (*vertical) (const gint16 *const *rows, const gint16 *weights, guint32 n_rows, gsize n,
                    gint16 *out);
  /* One row of filter->n_out pixels; may read TH_ARENA_ALIGN bytes past the end of row and write
   * as many past the end of out. */
  void (*horizontal) (const gint16 *row, const ThFilter *filter, guint channels, gint16 *out);
  /* 8-bit values, clamped and rounded. */
  void (*narrow_u8) (const gint16 *row, gsize n, guint8 *out);
} ThKernels;

/* The fastest make that this processor runs. */
const ThKernels *th_kernels_best (void);
/* Plain C: the reference for the others, and what all other processors get. */
extern const ThKernels th_kernels_plain;

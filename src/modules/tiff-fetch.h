/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of any depth and number format of TIFF as 16-bit ones. Knows no colour. */
#pragma once

#include "modules/tiff-page.h"

#define TH_TIFF_DEEP_MAX 65535u

/* Where the samples of one channel lie in a row, counted in samples. */
typedef struct
{
  const guint8 *row;
  gsize first;
  gsize step;
} ThTiffChannel;

/* Takes width samples of that many bits to 16, each step apart in out. */
typedef void (*ThTiffFetch) (guint bits, guint32 width, ThTiffChannel channel, guint16 *out,
                             gsize step);

/* What fits the page's numbers; Lab's keep their sign. */
ThTiffFetch th_tiff_fetch_for (const ThTiffPage *page);
/* n bits, at most 32, from the bit-th of a row on, the first is the highest. */
guint32 th_tiff_bits (const guint8 *row, guint64 bit, guint n);
/* 0 to 1 as 16 bits; what lies outside, or is no number, to the nearer end. */
guint16 th_tiff_deep (double value);

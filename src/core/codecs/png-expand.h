/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a PNG row as stored to the samples of a raster: small depths, palettes, transparent colours
 * and byte order. Knows one row at a time. */
#pragma once

#include "core/codecs/png-head.h"
#include "core/th-sink.h"

typedef struct _ThPngExpand ThPngExpand;

struct _ThPngExpand
{
  const ThPngHead *head; /* borrowed */
  ThColorModel color;
  ThAlpha alpha;
  guint8 bits;
  guint pixel_bytes;
  /* NULL where a stored row already is what the raster wants. */
  void (*row) (const ThPngExpand *expand, const guint8 *stored, guint32 width, guint8 *out);
  guint8 table[256 * 4]; /* pixel of each index or small grey value */
};

void th_png_expand_init (ThPngExpand *expand, const ThPngHead *head);
/* width pixels of stored into out, which holds width × pixel_bytes and may not overlap. */
void th_png_expand_row (const ThPngExpand *expand, const guint8 *stored, guint32 width,
                        guint8 *out);

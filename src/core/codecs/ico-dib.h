/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A picture of an icon file that is kept like a BMP without the BMP's file header: twice the
 * height, since a mask of one bit a pixel follows the colours. Knows nothing of the table of such
 * pictures. */
#pragma once

#include "core/codecs/icon-set.h"
#include "core/th-codec.h"

typedef struct
{
  ThSize size;
  guint bits;             /* of a pixel: 1, 4, 8, 16, 24, 32 */
  guint32 colors;         /* entries of the palette that stand before the pixels */
  guint64 pixels;         /* offset in the file */
  guint64 row_bytes;      /* of the colours */
  guint64 mask;           /* offset in the file */
  guint64 mask_row_bytes; /* of it */
} ThIcoDib;

/* From the picture's first bytes. FALSE where they are none that can be read. */
gboolean th_ico_dib_read (ThIcoDib *dib, ThInput *input, guint64 offset);
/* The colours as a BMP: 32 bits with alpha. NULL where memory is short. */
ThInput *th_ico_dib_input (const ThIcoDib *dib, ThInput *input);
/* From the plan for the colours to that for colours and mask together. */
void th_ico_dib_plan (const ThIcoDib *dib, ThPlan *plan);

/* Takes the rows of the colours, and passes them on with alpha to another sink. */
typedef struct
{
  ThSink sink;
  ThSink *to;
  const ThIcoDib *dib;
  ThInput *input;
  ThRaster colors;
  gboolean by_mask; /* as opposed to by the colours' alpha */
  guint32 y;        /* of the next row, in the file's order */
  guint8 *mask;     /* one row */
  guint8 *out;      /* one row of the result */
} ThIcoMask;

/* FALSE where memory is short. Clear it whatever came out. */
gboolean th_ico_mask_init (ThIcoMask *mask, const ThIcoDib *dib, ThInput *input,
                           const ThRaster *colors, ThSink *to);
void th_ico_mask_clear (ThIcoMask *mask);

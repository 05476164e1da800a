/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands before the pixels of a PNG, as far as a thumbnail needs it, and the compressed bytes
 * of the picture as one stream. Knows nothing of filters, passes or pixels. */
#pragma once

#include "base/th-error.h"
#include "base/th-fit.h"
#include "base/th-limits.h"
#include "core/codecs/png-color.h"
#include "core/th-input.h"

typedef enum
{
  TH_PNG_GREY = 0,
  TH_PNG_RGB = 2,
  TH_PNG_PALETTE = 3,
  TH_PNG_GREY_ALPHA = 4,
  TH_PNG_RGB_ALPHA = 6,
} ThPngColor;

typedef struct
{
  ThSize size;
  ThPngColor color;
  guint8 depth; /* bits a sample: 1, 2, 4, 8, 16 */
  gboolean interlaced;
  guint n_palette;
  guint8 palette[3 * 256];
  guint n_trns; /* bytes of trns */
  guint8 trns[256];
  guint frames;      /* more than 1 in an APNG */
  guint orientation; /* EXIF */
  guint8 *icc;       /* owned, or NULL */
  gsize icc_size;
  gboolean no_memory; /* for the profile */
  ThPngColors colors;
  guint64 idat; /* where the first IDAT chunk starts */
} ThPngHead;

/* Reads up to the first IDAT; no work in proportion to the picture. The head is zeroed first, and
 * has to be cleared whatever came out. OK, CORRUPT, TOO_LARGE, NO_MEMORY, IO. */
ThStatus th_png_head_read (ThPngHead *head, ThInput *input, const ThLimits *limits, GError **error);
void th_png_head_clear (ThPngHead *head);
/* Bits of a pixel, and bytes of a row of width pixels, as stored. */
guint th_png_head_pixel_bits (const ThPngHead *head);
gsize th_png_head_row_bytes (const ThPngHead *head, guint32 width);

/* Reads the payload of the IDAT chunks, one after the other. */
typedef struct
{
  ThInput *input;
  guint64 offset; /* of the next byte to look at */
  guint32 left;   /* payload bytes left of the current chunk */
} ThPngIdat;

void th_png_idat_init (ThPngIdat *idat, ThInput *input, const ThPngHead *head);
/* Copies up to length bytes; fewer only at the end of the picture or of the file. */
gsize th_png_idat_read (ThPngIdat *idat, guint8 *buffer, gsize length);

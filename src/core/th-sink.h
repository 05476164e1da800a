/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What decoders push and where they push it: rows of a raster. */
#pragma once

#include <glib.h>

typedef enum
{
  TH_COLOR_GREY = 1, /* values: colour samples per pixel */
  TH_COLOR_RGB = 3,
  TH_COLOR_CMYK = 4, /* 0 is no ink; decoders undo Adobe's inversion themselves */
} ThColorModel;

typedef enum
{
  TH_ALPHA_NONE,
  TH_ALPHA_STRAIGHT,
  TH_ALPHA_PREMULTIPLIED,
} ThAlpha;

/* The shape of the rows. Samples are interleaved, alpha last, 16-bit ones in host order. */
typedef struct
{
  guint32 width;  /* pixels a row */
  guint32 height; /* rows */
  /* The same where shrink-on-load left a fraction: width - 1 < exact_width <= width. A 257-pixel
   * picture at 1/8 is 33 pixels wide, of which the last counts an eighth: 32.125. */
  double exact_width;
  double exact_height;
  ThColorModel color;
  ThAlpha alpha;
  guint8 bits; /* 8 or 16 a sample */
} ThRaster;

/* Samples of a pixel, alpha included. */
guint th_raster_channels (const ThRaster *raster);
/* Bytes of a row without padding; width × channels × bytes, which fits: width is limited by
 * ThLimits. */
gsize th_raster_row_bytes (const ThRaster *raster);

typedef struct _ThSink ThSink;

struct _ThSink
{
  /* Takes n rows, each stride bytes after the one before. Rows come once each, from the first to
   * the last. FALSE: push no more, decode returns TH_STATUS_STOPPED. */
  gboolean (*rows) (ThSink *sink, const void *rows, gsize stride, guint32 n);
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One directory of a TIFF file: how its samples are stored and what they mean. Reads tags, never
 * pixels. */
#pragma once

#include "base/th-fit.h"
#include "base/th-limits.h"
#include "core/th-sink.h"
#include "modules/tiff-client.h"

/* Samples of a pixel that are looked at: four inks and alpha. */
#define TH_TIFF_SAMPLES_MAX 5u

/* How rows come out of libtiff. */
typedef enum
{
  TH_TIFF_DIRECT,   /* strips without compression: read past libtiff, some rows at a time */
  TH_TIFF_BAND,     /* a row of tiles or a small strip at a time */
  TH_TIFF_SCANLINE, /* large strips, row by row */
  TH_TIFF_RGBA,     /* libtiff's own conversion, for what is not worth one of ours */
} ThTiffWay;

typedef enum
{
  TH_TIFF_UINT,
  TH_TIFF_INT,
  TH_TIFF_FLOAT,
} ThTiffNumber;

/* What is to be done to the samples of a pixel. */
typedef enum
{
  TH_TIFF_PLAIN,
  TH_TIFF_INVERT, /* 0 is white */
  TH_TIFF_PALETTE,
  TH_TIFF_CIELAB, /* signed a and b */
  TH_TIFF_ICCLAB, /* a and b with an offset */
} ThTiffMeaning;

typedef struct
{
  ThSize size;
  guint orientation;
  gboolean reduced;  /* a smaller copy of another page */
  guint64 directory; /* offset in the file */
  guint64 tag_bytes; /* of values that libtiff keeps */
  ThTiffWay way;
  ThTiffNumber number;
  ThTiffMeaning meaning;
  guint bits;        /* a sample */
  guint samples;     /* a pixel, those that are not looked at included */
  gboolean separate; /* each sample has a plane of its own */
  gboolean jpeg_rgb; /* libtiff is to give RGB of JPEG's colours */
  gboolean tiled;
  guint compression;
  guint32 block_width;  /* of a tile; the picture's in strips */
  guint32 block_height; /* of a tile or strip */
  guint64 blocks;       /* in all planes */
  guint64 packed_bytes; /* of the largest block as stored, as far as this is known */
  guint n_wanted;       /* samples that are looked at */
  guint wanted[TH_TIFF_SAMPLES_MAX];
  ThColorModel color;
  ThAlpha alpha;
  guint out_bits;
} ThTiffPage;

/* Describes the client's directory. OK; CORRUPT or TOO_LARGE for its size; NOT_MINE for
 * what neither we nor libtiff can show. */
ThStatus th_tiff_page_read (ThTiffPage *page, ThTiffClient *client, const ThLimits *limits,
                            GError **error);
/* Makes a client that has just been opened at the page's directory ready to read the page's pixels.
 */
gboolean th_tiff_page_enter (const ThTiffPage *page, ThTiffClient *client);
/* Bytes of a row of samples as libtiff gives them, of one plane where they are separate; of a tile
 * or strip that is that wide. */
guint64 th_tiff_page_row_bytes (const ThTiffPage *page, guint32 width);
/* Of libtiff's tables for one page that is open. */
guint64 th_tiff_page_directory_bytes (const ThTiffPage *page);
/* Most that reading the page's pixels allocates, libtiff's own tables included. */
guint64 th_tiff_page_bytes (const ThTiffPage *page);

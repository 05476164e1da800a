/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Huffman codes of a baseline scan by their lengths: how many bits a coefficient takes, and where
 * in the block it stands (T.81, F.2.2). Its value is not asked for. Bits come with the next one on
 * top, at least 32 of them. What libjpeg makes of codes that do not exist is made of them here. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include <jpeglib.h>

#define TH_JPEG_QUICK_BITS 8u
#define TH_JPEG_RUN_BITS   13u

typedef struct
{
  guint16 quick[1u << TH_JPEG_QUICK_BITS]; /* length << 8 | symbol; 0: a longer code */
  guint64 limit[17];                       /* codes of a length are below, on top of 32 bits */
  gint32 first[17];                        /* symbol of a code: values[code - first] */
  guint8 values[256];
} ThJpegCodes;

typedef struct
{
  ThJpegCodes codes;
  guint64 end_of_block; /* its code, on top; 0 bits where there is none */
  guint end_of_block_bits;
  /* As many whole coefficients as the next bits hold: bits of the file, places in the block, and
   * whether the block ends. */
  guint16 runs[1u << TH_JPEG_RUN_BITS];
} ThJpegRuns;

typedef struct
{
  guint bits;    /* at most 31 */
  guint advance; /* places in the block, at most 64; that there is no more counts as one */
  gboolean ends; /* the block has no more */
} ThJpegRun;

/* The table must have passed libjpeg, which it has once jpeg_start_decompress is done. */
void th_jpeg_codes_make (ThJpegCodes *codes, const JHUFF_TBL *table);
void th_jpeg_runs_make (ThJpegRuns *runs, const JHUFF_TBL *table);
/* The next symbol's code: its length and, where it does not exist, 17 and symbol 0. */
guint th_jpeg_codes_look (const ThJpegCodes *codes, guint64 bits, guint *symbol);
/* One coefficient. */
ThJpegRun th_jpeg_runs_one (const ThJpegRuns *runs, guint64 bits);

/* Bits of the first coefficient of a block. */
static inline guint
th_jpeg_codes_first (const ThJpegCodes *codes, guint64 bits)
{
  guint symbol, length = th_jpeg_codes_look (codes, bits, &symbol);

  return length + symbol;
}

/* One coefficient or several from place on, 1 to 63, and none of the next block. */
static inline ThJpegRun
th_jpeg_runs_next (const ThJpegRuns *runs, guint64 bits, guint place)
{
  guint run = runs->runs[bits >> (64 - TH_JPEG_RUN_BITS)];
  guint advance = run >> 4 & 0x7f;

  if (G_UNLIKELY (run == 0 || place + advance > DCTSIZE2))
    return th_jpeg_runs_one (runs, bits);
  return (ThJpegRun){ run & 0xf, advance, run >> 11 };
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether two makes of a thumbnail show the same, told from as few rows as suffice. Knows not where
 * they come from. */
#pragma once

#include "base/th-fit.h"

/* Side of the squares that are compared. */
#define TH_JPEG_AGREE_SIDE 8u

typedef enum
{
  TH_JPEG_AGREE_UNSURE, /* so far */
  TH_JPEG_AGREE_YES,
  TH_JPEG_AGREE_NO,
} ThJpegVerdict;

typedef struct
{
  const guint8 *expected; /* all rows of one make */
  ThSize size;
  guint channels;    /* 1 or 3 */
  guint8 *band;      /* TH_JPEG_AGREE_SIDE rows of the other one */
  guint32 rows;      /* of it that came */
  double similarity; /* sum over squares */
  guint squares;
  guint telling; /* squares that have some structure */
  ThJpegVerdict verdict;
} ThJpegAgree;

/* expected must outlive it. FALSE where memory is short. */
gboolean th_jpeg_agree_init (ThJpegAgree *agree, const guint8 *expected, ThSize size,
                             guint channels);
void th_jpeg_agree_clear (ThJpegAgree *agree);
/* The next row of the other make, from the top. */
void th_jpeg_agree_row (ThJpegAgree *agree, const guint8 *row);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The picture that libjxl fills, and its way to rows of a raster. Knows no decoder. */
#pragma once

#include <jxl/types.h>

#include "base/th-error.h"
#include "core/th-blank.h"
#include "core/th-sink.h"

typedef struct
{
  const ThRaster *raster; /* borrowed */
  JxlPixelFormat format;  /* of pixels */
  gsize size;             /* of pixels */
  guint8 *pixels;         /* as libjxl hands them out: grey is three times the same */
  gsize black_size;
  guint8 *black; /* of CMYK, whose samples are 0 where all ink is; else NULL */
  guint8 kept[8];
  guint8 kept_black[2];
} ThJxlRows;

/* Allocated memory. */
guint64 th_jxl_rows_bytes (const ThRaster *raster);
/* Looks as if nothing came. FALSE without memory. */
gboolean th_jxl_rows_init (ThJxlRows *rows, const ThRaster *raster);
/* What they show, as a frame of an animation. */
ThBlankRank th_jxl_rows_rank (const ThJxlRows *rows);
/* Keeps the first pixel; later all become as that. */
void th_jxl_rows_keep_first (ThJxlRows *rows);
void th_jxl_rows_repeat_kept (ThJxlRows *rows);
/* OK, STOPPED or NO_MEMORY. */
ThStatus th_jxl_rows_push (const ThJxlRows *rows, ThSink *sink);
void th_jxl_rows_clear (ThJxlRows *rows);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThJxlRows, th_jxl_rows_clear)

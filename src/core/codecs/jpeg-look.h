/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plain JPEG that lies somewhere in an input, read row by row as far as wanted, forgiving
 * nothing. Only what streams is read: one scan, Huffman-coded, 8 bits, grey or YCbCr. Its own
 * metadata and previews are not looked at. */
#pragma once

#include "base/th-fit.h"
#include "core/codecs/jpeg-guard.h"
#include "core/codecs/jpeg-source.h"
#include "core/th-sink.h"

typedef struct
{
  struct jpeg_decompress_struct cinfo;
  ThJpegGuard guard;
  ThJpegSource source;
  ThSize size;
  ThColorModel color; /* grey or RGB */
  guint scale;        /* eighths */
  guint8 *batch;
  gsize stride;
  guint32 got; /* rows in batch */
} ThJpegLook;

/* Reads the header of the picture of length bytes at offset; FALSE where it is not a plain one.
 * Close it in either case. The input must outlive it, and nobody else may peek into it meanwhile.
 */
gboolean th_jpeg_look_open (ThJpegLook *look, ThInput *input, guint64 offset, guint64 length);
void th_jpeg_look_close (ThJpegLook *look);
/* Before the first row. FALSE where memory is short or the picture is broken. */
gboolean th_jpeg_look_start (ThJpegLook *look, guint scale);
/* Pushes a few more rows. FALSE where anything at all was wrong with the data, or the sink took no
 * more. */
gboolean th_jpeg_look_push (ThJpegLook *look, ThSink *sink);
/* TRUE once all rows have been pushed. */
gboolean th_jpeg_look_is_done (const ThJpegLook *look);

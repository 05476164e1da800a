/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The application segments that matter to a thumbnail: EXIF in APP1, in APP2 the colour profile in
 * its pieces and the index of further pictures, and the traces of editors in APP13. Nothing is kept
 * of any other, and of these only numbers and where they lie, so that the number of segments costs
 * no memory. */
#pragma once

#include "base/th-error.h"
#include "core/codecs/jpeg-source.h"
#include "core/th-exif.h"

#define TH_JPEG_ICC_PIECES 255
#define TH_JPEG_PREVIEWS   4

typedef struct
{
  guint64 offset; /* of the piece's data in the file */
  guint32 size;   /* bytes; 0 where the piece has not come */
} ThJpegPiece;

typedef struct
{
  gboolean has_exif;   /* the first EXIF segment counts */
  gboolean exif_first; /* nothing stands before it */
  gboolean edited;     /* an editor has left a segment of its own */
  ThExif exif;
  guint n_previews;
  ThJpegPiece previews[TH_JPEG_PREVIEWS]; /* as they are said to be */
  gboolean icc_bad;                       /* pieces contradict each other: no profile */
  guint8 icc_count;                       /* pieces that there should be, 0 where none came */
  guint8 icc_seen;
  ThJpegPiece icc[TH_JPEG_ICC_PIECES];
} ThJpegMarkers;

/* Listens to cinfo's segments; its source must be a ThJpegSource. Uses client_data. */
void th_jpeg_markers_init (ThJpegMarkers *markers, struct jpeg_decompress_struct *cinfo);
/* The assembled profile, owned by the caller, or NULL: there is none, a piece is missing or double,
 * or it is larger than any real one. OK, NO_MEMORY, IO. */
ThStatus th_jpeg_markers_read_icc (const ThJpegMarkers *markers, ThInput *input, guint8 **icc,
                                   gsize *size);

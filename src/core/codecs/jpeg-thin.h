/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data of a baseline scan without the coefficients that its scale does not look at. Decodes no
 * coefficient and makes no pixel.
 *
 * At 1/8 libjpeg makes one sample of a block, its mean, and still has to decode the Huffman code of
 * each of its other coefficients to get past them: nearly all of the work. Here they are skipped
 * several codes at a time, and libjpeg is given the same scan with blocks that end after what it
 * looks at. Its output is the same to the byte, also of damaged data but for the block in which
 * they end. */
#pragma once

#include "core/codecs/jpeg-source.h"

typedef struct _ThJpegThin ThJpegThin;

/* A scan of so many bytes is worth it: making the tables costs as much as thinning saves in half of
 * them (0.3 ms). */
#define TH_JPEG_THIN_WORTH (256u * 1024u)

/* Between jpeg_start_decompress and the first row. Makes source, which is that of cinfo, hand out
 * the scan without what is not needed. NULL where that would bring nothing, where the scan is of
 * another kind or shorter than worth bytes, and without memory; all is then as it was. Freed after
 * cinfo. */
ThJpegThin *th_jpeg_thin_start (struct jpeg_decompress_struct *cinfo, ThJpegSource *source,
                                guint64 worth);
void th_jpeg_thin_free (ThJpegThin *thin);
/* What it takes. */
gsize th_jpeg_thin_bytes (void);

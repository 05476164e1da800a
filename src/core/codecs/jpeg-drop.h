/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scans of a progressive picture that its scale does not look at. Decodes nothing.
 *
 * At 1/8 a block of a component that is not subsampled becomes its mean, the first coefficient: its
 * scans of others, most of the file, change no byte of the output, and libjpeg need not see them.
 */
#pragma once

#include "core/codecs/jpeg-source.h"

/* Makes the source of cinfo leave out those scans that come next, up to the first one that counts.
 * Between scans only: before the first one, with jpeg_start_decompress done, and after each
 * JPEG_SCAN_COMPLETED. */
void th_jpeg_drop_scans (struct jpeg_decompress_struct *cinfo);

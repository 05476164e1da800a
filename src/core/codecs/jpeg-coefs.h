/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coefficients of a picture in several scans, of which only those are kept that its scale
 * reads: at 1/8 ten bytes a block in place of 128. Knows no scans and no pixels.
 *
 * libjpeg's output is the same to the byte. Its scaled transforms of 1 and 2 samples a block read 1
 * and 25 of the 64 coefficients; of the others a later scan needs to know only whether they are 0
 * (T.81, G.1.2.3), and that is kept as one bit each. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include <jpeglib.h>

typedef struct
{
  int components; /* that have asked for their array */
  void (*realize) (j_common_ptr cinfo);
} ThJpegCoefs;

/* Puts this storage in the place of libjpeg's, between jpeg_read_header and jpeg_start_decompress;
 * do_block_smoothing must be FALSE. coefs must outlive cinfo. Uses client_data. */
void th_jpeg_coefs_use (ThJpegCoefs *coefs, struct jpeg_decompress_struct *cinfo);
/* Bytes it will take at most, once jpeg_calc_output_dimensions has been called. */
guint64 th_jpeg_coefs_bytes (const struct jpeg_decompress_struct *cinfo);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of any raster to and from the shrinker's working samples, alpha premultiplied within. */
#pragma once

#include "core/th-kernels.h"
#include "core/th-sink.h"

/* One row as a decoder pushes it, to working samples. row need not be aligned. */
void th_rows_read (const ThKernels *kernels, const ThRaster *raster, const void *row, gint16 *out);
/* One row of filtered samples, which may overshoot, to 8-bit values, or 16-bit ones in host order
 * where deep, with straight alpha. row is changed. */
void th_rows_write (const ThKernels *kernels, guint channels, gboolean has_alpha, gboolean deep,
                    guint32 width, gint16 *row, void *out);
/* A row as a decoder would push it, for one that never came: transparent or mid grey. */
void th_rows_missing (const ThRaster *raster, void *row);

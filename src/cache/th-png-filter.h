/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The filters of PNG (specification, third edition, section 9) for rows that are written: each gets
 * the better one of the two that cost readers and us next to nothing. */
#pragma once

#include "base/th-image.h"

/* Bytes of all filtered rows. FALSE where that is no size. */
gboolean th_png_filtered_bytes (ThSize size, guint channels, gsize *bytes);
/* Filters all rows of an image; channels are as many as it has, or 3 of its 4. scratch is for two
 * rows of that width. */
void th_png_filter (const ThImage *image, guint channels, guint8 *scratch, guint8 *out);

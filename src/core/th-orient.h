/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turning finished pictures by EXIF orientation. */
#pragma once

#include "base/th-image.h"

/* Orientation that results from first flipping top to bottom and then applying orientation. */
guint th_orient_after_flip (guint orientation);
/* Puts row y of a stored picture to its place in seen, turned: pixels of seen->channels bytes.
 * seen->size must be th_size_oriented (stored, orientation); orientation out of 1 to 8 counts as
 * 1. */
void th_orient_row (const guint8 *row, guint32 y, ThSize stored, guint orientation,
                    const ThImage *seen);

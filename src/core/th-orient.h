/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turning finished pictures by EXIF orientation. */
#pragma once

#include "base/th-image.h"

/* Orientation that results from first flipping top to bottom and then applying orientation. */
guint th_orient_after_flip (guint orientation);
/* Copies stored into seen, turned. seen->size must be th_size_oriented (stored->size, orientation)
 * and the channels equal; orientation out of 1 to 8 counts as 1. */
void th_orient_copy (const ThImage *stored, guint orientation, const ThImage *seen);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The little that a thumbnail needs of EXIF, through libexif. */
#pragma once

#include "base/th-bytes.h"

/* Orientation 1 to 8; 1 where there is none, it is out of range or the block is broken. tiff starts
 * with the byte-order mark ("II*" or "MM"), as in PNG's eXIf; a leading "Exif\0\0" is skipped. */
guint th_exif_orientation (ThBytes tiff);

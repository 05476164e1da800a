/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The little that a thumbnail needs of EXIF: one tag of IFD0. Knows no container and no other tag.
 *
 * It is read by hand, without libexif: that parses every tag of the block, maker notes included,
 * and keeps each in memory, which is a large surface for hostile bytes and far more work than
 * finding one 12-byte entry. */
#pragma once

#include "base/th-bytes.h"

/* Orientation 1 to 8; 1 where there is none, it is out of range or the block is broken. tiff starts
 * with the byte-order mark ("II*" or "MM"), as in PNG's eXIf; a leading "Exif\0\0" is skipped. No
 * offset but that of IFD0 is followed, so that loops of IFDs cannot exist. */
guint th_exif_orientation (ThBytes tiff);

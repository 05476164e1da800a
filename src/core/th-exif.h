/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The little that a thumbnail needs of EXIF: how the picture is turned, where its own small preview
 * lies, and what tells whether both are still as the camera left them. Knows no container.
 *
 * It is read by hand, without libexif: that parses every tag of the block, maker notes included,
 * and keeps each in memory, which is a large surface for hostile bytes and far more work than
 * finding a few 12-byte entries. Four directories are visited, each once at most. */
#pragma once

#include "base/th-bytes.h"

typedef struct
{
  guint orientation; /* 1 to 8; 1 where there is none or it is out of range */
  /* Size of the picture that the block was written for; 0 where it does not say. */
  guint32 width;
  guint32 height;
  gboolean changed;   /* it says that the picture was changed after it was taken */
  gboolean adobe_rgb; /* by the interoperability index, which is all that cameras write of it */
  /* IFD1's JPEG; length 0 where there is none that lies inside. */
  gsize preview_offset; /* in the block that was given */
  gsize preview_length;
  guint preview_orientation; /* 0 where IFD1 says nothing */
} ThExif;

/* block starts with the byte-order mark ("II*" or "MM"), as in PNG's eXIf; a leading "Exif\0\0" is
 * skipped. Where the block is broken, what was found up to there counts. */
void th_exif_read (ThBytes block, ThExif *exif);
/* The orientation alone. */
guint th_exif_orientation (ThBytes block);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TIFF file as it would be if it had one directory only, and no tag whose values are large and of
 * no use here: Photoshop keeps all its layers in one, and libtiff reads them all at once. So
 * whatever is asked of libtiff, it follows no chain. Changes only what is read. */
#pragma once

#include "core/th-input.h"

typedef struct
{
  guint64 offset;
  guint8 size;
  guint8 bytes[8];
} ThTiffPatch;

typedef struct
{
  gboolean big_endian;
  gboolean big;       /* BigTIFF */
  guint64 directory;  /* that this one has */
  guint64 next;       /* the one behind it, 0 where there is none; not checked */
  guint64 tag_bytes;  /* of values that libtiff will keep, lists of strips excepted */
  gboolean has_extra; /* it says what samples beyond the colours are */
  GArray *patches;    /* of ThTiffPatch */
} ThTiffOverlay;

/* directory 0: the first. FALSE where there is no TIFF header or no such directory; to be cleared
 * all the same. */
gboolean th_tiff_overlay_init (ThTiffOverlay *overlay, ThInput *input, guint64 directory);
void th_tiff_overlay_clear (ThTiffOverlay *overlay);
/* Changes size bytes that were read from offset. */
void th_tiff_overlay_apply (const ThTiffOverlay *overlay, guint64 offset, guint8 *bytes,
                            gsize size);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* giflib over ThInput, frame by frame. Where a file ends within a frame what has come of it is
 * given. Knows no canvas. */
#pragma once

#include <gif_lib.h>

#include "base/th-error.h"
#include "base/th-fit.h"
#include "core/th-input.h"

typedef struct
{
  ThInput *input; /* borrowed */
  GifFileType *gif;
  guint64 offset; /* of the next byte that giflib gets */
  gboolean in_data;
  guint block_left; /* bytes of the data block that giflib is reading */
  /* Of the current frame. */
  int transparent; /* index, or NO_TRANSPARENT_COLOR */
  int disposal;
} ThGifFile;

/* Reads the screen descriptor. To be closed whatever came out. */
ThStatus th_gif_file_open (ThGifFile *file, ThInput *input, GError **error);
void th_gif_file_close (ThGifFile *file);
/* Goes on to the data of the next frame; all lines of the one before must have been read.
 * NO_CONTENT where there is none. */
ThStatus th_gif_file_next (ThGifFile *file, GError **error);
/* The next line of the frame, as it is stored: as many indexes as the frame is wide. FALSE: see
 * th_gif_file_fail. */
gboolean th_gif_file_line (ThGifFile *file, guint8 *indexes);
/* Which row of the frame the n-th line is. */
guint32 th_gif_file_row (const ThGifFile *file, guint32 n);
/* Why giflib did not go on. */
ThStatus th_gif_file_fail (const ThGifFile *file, GError **error);

/* The frame's colours: 256 of so many bytes, 3 or 4. Indexes beyond the palette are black; where
 * there is no palette at all, they are greys. */
void th_gif_file_palette (const ThGifFile *file, guint channels, guint8 *palette);
/* The part of the frame that lies on the canvas. */
ThSize th_gif_file_visible (const ThGifFile *file, ThSize canvas);
/* Right after th_gif_file_next: whether another frame follows, by the blocks' lengths alone. */
gboolean th_gif_file_goes_on (const ThGifFile *file);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libjpeg's source manager over ThInput: one window at a time, skipping by offset. Knows no marker
 * but the end of the picture, which it makes up where the file ends without one. */
#pragma once

#include <stdio.h>

#include <jpeglib.h>

#include "core/th-input.h"

typedef struct
{
  struct jpeg_source_mgr manager; /* first: libjpeg hands it back */
  ThInput *input;                 /* borrowed */
  guint64 next;                   /* offset of the byte after those that libjpeg sees */
  guint64 end;                    /* nothing from there on is read */
  guint64 header_end;             /* a header is not looked for from there on */
  gboolean in_header;             /* the end of the file is an error, not the end of the picture */
  gboolean ended;                 /* the file ended before the picture did */
} ThJpegSource;

/* Becomes cinfo's source, from the start of the input to its end. The input and the source must
 * outlive cinfo. */
void th_jpeg_source_init (ThJpegSource *source, ThInput *input,
                          struct jpeg_decompress_struct *cinfo);
/* Becomes the source of a picture that lies within another one. */
void th_jpeg_source_init_within (ThJpegSource *source, ThInput *input, guint64 offset,
                                 guint64 length, struct jpeg_decompress_struct *cinfo);
/* Offset of the next byte that libjpeg will read. */
guint64 th_jpeg_source_tell (const ThJpegSource *source);
/* Goes on at offset; whoever used th_input_peek on the input must call this. */
void th_jpeg_source_seek (ThJpegSource *source, guint64 offset);
/* The header has been read: from here on a missing end is tolerated. */
void th_jpeg_source_leave_header (ThJpegSource *source);

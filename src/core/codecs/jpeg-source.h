/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libjpeg's source manager over ThInput: one window at a time, skipping by offset. Knows no marker
 * but the end of the picture, which it makes up where the file ends without one. */
#pragma once

#include <stdio.h>

#include <jpeglib.h>

#include "core/th-input.h"

/* Bytes of the file that libjpeg never sees, from start up to end. */
typedef struct
{
  guint64 start;
  guint64 end;
} ThJpegHole;

#define TH_JPEG_HOLES_MAX 16u

typedef struct _ThJpegSource ThJpegSource;
/* Bytes for libjpeg in place of those of the file, valid until the next call. */
typedef ThBytes (*ThJpegFilter) (ThJpegSource *source, gpointer data);

struct _ThJpegSource
{
  struct jpeg_source_mgr manager; /* first: libjpeg hands it back */
  ThInput *input;                 /* borrowed */
  guint64 next;                   /* offset of the byte after those that libjpeg sees */
  guint64 end;                    /* nothing from there on is read */
  guint64 header_end;             /* a header is not looked for from there on */
  gboolean in_header;             /* the end of the file is an error, not the end of the picture */
  gboolean ended;                 /* the file ended before the picture did */
  ThJpegHole holes[TH_JPEG_HOLES_MAX]; /* in the order of the file */
  guint n_holes;
  ThJpegFilter filter; /* or NULL */
  gpointer filter_data;
};

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
/* Leaves out what lies between the two offsets, which follow those of earlier holes and what
 * libjpeg has read. FALSE where there are too many holes ahead; then nothing is left out. */
gboolean th_jpeg_source_leave_out (ThJpegSource *source, guint64 start, guint64 end);
/* From here on filter reads the input, and libjpeg gets what it hands out. */
void th_jpeg_source_filter (ThJpegSource *source, ThJpegFilter filter, gpointer data);
/* For the filter: after what it hands out now the file goes on as it is, from offset. */
void th_jpeg_source_unfilter (ThJpegSource *source, guint64 offset);
/* The header has been read: from here on a missing end is tolerated. */
void th_jpeg_source_leave_header (ThJpegSource *source);

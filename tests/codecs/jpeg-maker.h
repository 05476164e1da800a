/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JPEG files for tests, drawn and written by libjpeg: nothing of them is kept in the tree. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include <jpeglib.h>

typedef struct
{
  guint width;
  guint height;
  J_COLOR_SPACE stored; /* JCS_YCbCr, JCS_GRAYSCALE, JCS_RGB, JCS_CMYK or JCS_YCCK */
  guint h, v;           /* sampling of the first component; the others have 1 */
  gboolean progressive;
  gboolean arithmetic;
  gboolean separate;   /* a scan for each component */
  gboolean no_adobe;   /* leave out the Adobe marker */
  guint restart;       /* rows of MCUs between restart markers, 0: none */
  guint orientation;   /* EXIF, 0: none */
  gboolean big_endian; /* EXIF */
  gboolean flat;       /* one colour, in place of shapes and noise */
  gboolean no_jfif;    /* leave out the JFIF marker, as cameras do */
  /* What to draw in its place: x and y from 0 to 1. */
  guint8 (*paint) (double x, double y, guint channel, gconstpointer data);
  gconstpointer data;
} JpegRecipe;

/* The caller frees. */
GByteArray *jpeg_make (const JpegRecipe *recipe);
/* Puts a segment with this content behind SOI. */
void jpeg_insert_segment (GByteArray *jpeg, guint8 marker, const void *content, guint16 size);

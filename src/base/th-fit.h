/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The exact size of a thumbnail, a pure function that both sides of the wire compute for
 * themselves. */
#pragma once

#include <glib.h>

typedef struct
{
  guint32 width;  /* pixels */
  guint32 height; /* pixels */
} ThSize;

/* A strip is squeezed along its length rather than thinned until nothing can be told apart: where
 * it is shrunk its shorter side keeps this share of the box, or all of its own pixels. All of it is
 * to be seen, all flavors have about one shape, and whatever is in the box fits it as before. */
#define TH_FIT_THINNEST 32u

/* The largest size of the same shape that fits a square box: never enlarged, the other side rounded
 * half to even, or that of a strip (above); never 0, and no side is larger for a smaller box. Both
 * sides of full and box are at least 1. */
ThSize th_fit (ThSize full, guint32 box);
/* The same, but a picture without a natural size (vector formats) is enlarged to the box. */
ThSize th_fit_scalable (ThSize full, guint32 box);

/* EXIF orientation 1 to 8, anything else counts as 1: TRUE where width and height trade places. */
gboolean th_orientation_swaps (guint orientation);
/* The size seen by a person, from the stored one. */
ThSize th_size_oriented (ThSize stored, guint orientation);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From rows of a Photoshop file's planes to rows of the raster. Knows no files. */
#pragma once

#include "core/codecs/psd-head.h"
#include "core/th-color-space.h"
#include "core/th-sink.h"

/* Planes that a row is made of: colours, then alpha where there is one. */
#define TH_PSD_MOST_PLANES 5u

typedef struct
{
  const ThPsdHead *head; /* borrowed */
  ThRaster raster;
  guint planes;      /* that are needed */
  gboolean alpha;    /* the last of them */
  gboolean straight; /* so far: colours were seen that no white was blended into */
  ThMatrix matrix;   /* of Lab: from XYZ to the light of sRGB */
} ThPsdPixels;

void th_psd_pixels_init (ThPsdPixels *pixels, const ThPsdHead *head);
/* What the samples mean where no profile says it. */
ThColorSpace th_psd_pixels_space (const ThPsdPixels *pixels);
/* Puts one plane's row into out, a row of the raster, which was 0 before the first one: a fourth
 * ink may be missing. */
void th_psd_pixels_put (const ThPsdPixels *pixels, guint plane, const guint8 *row, void *out);
/* As if the alpha plane said that all is opaque. */
void th_psd_pixels_put_opaque (const ThPsdPixels *pixels, void *out);
/* Once all planes are in it. Some programs do not blend colours with white, as Photoshop does; that
 * is seen in the first pixel that shows it, and then holds for the rest. */
void th_psd_pixels_finish (ThPsdPixels *pixels, void *out);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A chart of even patches in each container that can bring a profile, what it is rendered to, and
 * what lcms makes of the same patches by itself. */
#pragma once

#include "base/th-bytes.h"
#include "base/th-image.h"
#include "color-difference.h"
#include "core/th-sink.h"

#define CHART_WIDTH   144u
#define CHART_PATCHES 216u /* 6 values of each of three channels */

typedef enum
{
  CHART_PNG,
  CHART_WEBP,
  CHART_JPEG,
} ChartContainer;

typedef struct
{
  guint channels;
  guint8 rgba[CHART_PATCHES][4];
  guint64 peak_bytes; /* of the plan */
} ChartColors;

/* Samples of patch i in model; CMYK's fourth is a mixture of the others. */
void chart_patch (ThColorModel model, guint i, guint8 samples[4]);
/* icc may be empty. CMYK is for JPEG alone, RGB and grey for all. The caller frees. */
GByteArray *chart_make (ChartContainer container, ThColorModel model, ThBytes icc);
/* Only the pixels, as PNG's samples: for files that are put together otherwise. */
GByteArray *chart_rows (ThColorModel model, guint32 *width, guint32 *height);
/* What a picture of the chart's size shows; peak_bytes is left alone. */
void chart_read (const ThImage *image, ChartColors *colors);
/* Renders at full size. */
void chart_render (const GByteArray *file, ChartColors *colors);

/* Between colors and the reference; without a profile nothing is to be converted but ink, by the
 * product of what each lets through. */
ColorDifference chart_compare (const ChartColors *colors, ThColorModel model, ThBytes icc);

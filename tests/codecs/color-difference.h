/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far sRGB pixels are from what a profile says of other samples: lcms in floating point,
 * without its shortcuts, perceptually, with black-point compensation. Knows no pictures. */
#pragma once

#include "base/th-bytes.h"
#include "core/th-sink.h"

/* CIEDE2000 */
typedef struct
{
  double worst, mean;
} ColorDifference;

typedef struct _ColorReference ColorReference;

/* icc: data NULL: samples are sRGB, 0 to 1. */
ColorReference *color_reference_new (ThColorModel model, ThBytes icc);
void color_reference_free (ColorReference *reference);
/* in: samples of 0 to 1, ink of 0 to 100. What lies outside of sRGB counts as its edge. */
double color_reference_difference (const ColorReference *reference, const double *in,
                                   const guint8 rgb[3]);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ColorReference, color_reference_free)

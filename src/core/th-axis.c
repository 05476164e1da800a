/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-axis.h"

/* Less than this of a pixel is rounding, and would only blow up the quotient. */
#define LEAST_SHARE (1.0 / 1024.0)

double
th_axis_last_share (ThAxis axis)
{
  return CLAMP (axis.exact - ((double) axis.pixels - 1.0), LEAST_SHARE, 1.0);
}

ThAxis
th_axis_boxed (ThAxis axis, guint32 factor)
{
  guint32 pixels = axis.pixels / factor + (axis.pixels % factor != 0 ? 1 : 0);

  return (ThAxis){ pixels, axis.exact / (double) factor };
}

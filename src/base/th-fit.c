/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-fit.h"

#include <math.h>

/* most: what the shorter side has at the most for being that of a strip. */
static ThSize
scale_to (ThSize full, guint32 box, guint32 most)
{
  guint32 major = MAX (full.width, full.height);
  /* Multiplied first: a quotient that lies halfway then is exactly halfway. */
  double minor = nearbyint ((double) MIN (full.width, full.height) * box / major);
  guint32 least = CLAMP (box / TH_FIT_THINNEST, 1, most);
  guint32 side = (guint32) CLAMP (minor, (double) least, (double) box);

  return full.width >= full.height ? (ThSize){ box, side } : (ThSize){ side, box };
}

ThSize
th_fit (ThSize full, guint32 box)
{
  if (MAX (full.width, full.height) <= box)
    return full;
  return scale_to (full, box, MIN (full.width, full.height));
}

ThSize
th_fit_scalable (ThSize full, guint32 box)
{
  return scale_to (full, box, box);
}

gboolean
th_orientation_swaps (guint orientation)
{
  return orientation >= 5 && orientation <= 8;
}

ThSize
th_size_oriented (ThSize stored, guint orientation)
{
  return th_orientation_swaps (orientation) ? (ThSize){ stored.height, stored.width } : stored;
}

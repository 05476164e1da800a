/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "growing-jpeg.h"

#include "../codecs/jpeg-maker.h"

GByteArray *
growing_jpeg (void)
{
  static const JpegRecipe recipe = {
    .width = 900, .height = 700, .stored = JCS_YCbCr, .h = 2, .v = 2, .progressive = TRUE
  };

  return jpeg_make (&recipe);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-space.h"

gboolean
th_jpeg_space_color (J_COLOR_SPACE stored, ThColorModel *color)
{
  switch ((int) stored)
    {
    case JCS_GRAYSCALE:
      *color = TH_COLOR_GREY;
      return TRUE;
    case JCS_YCbCr:
    case JCS_RGB:
      *color = TH_COLOR_RGB;
      return TRUE;
    case JCS_CMYK:
    case JCS_YCCK:
      *color = TH_COLOR_CMYK;
      return TRUE;
    default:
      return FALSE;
    }
}

J_COLOR_SPACE
th_jpeg_space_output (ThColorModel color)
{
  if (color == TH_COLOR_GREY)
    return JCS_GRAYSCALE;
  return color == TH_COLOR_RGB ? JCS_RGB : JCS_CMYK;
}

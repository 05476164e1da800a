/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-scale.h"

static const guint scales[] = { 1, 2, 4, 8 };

gboolean
th_jpeg_scale_is_ample (ThSize full, ThSize target, guint scale)
{
  return (guint64) full.width * scale * 2 >= (guint64) target.width * 8 * 3
         && (guint64) full.height * scale * 2 >= (guint64) target.height * 8 * 3;
}

guint
th_jpeg_scale_for (ThSize full, ThSize target)
{
  for (guint i = 0; i < G_N_ELEMENTS (scales); i++)
    if (th_jpeg_scale_is_ample (full, target, scales[i]))
      return scales[i];
  return 8;
}

ThRaster
th_jpeg_scale_raster (ThSize full, guint scale, ThColorModel color)
{
  return (ThRaster){
    .width = (guint32) (((guint64) full.width * scale + 7) / 8),
    .height = (guint32) (((guint64) full.height * scale + 7) / 8),
    .exact_width = full.width * (double) scale / 8,
    .exact_height = full.height * (double) scale / 8,
    .color = color,
    .alpha = TH_ALPHA_NONE,
    .bits = 8,
  };
}

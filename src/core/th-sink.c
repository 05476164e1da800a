/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-sink.h"

guint
th_raster_channels (const ThRaster *raster)
{
  return (guint) raster->color + (raster->alpha != TH_ALPHA_NONE ? 1 : 0);
}

gsize
th_raster_row_bytes (const ThRaster *raster)
{
  return (gsize) raster->width * th_raster_channels (raster) * (raster->bits / 8u);
}

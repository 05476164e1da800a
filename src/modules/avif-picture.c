/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/avif-picture.h"

#include <math.h>

typedef struct
{
  guint32 start;
  guint32 length;
} Span;

/* One side of the aperture, whose length and offset of the middle are fractions. */
static gboolean
crop_side (guint32 all, const guint32 length[2], const guint32 offset[2], guint step, Span *span)
{
  double clean, start;
  guint32 whole;

  if (length[1] == 0 || offset[1] == 0)
    return FALSE;
  clean = (double) length[0] / length[1];
  start = (double) (gint32) offset[0] / offset[1] + (all - clean) / 2;
  if (clean < 1 || start < 0 || start + clean > all)
    return FALSE;
  span->start = (guint32) floor (start / step + 0.5) * step;
  if (span->start >= all)
    return FALSE;
  whole = (guint32) floor (clean + 0.5);
  span->length = MIN (whole, all - span->start);
  return TRUE;
}

avifCropRect
th_avif_crop (const avifImage *image)
{
  const avifCleanApertureBox *clap = &image->clap;
  const guint32 sides[] = { clap->widthN, clap->widthD, clap->heightN, clap->heightD };
  const guint32 offsets[] = { clap->horizOffN, clap->horizOffD, clap->vertOffN, clap->vertOffD };
  const avifPixelFormat format = image->yuvFormat;
  const guint across =
      format == AVIF_PIXEL_FORMAT_YUV422 || format == AVIF_PIXEL_FORMAT_YUV420 ? 2 : 1;
  const guint down = format == AVIF_PIXEL_FORMAT_YUV420 ? 2 : 1;
  Span x, y;

  if ((image->transformFlags & AVIF_TRANSFORM_CLAP) == 0
      || !crop_side (image->width, sides, offsets, across, &x)
      || !crop_side (image->height, sides + 2, offsets + 2, down, &y))
    return (avifCropRect){ 0, 0, image->width, image->height };
  return (avifCropRect){ x.start, y.start, x.length, y.length };
}

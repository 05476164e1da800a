/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/avif-picture.h"

#include <math.h>
#include <string.h>

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

/* A row all of whose samples are as its first one is the same one sample on. */
static gboolean
is_plain (const guint8 *plane, guint32 stride, guint32 width, guint32 height, gsize sample)
{
  const gsize row = width * sample;

  if (memcmp (plane, plane + sample, row - sample) != 0)
    return FALSE;
  for (guint32 y = 1; y < height; y++)
    if (memcmp (plane, plane + (gsize) y * stride, row) != 0)
      return FALSE;
  return TRUE;
}

static gboolean
is_transparent (const avifImage *image, gsize sample)
{
  static const guint8 nothing[2];

  return image->alphaPlane != NULL && memcmp (image->alphaPlane, nothing, sample) == 0
         && is_plain (image->alphaPlane, image->alphaRowBytes, image->width, image->height, sample);
}

gboolean
th_avif_is_blank (const avifImage *image)
{
  const gsize sample = image->depth > 8 ? 2 : 1;
  avifPixelFormatInfo info;

  if (is_transparent (image, sample))
    return TRUE;
  avifGetPixelFormatInfo (image->yuvFormat, &info);
  for (guint i = 0; i < 3 && image->yuvPlanes[i] != NULL; i++)
    {
      const guint shift_x = i > 0 ? (guint) info.chromaShiftX : 0;
      const guint shift_y = i > 0 ? (guint) info.chromaShiftY : 0;

      if (!is_plain (image->yuvPlanes[i], image->yuvRowBytes[i],
                     (image->width + shift_x) >> shift_x, (image->height + shift_y) >> shift_y,
                     sample))
        return FALSE;
    }
  return image->alphaPlane == NULL
         || is_plain (image->alphaPlane, image->alphaRowBytes, image->width, image->height, sample);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libavif's own conversion of the whole picture at once as the reference. */
#include "config.h"

#include <avif/avif.h>
#include <string.h>

#include "codecs/picture.h"

/* Deep pictures by way of 16 bits: libavif 0.11 goes other ways from them to 8, and repeats chroma
 * of 12 bits in place of interpolating it. */
static gboolean
convert_deep (const avifImage *image, avifRGBImage *rgb, guint8 *rgba)
{
  const gsize n = (gsize) image->width * image->height * 4;
  g_autofree guint16 *wide = g_new (guint16, n);

  rgb->depth = 16;
  rgb->pixels = (guint8 *) wide;
  rgb->rowBytes = image->width * 8;
  if (avifImageYUVToRGB (image, rgb) != AVIF_RESULT_OK)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    rgba[i] = (guint8) ((wide[i] + 128u) / 257u);
  return TRUE;
}

/* 8-bit RGBA of the stored picture; pictures with a clean aperture are left to those that are made
 * here. */
static Picture *
convert (const avifImage *image)
{
  g_autoptr (Picture) picture = NULL;
  avifRGBImage rgb;

  if ((image->transformFlags & AVIF_TRANSFORM_CLAP) != 0)
    return NULL;
  picture = picture_new ((ThSize){ image->width, image->height });
  avifRGBImageSetDefaults (&rgb, image);
  rgb.format = AVIF_RGB_FORMAT_RGBA;
  rgb.alphaPremultiplied = image->alphaPremultiplied;
  if (image->depth > 8)
    return convert_deep (image, &rgb, picture->rgba) ? g_steal_pointer (&picture) : NULL;
  rgb.depth = 8;
  rgb.pixels = picture->rgba;
  rgb.rowBytes = image->width * 4;
  return avifImageYUVToRGB (image, &rgb) == AVIF_RESULT_OK ? g_steal_pointer (&picture) : NULL;
}

/* 2: its pixels differ; 1: it is of one colour; 0: that is black, white or none. */
static guint
worth (const Picture *picture)
{
  const guint8 *rgba = picture->rgba;
  const gsize n = (gsize) picture->size.width * picture->size.height;
  gboolean black = rgba[0] <= 8 && rgba[1] <= 8 && rgba[2] <= 8;
  gboolean white = rgba[0] >= 247 && rgba[1] >= 247 && rgba[2] >= 247;

  for (gsize i = 1; i < n; i++)
    for (guint k = 0; k < 4; k++)
      if (ABS (rgba[k] - rgba[4 * i + k]) > 8)
        return 2;
  return rgba[3] > 8 && !black && !white ? 1 : 0;
}

/* The best of the first eight, the first of equals. */
static Picture *
best_of (avifDecoder *decoder)
{
  Picture *best = NULL;

  for (guint i = 0; i < 8 && avifDecoderNextImage (decoder) == AVIF_RESULT_OK; i++)
    {
      g_autoptr (Picture) picture = convert (decoder->image);

      if (picture == NULL || (best != NULL && worth (picture) <= worth (best)))
        continue;
      g_clear_pointer (&best, picture_free);
      best = g_steal_pointer (&picture);
    }
  return best;
}

Picture *
picture_reference (const char *codec, ThBytes data)
{
  avifDecoder *decoder = avifDecoderCreate ();
  Picture *picture = NULL;

  decoder->maxThreads = 1;
  decoder->strictFlags = AVIF_STRICT_DISABLED;
  if (avifDecoderSetIOMemory (decoder, data.data, data.size) == AVIF_RESULT_OK
      && avifDecoderParse (decoder) == AVIF_RESULT_OK)
    picture = best_of (decoder);
  avifDecoderDestroy (decoder);
  return picture;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtiff's own conversion to RGBA, of the first page, as the reference. */
#include "config.h"

#include <string.h>
#include <tiffio.h>

#include "tiff-memory.h"

#include "codecs/picture.h"

static Picture *
read_rgba (TIFF *tiff)
{
  g_autoptr (Picture) picture = NULL;
  g_autofree guint32 *raster = NULL;
  TIFFRGBAImage image;
  char text[1024];
  gboolean good;

  if (!TIFFRGBAImageBegin (&image, tiff, 1, text))
    return NULL;
  /* Straight alpha is multiplied in, which cannot be undone; and extra samples are taken for it. */
  if (image.alpha == EXTRASAMPLE_UNASSALPHA)
    {
      TIFFRGBAImageEnd (&image);
      return NULL;
    }
  picture = picture_new ((ThSize){ image.width, image.height });
  raster = g_new0 (guint32, (gsize) image.width * image.height);
  image.req_orientation = image.orientation;
  good = TIFFRGBAImageGet (&image, raster, image.width, image.height) != 0;
  TIFFRGBAImageEnd (&image);
  for (gsize i = 0; i < (gsize) picture->size.width * picture->size.height; i++)
    {
      const guint32 pixel = raster[i];
      const guint8 rgba[4] = { (guint8) TIFFGetR (pixel), (guint8) TIFFGetG (pixel),
                               (guint8) TIFFGetB (pixel), (guint8) TIFFGetA (pixel) };

      memcpy (picture->rgba + 4 * i, rgba, 4);
    }
  return good ? g_steal_pointer (&picture) : NULL;
}

Picture *
picture_reference (const char *codec, ThBytes data)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  TiffMemory memory = { .bytes = bytes };
  Picture *picture = NULL;
  TIFF *tiff;

  g_byte_array_append (bytes, data.data, (guint) data.size);
  tiff = tiff_memory_open (&memory, "r");
  if (tiff != NULL)
    {
      picture = read_rgba (tiff);
      TIFFClose (tiff);
    }
  return picture;
}

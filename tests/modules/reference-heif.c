/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libheif's own 8-bit RGBA of the primary picture as the reference. */
#include "config.h"

#include <libheif/heif.h>
#include <string.h>

#include "codecs/picture.h"

static Picture *
copy_rows (const struct heif_image *image)
{
  const enum heif_channel all = heif_channel_interleaved;
  const int width = heif_image_get_width (image, all);
  const int height = heif_image_get_height (image, all);
  Picture *picture = picture_new ((ThSize){ (guint32) width, (guint32) height });
  int stride;
  const guint8 *rows = heif_image_get_plane_readonly (image, all, &stride);

  for (int y = 0; y < height; y++)
    memcpy (picture->rgba + (gsize) y * (gsize) width * 4, rows + (gsize) y * (gsize) stride,
            (gsize) width * 4);
  return picture;
}

Picture *
picture_reference (const char *codec, ThBytes data)
{
  struct heif_context *context = heif_context_alloc ();
  struct heif_image_handle *handle = NULL;
  struct heif_image *image = NULL;
  Picture *picture = NULL;

  if (heif_context_read_from_memory_without_copy (context, data.data, data.size, NULL).code
          == heif_error_Ok
      && heif_context_get_primary_image_handle (context, &handle).code == heif_error_Ok
      && heif_decode_image (handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, NULL)
                 .code
             == heif_error_Ok)
    picture = copy_rows (image);
  g_clear_pointer (&image, heif_image_release);
  g_clear_pointer (&handle, heif_image_handle_release);
  heif_context_free (context);
  return picture;
}

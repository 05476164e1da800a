/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gdk-pixbuf's way in for files, which the codec does not take. */
#include "config.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <string.h>

#include "codecs/picture.h"

Picture *
picture_reference (const char *codec, ThBytes data)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new_with_type ("xpm", NULL);
  g_autoptr (Picture) picture = NULL;
  const GdkPixbuf *pixbuf;
  gboolean good;

  g_assert_nonnull (loader);
  good = gdk_pixbuf_loader_write (loader, data.data, data.size, NULL);
  if (!gdk_pixbuf_loader_close (loader, NULL) || !good)
    return NULL;
  pixbuf = gdk_pixbuf_loader_get_pixbuf (loader);
  picture = picture_new ((ThSize){ (guint32) gdk_pixbuf_get_width (pixbuf),
                                   (guint32) gdk_pixbuf_get_height (pixbuf) });
  for (guint32 y = 0; y < picture->size.height; y++)
    for (guint32 x = 0; x < picture->size.width; x++)
      {
        const gsize channels = (gsize) gdk_pixbuf_get_n_channels (pixbuf);
        guint8 *to = picture->rgba + ((gsize) y * picture->size.width + x) * 4;

        to[3] = 255;
        memcpy (to,
                gdk_pixbuf_read_pixels (pixbuf) + y * (gsize) gdk_pixbuf_get_rowstride (pixbuf)
                    + x * channels,
                channels);
      }
  return g_steal_pointer (&picture);
}

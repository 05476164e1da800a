/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "made.h"

Made *
made_new (char *name, ThStatus expected, Picture *drawn, guint tolerance)
{
  Made *made = g_new0 (Made, 1);

  *made = (Made){ .name = name,
                  .data = g_byte_array_new (),
                  .expected = expected,
                  .drawn = drawn,
                  .tolerance = tolerance };
  return made;
}

void
made_draw (ThSize size, guint32 x, guint32 y, gboolean alpha, guint8 *rgba)
{
  const guint32 across = MAX (size.width - 1, 1);
  const guint32 down = MAX (size.height - 1, 1);
  const guint32 rim = MIN (MIN (x, across - x), MIN (y, down - y));

  rgba[0] = (guint8) (x * 255 / across);
  rgba[1] = (guint8) (y * 255 / down);
  rgba[2] = x * 2 < across ? 60 : 190;
  rgba[3] = (guint8) (alpha ? MIN (rim * 32, 255u) : 255);
}

Picture *
made_drawing (ThSize size, gboolean grey, gboolean alpha)
{
  Picture *picture = picture_new (size);

  picture->rows = size.height;
  for (guint32 y = 0; y < size.height; y++)
    for (guint32 x = 0; x < size.width; x++)
      {
        guint8 *out = picture->rgba + ((gsize) y * size.width + x) * 4;

        made_draw (size, x, y, alpha, out);
        if (grey)
          out[1] = out[2] = out[0];
      }
  return picture;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-color.h"

#include <string.h>

typedef void (*Convert) (const guint8 *in, guint8 *rgb);

struct _ThColor
{
  ThColorModel model;
  gboolean has_alpha;
};

ThColor *
th_color_new (ThColorModel color, gboolean has_alpha, const guint8 *icc, gsize icc_size)
{
  ThColor *made = g_new (ThColor, 1);

  *made = (ThColor){ .model = color, .has_alpha = has_alpha };
  return made;
}

void
th_color_free (ThColor *color)
{
  g_free (color);
}

guint
th_color_channels (const ThColor *color)
{
  return color->has_alpha ? 4 : 3;
}

/* a × b / 255, rounded. */
static inline guint8
times (guint a, guint b)
{
  return (guint8) ((a * b + 127) / 255);
}

static inline void
from_grey (const guint8 *in, guint8 *rgb)
{
  rgb[0] = rgb[1] = rgb[2] = in[0];
}

static inline void
from_cmyk (const guint8 *in, guint8 *rgb)
{
  const guint through = 255u - in[3];

  rgb[0] = times (255u - in[0], through);
  rgb[1] = times (255u - in[1], through);
  rgb[2] = times (255u - in[2], through);
}

static inline void
convert_row (const ThColor *color, Convert convert, guint n_in, const guint8 *in, guint32 width,
             guint8 *out)
{
  const guint n_out = th_color_channels (color);
  const guint step = n_in + (color->has_alpha ? 1 : 0);

  for (guint32 x = 0; x < width; x++, in += step, out += n_out)
    {
      convert (in, out);
      if (color->has_alpha)
        out[3] = in[n_in];
    }
}

void
th_color_row (const ThColor *color, const guint8 *in, guint32 width, guint8 *out)
{
  switch (color->model)
    {
    case TH_COLOR_GREY:
      convert_row (color, from_grey, 1, in, width, out);
      return;
    case TH_COLOR_CMYK:
      convert_row (color, from_cmyk, 4, in, width, out);
      return;
    case TH_COLOR_RGB:
    default:
      memcpy (out, in, (gsize) width * th_color_channels (color));
    }
}

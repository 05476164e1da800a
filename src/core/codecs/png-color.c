/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/png-color.h"

#include <math.h>

#define UNIT 100000.0
/* What is no more than this far from sRGB's 1/2.2 means sRGB: libpng's threshold. */
#define GAMMA_SAME 0.05
#define GAMMA_MIN  0.05
#define GAMMA_MAX  10.0
/* Rounded primaries of sRGB. */
#define CHROMA_SAME 0.002

void
th_png_colors_read_cicp (ThPngColors *colors, ThInput *input, guint64 offset, guint32 length)
{
  const ThBytes bytes = th_input_peek (input, offset, 4);

  /* RGB is the only matrix that a PNG may have. */
  if (colors->has_cicp || length != 4 || bytes.size < 4 || bytes.data[2] != 0 || bytes.data[3] > 1)
    return;
  colors->has_cicp =
      th_color_space_from_cicp (bytes.data[0], bytes.data[1], bytes.data[3] == 1, &colors->cicp);
}

void
th_png_colors_read_srgb (ThPngColors *colors, ThInput *input, guint64 offset, guint32 length)
{
  colors->has_srgb = colors->has_srgb || length == 1;
}

void
th_png_colors_read_gamma (ThPngColors *colors, ThInput *input, guint64 offset, guint32 length)
{
  guint32 value;

  if (colors->gamma > 0 || length != 4
      || !th_bytes_u32 (th_input_peek (input, offset, 4), 0, TRUE, &value)
      || value < GAMMA_MIN * UNIT || value > GAMMA_MAX * UNIT)
    return;
  colors->gamma = value / UNIT;
}

void
th_png_colors_read_chroma (ThPngColors *colors, ThInput *input, guint64 offset, guint32 length)
{
  const ThBytes bytes = th_input_peek (input, offset, 32);
  ThChroma *chromas[4] = { &colors->chroma.white, &colors->chroma.red, &colors->chroma.green,
                           &colors->chroma.blue };

  if (colors->has_chroma || length != 32)
    return;
  for (guint i = 0; i < 4; i++)
    {
      guint32 x, y;

      if (!th_bytes_u32 (bytes, 8 * i, TRUE, &x) || !th_bytes_u32 (bytes, 8 * i + 4, TRUE, &y))
        return;
      *chromas[i] = (ThChroma){ x / UNIT, y / UNIT };
    }
  colors->has_chroma = TRUE;
}

static gboolean
same (ThChroma a, ThChroma b)
{
  return fabs (a.x - b.x) <= CHROMA_SAME && fabs (a.y - b.y) <= CHROMA_SAME;
}

/* gAMA and cHRM; cHRM alone says nothing of the curve, and is left alone as browsers do. */
static ThColorSpace
measured_space (const ThPngColors *colors)
{
  const gboolean plain = fabs (colors->gamma * 2.2 - 1) <= GAMMA_SAME;
  ThColorSpace space = th_color_space_plain (plain ? TH_TRANSFER_SRGB : TH_TRANSFER_GAMMA,
                                             plain ? 0 : 1 / colors->gamma);
  const ThColorSpace *c = &colors->chroma;

  if (colors->has_chroma
      && !(same (c->white, space.white) && same (c->red, space.red) && same (c->green, space.green)
           && same (c->blue, space.blue)))
    {
      space.white = c->white;
      space.red = c->red;
      space.green = c->green;
      space.blue = c->blue;
      return space;
    }
  return plain ? (ThColorSpace){ 0 } : space;
}

ThColorSpace
th_png_colors_space (const ThPngColors *colors, gboolean *profile)
{
  *profile = !colors->has_cicp;
  if (colors->has_cicp)
    return colors->cicp;
  if (colors->has_srgb || colors->gamma <= 0)
    return (ThColorSpace){ 0 };
  return measured_space (colors);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-shaper.h"

#include <stdlib.h>

#define TOP (TH_SHAPER_STEPS - 1)

/* Probes along a side of the cube. */
#define PROBES 9

/* The rounded code of each step, without asking for the curve at each of them. */
static void
fill_codes (guint8 *codes)
{
  guint step = 0;

  for (guint code = 0; code < 256; code++)
    {
      const double end = th_transfer_to_linear (TH_TRANSFER_SRGB, 0, MIN ((code + 0.5) / 255, 1));

      for (; step < TH_SHAPER_STEPS && (step <= end * TOP || code == 255); step++)
        codes[step] = (guint8) code;
    }
}

void
th_shaper_init (ThShaper *shaper, ThShaperCurve curve, gpointer data, const ThMatrix *to_xyz)
{
  const ThMatrix from_xyz = th_color_space_srgb_from_xyz ();
  const ThMatrix matrix = th_matrix_multiply (&from_xyz, to_xyz);

  for (guint c = 0; c < 3; c++)
    for (guint i = 0; i < 256; i++)
      {
        const double light = curve (c, i / 255.0, data);

        shaper->linear[c][i] = (float) CLAMP (light, 0, 1);
      }
  for (guint i = 0; i < 9; i++)
    shaper->matrix[i] = (float) (matrix.m[i] * TOP);
  fill_codes (shaper->codes);
}

static double
space_curve (guint channel, double code, gpointer data)
{
  return th_color_space_to_linear (data, code);
}

gboolean
th_shaper_init_space (ThShaper *shaper, const ThColorSpace *space)
{
  ThMatrix to_xyz;

  if (!th_color_space_to_xyz (space, &to_xyz))
    return FALSE;
  th_shaper_init (shaper, space_curve, (gpointer) space, &to_xyz);
  return TRUE;
}

static inline guint8
code_of (const guint8 *codes, float light)
{
  return codes[(int) (CLAMP (light, 0.0f, (float) TOP) + 0.5f)];
}

static inline void
shape (const ThShaper *shaper, guint channels, const guint8 *in, guint32 width, guint8 *out)
{
  const float *m = shaper->matrix;

  for (guint32 x = 0; x < width; x++, in += channels, out += channels)
    {
      const float r = shaper->linear[0][in[0]];
      const float g = shaper->linear[1][in[1]];
      const float b = shaper->linear[2][in[2]];

      out[0] = code_of (shaper->codes, m[0] * r + m[1] * g + m[2] * b);
      out[1] = code_of (shaper->codes, m[3] * r + m[4] * g + m[5] * b);
      out[2] = code_of (shaper->codes, m[6] * r + m[7] * g + m[8] * b);
      if (channels == 4)
        out[3] = in[3];
    }
}

void
th_shaper_row (const ThShaper *shaper, guint channels, const guint8 *in, guint32 width, guint8 *out)
{
  if (channels == 4)
    shape (shaper, 4, in, width, out);
  else
    shape (shaper, 3, in, width, out);
}

static gboolean
keeps (const ThShaper *shaper, const guint8 in[3])
{
  guint8 out[3];

  shape (shaper, 3, in, 1, out);
  return abs (in[0] - out[0]) <= TH_SHAPER_SAME && abs (in[1] - out[1]) <= TH_SHAPER_SAME
         && abs (in[2] - out[2]) <= TH_SHAPER_SAME;
}

gboolean
th_shaper_is_identity (const ThShaper *shaper)
{
  for (guint i = 0; i < 256; i++)
    {
      const guint8 grey[3] = { (guint8) i, (guint8) i, (guint8) i };

      if (!keeps (shaper, grey))
        return FALSE;
    }
  for (guint i = 0; i < PROBES * PROBES * PROBES; i++)
    {
      const guint8 color[3] = {
        (guint8) (i % PROBES * 255 / (PROBES - 1)),
        (guint8) (i / PROBES % PROBES * 255 / (PROBES - 1)),
        (guint8) (i / PROBES / PROBES * 255 / (PROBES - 1)),
      };

      if (!keeps (shaper, color))
        return FALSE;
    }
  return TRUE;
}

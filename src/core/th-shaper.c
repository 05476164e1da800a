/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-shaper.h"

#include <stdlib.h>

/* Of light, for which a table has sRGB's code. */
#define STEPS 16384
#define TOP   (STEPS - 1)
/* Of a curve of 16 bits: values at each 1 << REST_BITS and the one at the end; between them it is
 * a line. */
#define NODES     4097u
#define REST_BITS 4

/* Probes along a side of the cube. */
#define PROBES 9

struct _ThShaper
{
  guint bits;
  guint nodes;
  float matrix[9]; /* to sRGB's light, scaled to steps */
  guint8 codes[STEPS];
  float linear[]; /* light at the nodes, channel after channel */
};

/* The rounded code of each step, without asking for the curve at each of them. */
static void
fill_codes (guint8 *codes)
{
  guint step = 0;

  for (guint code = 0; code < 256; code++)
    {
      const double end = th_transfer_to_linear (TH_TRANSFER_SRGB, 0, MIN ((code + 0.5) / 255, 1));

      for (; step < STEPS && (step <= end * TOP || code == 255); step++)
        codes[step] = (guint8) code;
    }
}

ThShaper *
th_shaper_new (guint bits)
{
  const guint nodes = bits == 8 ? 256 : NODES;
  ThShaper *shaper = g_try_malloc (sizeof *shaper + 3 * nodes * sizeof *shaper->linear);

  if (shaper == NULL)
    return NULL;
  shaper->bits = bits;
  shaper->nodes = nodes;
  return shaper;
}

void
th_shaper_fill (ThShaper *shaper, ThShaperCurve curve, gpointer data, const ThMatrix *to_xyz)
{
  const ThMatrix from_xyz = th_color_space_srgb_from_xyz ();
  const ThMatrix matrix = th_matrix_multiply (&from_xyz, to_xyz);
  const double step = shaper->bits == 8 ? 1 / 255.0 : (1 << REST_BITS) / 65535.0;

  for (guint i = 0; i < 3 * shaper->nodes; i++)
    {
      const double code = i % shaper->nodes * step;
      const double light = curve (i / shaper->nodes, MIN (code, 1), data);

      shaper->linear[i] = (float) CLAMP (light, 0, 1);
    }
  for (guint i = 0; i < 9; i++)
    shaper->matrix[i] = (float) (matrix.m[i] * TOP);
  fill_codes (shaper->codes);
}

void
th_shaper_free (ThShaper *shaper)
{
  g_free (shaper);
}

gsize
th_shaper_bytes (const ThShaper *shaper)
{
  return sizeof *shaper + 3 * shaper->nodes * sizeof *shaper->linear;
}

static double
space_curve (guint channel, double code, gpointer data)
{
  return th_color_space_to_linear (data, code);
}

gboolean
th_shaper_fill_space (ThShaper *shaper, const ThColorSpace *space)
{
  ThMatrix to_xyz;

  if (!th_color_space_to_xyz (space, &to_xyz))
    return FALSE;
  th_shaper_fill (shaper, space_curve, (gpointer) space, &to_xyz);
  return TRUE;
}

static inline guint8
code_of (const guint8 *codes, float light)
{
  return codes[(int) (CLAMP (light, 0.0f, (float) TOP) + 0.5f)];
}

static inline void
put (const ThShaper *shaper, float r, float g, float b, guint8 *out)
{
  const float *m = shaper->matrix;

  out[0] = code_of (shaper->codes, m[0] * r + m[1] * g + m[2] * b);
  out[1] = code_of (shaper->codes, m[3] * r + m[4] * g + m[5] * b);
  out[2] = code_of (shaper->codes, m[6] * r + m[7] * g + m[8] * b);
}

static inline void
shape (const ThShaper *shaper, guint channels, const guint8 *in, guint32 width, guint8 *out)
{
  const float *linear = shaper->linear;

  for (guint32 x = 0; x < width; x++, in += channels, out += channels)
    {
      put (shaper, linear[in[0]], linear[256 + in[1]], linear[2 * 256 + in[2]], out);
      if (channels == 4)
        out[3] = in[3];
    }
}

static inline float
light_of (const float *linear, guint16 code)
{
  const float *node = linear + (code >> REST_BITS);
  const float rest = (float) (code & ((1 << REST_BITS) - 1)) / (1 << REST_BITS);

  return node[0] + rest * (node[1] - node[0]);
}

static void
shape_deep (const ThShaper *shaper, guint channels, const guint16 *in, guint32 width, guint8 *out)
{
  const float *linear = shaper->linear;

  for (guint32 x = 0; x < width; x++, in += channels, out += channels)
    {
      put (shaper, light_of (linear, in[0]), light_of (linear + NODES, in[1]),
           light_of (linear + 2 * NODES, in[2]), out);
      if (channels == 4)
        out[3] = (guint8) ((in[3] * 255u + 32767u) / 65535u);
    }
}

void
th_shaper_row (const ThShaper *shaper, guint channels, const void *in, guint32 width, guint8 *out)
{
  if (shaper->bits == 16)
    shape_deep (shaper, channels, in, width, out);
  else if (channels == 4)
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

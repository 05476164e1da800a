/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A profile made of any bytes, evaluated in one of the ways that there are; the first byte says
 * which. */
#include "config.h"

#include "core/th-color.h"
#include "fuzz.h"

#define PIXELS 64u
/* Two profiles' memory bound and what stands around it. */
#define BYTES_MAX (16u * 1024u * 1024u)

/* Samples of any depth, from dark to light in an order of their own. */
static void
run_row (const ThColor *color)
{
  guint16 in[PIXELS * 5];
  guint8 out[PIXELS * 4 + 1];
  guint sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS (in); i++)
    in[i] = (guint16) (i * 2654435761u >> 16);
  out[PIXELS * th_color_channels (color)] = 0x5a;
  th_color_row (color, in, PIXELS, out);
  /* Makes the sanitizers look at every byte. */
  for (guint i = 0; i < PIXELS * th_color_channels (color); i++)
    sum += out[i] > 127 ? 3 : 1;
  g_assert_cmpuint (sum, >, 0);
  g_assert_cmphex (out[PIXELS * th_color_channels (color)], ==, 0x5a);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const ThColorModel models[] = { TH_COLOR_RGB, TH_COLOR_GREY, TH_COLOR_CMYK, TH_COLOR_RGB };
  const guint way = size > 0 ? data[0] : 0;
  const ThColorSource source = {
    .model = models[way & 3],
    .has_alpha = (way & 4) != 0,
    .deep = (way & 8) != 0,
    .pixels = (way & 16) != 0 ? 1000000 : PIXELS,
    .icc = { size > 0 ? data + 1 : NULL, size > 0 ? size - 1 : 0 },
  };
  g_autoptr (ThColorCache) cache = th_color_cache_new ();
  g_autoptr (ThColor) color = th_color_new (&source, cache);
  g_autoptr (ThColor) again = th_color_new (&source, cache);

  g_assert_cmpuint (th_color_bytes (color), <, BYTES_MAX);
  g_assert_true (th_color_is_plain (color) == th_color_is_plain (again));
  run_row (color);
  run_row (again);
  return 0;
}

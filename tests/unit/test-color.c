/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-color.h"

#include <string.h>

typedef struct
{
  ThColorModel model;
  gboolean has_alpha;
  guint8 in[5];
  guint8 out[4];
} ColorRow;

static const ColorRow rows[] = {
  { TH_COLOR_GREY, FALSE, { 77 }, { 77, 77, 77 } },
  { TH_COLOR_GREY, TRUE, { 77, 9 }, { 77, 77, 77, 9 } },
  { TH_COLOR_RGB, FALSE, { 1, 2, 3 }, { 1, 2, 3 } },
  { TH_COLOR_RGB, TRUE, { 1, 2, 3, 4 }, { 1, 2, 3, 4 } },
  /* No ink is white paper, all black is black, full cyan lets no red through. */
  { TH_COLOR_CMYK, FALSE, { 0, 0, 0, 0 }, { 255, 255, 255 } },
  { TH_COLOR_CMYK, FALSE, { 0, 0, 0, 255 }, { 0, 0, 0 } },
  { TH_COLOR_CMYK, FALSE, { 255, 255, 255, 0 }, { 0, 0, 0 } },
  { TH_COLOR_CMYK, FALSE, { 255, 0, 0, 0 }, { 0, 255, 255 } },
  { TH_COLOR_CMYK, FALSE, { 0, 0, 0, 127 }, { 128, 128, 128 } },
  { TH_COLOR_CMYK, FALSE, { 0, 51, 102, 51 }, { 204, 163, 122 } },
  { TH_COLOR_CMYK, TRUE, { 0, 255, 0, 0, 33 }, { 255, 0, 255, 33 } },
};

/* Rows of 1 to 3 pixels; nothing is written beyond them. */
static void
check (const ColorRow *row, const guint8 *icc, gsize icc_size)
{
  const ThColorSource source = {
    .model = row->model,
    .has_alpha = row->has_alpha,
    .icc = { icc, icc_size },
  };
  g_autoptr (ThColor) color = th_color_new (&source, NULL);
  const guint n_in = (guint) row->model + (row->has_alpha ? 1 : 0);
  const guint n_out = th_color_channels (color);
  guint8 in[15], out[13];

  g_assert_cmpuint (n_out, ==, row->has_alpha ? 4 : 3);
  for (guint i = 0; i < 3 * n_in; i++)
    in[i] = row->in[i % n_in];
  for (guint32 width = 1; width <= 3; width++)
    {
      memset (out, 0x5a, sizeof out);
      th_color_row (color, in, width, out);
      for (guint i = 0; i < width * n_out; i++)
        g_assert_cmpuint (out[i], ==, row->out[i % n_out]);
      g_assert_cmphex (out[width * n_out], ==, 0x5a);
    }
}

static void
test_table (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    check (&rows[i], NULL, 0);
}

static void
test_broken_profile (void)
{
  static const guint8 broken[] = "no profile at all";

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    check (&rows[i], broken, sizeof broken);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/color/table", test_table);
  g_test_add_func ("/color/broken-profile", test_broken_profile);
  return g_test_run ();
}

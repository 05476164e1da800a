/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-blank.h"

#include <string.h>

typedef struct
{
  const char *name;
  guint8 pixels[3][4]; /* RGBA */
  ThBlankRank rank;
} BlankRow;

static const BlankRow rows[] = {
  { "black", { { 0, 0, 0, 255 }, { 0, 0, 0, 255 }, { 8, 8, 8, 255 } }, TH_BLANK_NOTHING },
  { "white",
    { { 255, 255, 255, 255 }, { 247, 255, 250, 255 }, { 255, 255, 255, 255 } },
    TH_BLANK_NOTHING },
  { "red", { { 200, 0, 0, 255 }, { 205, 0, 0, 255 }, { 195, 3, 0, 255 } }, TH_BLANK_PLAIN },
  { "grey",
    { { 128, 128, 128, 255 }, { 128, 128, 128, 255 }, { 128, 128, 128, 255 } },
    TH_BLANK_PLAIN },
  { "differs", { { 200, 0, 0, 255 }, { 200, 0, 0, 255 }, { 200, 9, 0, 255 } }, TH_BLANK_PICTURE },
  { "nothing", { { 0, 0, 0, 0 }, { 255, 100, 7, 0 }, { 1, 2, 3, 0 } }, TH_BLANK_NOTHING },
  { "faint", { { 200, 9, 9, 5 }, { 200, 9, 9, 5 }, { 200, 9, 9, 5 } }, TH_BLANK_NOTHING },
  { "soft", { { 200, 9, 9, 128 }, { 200, 9, 9, 128 }, { 200, 9, 9, 130 } }, TH_BLANK_PLAIN },
  { "hole", { { 0, 0, 0, 255 }, { 0, 0, 0, 0 }, { 0, 0, 0, 255 } }, TH_BLANK_PICTURE },
};

static void
test_rank (gconstpointer data)
{
  const BlankRow *row = data;
  ThBlank blank = { 0 };

  th_blank_look (&blank, row->pixels[0], 1);
  th_blank_look (&blank, row->pixels[1], 2);
  g_assert_cmpint (th_blank_rank (&blank), ==, row->rank);
}

/* Three bytes a pixel are the same with all of the fourth. */
static void
test_rgb (gconstpointer data)
{
  const BlankRow *row = data;
  ThBlank with = { 0 }, without = { 0 };

  for (guint i = 0; i < 3; i++)
    {
      guint8 pixel[4];

      memcpy (pixel, row->pixels[i], 3);
      pixel[3] = 255;
      th_blank_look (&with, pixel, 1);
      th_blank_look_rgb (&without, pixel, 1);
    }
  g_assert_cmpint (th_blank_rank (&with), ==, th_blank_rank (&without));
  g_assert_cmpmem (with.first, sizeof with.first, without.first, sizeof without.first);
}

static void
test_nothing (void)
{
  static const guint8 black[] = { 0, 0, 0, 255 };
  ThBlank blank = { 0 };

  g_assert_cmpint (th_blank_rank (&blank), ==, TH_BLANK_NOTHING);
  th_blank_look_nothing (&blank);
  g_assert_cmpint (th_blank_rank (&blank), ==, TH_BLANK_NOTHING);
  th_blank_look (&blank, black, 1);
  g_assert_cmpint (th_blank_rank (&blank), ==, TH_BLANK_PICTURE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/blank/nothing", test_nothing);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *rank = g_strconcat ("/blank/rank/", rows[i].name, NULL);
      g_autofree char *rgb = g_strconcat ("/blank/rgb/", rows[i].name, NULL);

      g_test_add_data_func (rank, &rows[i], test_rank);
      g_test_add_data_func (rgb, &rows[i], test_rgb);
    }
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-fit.h"

typedef struct
{
  ThSize full;
  guint32 box;
  ThSize expected;
} FitRow;

static const FitRow rows[] = {
  { { 4000, 3000 }, 256, { 256, 192 } }, { { 3000, 4000 }, 256, { 192, 256 } },
  { { 40, 30 }, 256, { 40, 30 } },  /* never enlarged */
  { { 2000, 1 }, 128, { 128, 1 } }, /* no side is ever 0 */
  { { 1, 5000 }, 1024, { 1, 1024 } },    { { 256, 256 }, 256, { 256, 256 } },
  { { 257, 256 }, 256, { 256, 255 } }, /* 255.004 */
  { { 512, 5 }, 256, { 256, 2 } },     /* 2.5, half to even */
  { { 512, 7 }, 256, { 256, 4 } },     /* 3.5, half to even */
};

static void
test_fit (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      ThSize got = th_fit (rows[i].full, rows[i].box);

      g_assert_cmpuint (got.width, ==, rows[i].expected.width);
      g_assert_cmpuint (got.height, ==, rows[i].expected.height);
    }
}

static void
test_scalable (void)
{
  ThSize got = th_fit_scalable ((ThSize){ 40, 30 }, 256);

  g_assert_cmpuint (got.width, ==, 256);
  g_assert_cmpuint (got.height, ==, 192);
}

static void
test_oriented (void)
{
  for (guint orientation = 0; orientation <= 9; orientation++)
    {
      ThSize got = th_size_oriented ((ThSize){ 3, 2 }, orientation);

      g_assert_cmpuint (got.width, ==, orientation >= 5 && orientation <= 8 ? 2 : 3);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fit/raster", test_fit);
  g_test_add_func ("/fit/scalable", test_scalable);
  g_test_add_func ("/fit/oriented", test_oriented);
  return g_test_run ();
}

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
  { { 4000, 3000 }, 256, { 256, 192 } },
  { { 3000, 4000 }, 256, { 192, 256 } },
  { { 40, 30 }, 256, { 40, 30 } },  /* never enlarged */
  { { 2000, 1 }, 128, { 128, 1 } }, /* no side is ever 0, or more than there is */
  { { 1, 5000 }, 1024, { 1, 1024 } },
  { { 256, 256 }, 256, { 256, 256 } },
  { { 257, 256 }, 256, { 256, 255 } }, /* 255.004 */
  { { 512, 21 }, 256, { 256, 10 } },   /* 10.5, half to even */
  { { 512, 23 }, 256, { 256, 12 } },   /* 11.5, half to even */
  { { 512, 5 }, 256, { 256, 5 } },     /* a strip: all that it has, */
  { { 10000, 10 }, 256, { 256, 8 } },  /* or a 32nd of the box */
  { { 10, 10000 }, 1024, { 10, 1024 } },
  { { 10000, 500 }, 128, { 128, 6 } },
  { { G_MAXUINT32, G_MAXUINT32 / 40 }, 128, { 128, 4 } },
  { { 100, 3 }, 16, { 16, 1 } },
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
  got = th_fit_scalable ((ThSize){ 1, 500 }, 256);
  g_assert_cmpuint (got.width, ==, 8);
  g_assert_cmpuint (got.height, ==, 256);
}

/* What the shrinker relies on: each size lies within the picture and within that of a larger box.
 */
static void
test_nested (void)
{
  static const guint32 sides[] = { 1,   2,   3,   4,    5,    7,    8,     9,     15,    16,  17,
                                   31,  32,  33,  63,   64,   65,   127,   128,   129,   255, 257,
                                   511, 513, 800, 1023, 1025, 4000, 10000, 65535, 300000 };

  for (gsize i = 0; i < G_N_ELEMENTS (sides) * G_N_ELEMENTS (sides); i++)
    {
      const ThSize full = { sides[i % G_N_ELEMENTS (sides)], sides[i / G_N_ELEMENTS (sides)] };
      ThSize last = { 1, 1 };

      for (guint32 box = 1; box <= 1024; box++)
        {
          const ThSize got = th_fit (full, box);
          const ThSize turned = th_fit ((ThSize){ full.height, full.width }, box);

          g_assert_true (got.width == turned.height && got.height == turned.width);
          g_assert_true (got.width >= last.width && got.height >= last.height);
          g_assert_true (got.width <= full.width && got.height <= full.height);
          g_assert_true (got.width <= box && got.height <= box);
          last = got;
        }
    }
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
  g_test_add_func ("/fit/nested", test_nested);
  g_test_add_func ("/fit/oriented", test_oriented);
  return g_test_run ();
}

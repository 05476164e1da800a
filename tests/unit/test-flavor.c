/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-flavor.h"

static const struct
{
  ThFlavor flavor;
  const char *name;
  guint32 box;
} rows[] = {
  { TH_FLAVOR_NORMAL, "normal", 128 },
  { TH_FLAVOR_LARGE, "large", 256 },
  { TH_FLAVOR_X_LARGE, "x-large", 512 },
  { TH_FLAVOR_XX_LARGE, "xx-large", 1024 },
};

static void
test_table (void)
{
  g_assert_cmpuint (G_N_ELEMENTS (rows), ==, TH_N_FLAVORS);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      ThFlavor found = TH_N_FLAVORS;

      g_assert_cmpstr (th_flavor_name (rows[i].flavor), ==, rows[i].name);
      g_assert_cmpuint (th_flavor_box (rows[i].flavor), ==, rows[i].box);
      g_assert_true (th_flavor_from_name (rows[i].name, &found));
      g_assert_cmpint (found, ==, rows[i].flavor);
    }
}

static void
test_unknown (void)
{
  static const char *const names[] = { "",        "Normal", "normal ",  " normal", "norma",
                                       "normall", "xlarge", "../large", "fail" };
  ThFlavor found = TH_N_FLAVORS;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_false (th_flavor_from_name (names[i], &found));
  g_assert_cmpint (found, ==, TH_N_FLAVORS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flavor/table", test_table);
  g_test_add_func ("/flavor/unknown", test_unknown);
  return g_test_run ();
}

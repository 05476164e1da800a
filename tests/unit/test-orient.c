/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-orient.h"

#include <string.h>

/* The stored picture is "abc" over "def"; what a person is to see, row by row. */
static const char *const seen[9] = {
  [0] = "abcdef", [1] = "abcdef", [2] = "cbafed", [3] = "fedcba", [4] = "defabc",
  [5] = "adbecf", [6] = "daebfc", [7] = "fcebda", [8] = "cfbead",
};
static const ThSize stored = { 3, 2 };

/* The result with each pixel as its letter; the stride is larger than a row. */
static void
turn (guint orientation, guint channels, gboolean bottom_up, char letters[7])
{
  const ThSize size = th_size_oriented (stored, orientation);
  const gsize stride = size.width * channels + 5;
  g_autofree guint8 *data = g_malloc (stride * size.height);
  const ThImage image = { size, channels, stride, data };
  guint8 row[3 * 4];

  memset (data, '.', stride * size.height);
  for (guint32 y = 0; y < 2; y++)
    {
      for (guint i = 0; i < 3 * channels; i++)
        row[i] = (guint8) ((bottom_up ? "defabc" : "abcdef")[y * 3 + i / channels]);
      th_orient_row (row, y, stored, bottom_up ? th_orient_after_flip (orientation) : orientation,
                     &image);
    }
  for (guint32 i = 0; i < 6; i++)
    {
      const guint8 *at = data + i / size.width * stride + i % size.width * channels;

      for (guint c = 1; c < channels; c++)
        g_assert_cmpint (at[c], ==, at[0]);
      letters[i] = (char) at[0];
    }
  for (guint32 y = 0; y < size.height; y++)
    g_assert_cmpint (memcmp (data + y * stride + size.width * channels, ".....", 5), ==, 0);
}

static void
test_all (void)
{
  for (guint orientation = 0; orientation <= 9; orientation++)
    for (guint channels = 3; channels <= 4; channels++)
      {
        char letters[7] = { 0 };

        turn (orientation, channels, FALSE, letters);
        g_assert_cmpstr (letters, ==, seen[orientation % 9]);
      }
}

/* A picture pushed from its last row up looks the same in the end. */
static void
test_bottom_up (void)
{
  for (guint orientation = 0; orientation <= 8; orientation++)
    {
      char letters[7] = { 0 };

      turn (orientation, 3, TRUE, letters);
      g_assert_cmpstr (letters, ==, seen[orientation]);
    }
}

static void
test_flip_twice (void)
{
  for (guint orientation = 1; orientation <= 8; orientation++)
    {
      const guint once = th_orient_after_flip (orientation);

      g_assert_cmpuint (once, !=, orientation);
      g_assert_cmpuint (th_orient_after_flip (once), ==, orientation);
      g_assert_true (th_orientation_swaps (once) == th_orientation_swaps (orientation));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/orient/all", test_all);
  g_test_add_func ("/orient/bottom-up", test_bottom_up);
  g_test_add_func ("/orient/flip-twice", test_flip_twice);
  return g_test_run ();
}

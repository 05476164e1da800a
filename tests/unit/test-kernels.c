/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The make that this processor gets against the plain one: the same bits. */
#include "config.h"

#include "core/th-kernels.h"

#include <string.h>

#include "core/th-filter.h"
#include "core/th-lanczos.h"

#define MOST 300
/* What kernels may touch beyond the end. */
#define SLACK TH_ARENA_ALIGN
#define ROWS  14

typedef struct
{
  const ThKernels *best;
  GRand *rand;
  gint16 rows[ROWS][5 * MOST + SLACK];
  guint8 bytes[5 * MOST + SLACK];
  guint16 sums_u16[5 * MOST + SLACK];
  guint32 sums_u32[5 * MOST + SLACK];
  gint16 plain[5 * MOST + SLACK];
  gint16 made[5 * MOST + SLACK];
} Fixture;

/* Samples over the whole range that a filter can deliver, overshoot included. */
static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->best = th_kernels_best ();
  fixture->rand = g_rand_new_with_seed (7);
  for (gsize i = 0; i < 5 * MOST + SLACK; i++)
    {
      for (guint row = 0; row < ROWS; row++)
        fixture->rows[row][i] =
            (gint16) g_rand_int_range (fixture->rand, -8000, TH_SAMPLE_ONE + 8000);
      fixture->bytes[i] = (guint8) g_rand_int (fixture->rand);
      fixture->sums_u16[i] = (guint16) g_rand_int_range (fixture->rand, 0, 16 * 255 + 1);
      fixture->sums_u32[i] = (guint32) g_rand_int_range (fixture->rand, 0, 16 * TH_SAMPLE_ONE + 1);
    }
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_rand_free (fixture->rand);
}

static void
assert_same (Fixture *fixture, gsize n)
{
  g_assert_cmpint (memcmp (fixture->plain, fixture->made, n * sizeof (gint16)), ==, 0);
}

static void
test_vertical (Fixture *fixture, gconstpointer data)
{
  const gint16 *rows[ROWS];
  gint16 weights[ROWS];

  for (guint row = 0; row < ROWS; row++)
    rows[row] = fixture->rows[row];
  for (gsize n = 1; n <= MOST; n++)
    {
      const guint32 n_rows = (guint32) g_rand_int_range (fixture->rand, 1, ROWS / 2 + 1) * 2;

      for (guint row = 0; row < ROWS; row++)
        weights[row] = (gint16) g_rand_int_range (fixture->rand, -4000, 8000);
      th_kernels_plain.vertical (rows, weights, n_rows, n, fixture->plain);
      fixture->best->vertical (rows, weights, n_rows, n, fixture->made);
      assert_same (fixture, n);
    }
}

static void
check_horizontal (Fixture *fixture, guint32 width, guint32 target, guint channels)
{
  const ThAxis axis = { width, width - 0.3 };
  g_autofree guint8 *memory = NULL;
  ThArena arena = { 0 };
  ThFilter filter;

  th_filter_init (&filter, &arena, axis, target);
  memory = g_malloc ((gsize) arena.used);
  arena = (ThArena){ .base = memory };
  th_filter_init (&filter, &arena, axis, target);
  th_kernels_plain.horizontal (fixture->rows[0], &filter, channels, fixture->plain);
  fixture->best->horizontal (fixture->rows[0], &filter, channels, fixture->made);
  assert_same (fixture, (gsize) target * channels);
}

static void
test_horizontal (Fixture *fixture, gconstpointer data)
{
  for (guint channels = 1; channels <= 5; channels++)
    for (guint32 width = 1; width <= MOST; width += 13)
      for (guint32 target = 1; target <= width; target += 1 + width / 7)
        check_horizontal (fixture, width, target, channels);
}

static void
test_mean (Fixture *fixture, gconstpointer data)
{
  for (guint channels = 1; channels <= 4; channels++)
    for (guint32 factor = 1; factor <= 9; factor++)
      {
        const gsize boxes = MOST / factor;
        const float by = 1.0f / (float) (16 * factor);

        th_kernels_plain.mean_u16 (fixture->sums_u16, boxes, factor, channels, by * 64,
                                   fixture->plain);
        fixture->best->mean_u16 (fixture->sums_u16, boxes, factor, channels, by * 64,
                                 fixture->made);
        assert_same (fixture, boxes * channels);
        th_kernels_plain.mean_u32 (fixture->sums_u32, boxes, factor, channels, by, fixture->plain);
        fixture->best->mean_u32 (fixture->sums_u32, boxes, factor, channels, by, fixture->made);
        assert_same (fixture, boxes * channels);
      }
}

static void
test_premultiply (Fixture *fixture, gconstpointer data)
{
  for (gsize n = 0; n <= MOST; n++)
    {
      th_kernels_plain.premultiply_u8 (fixture->bytes, n, fixture->plain);
      fixture->best->premultiply_u8 (fixture->bytes, n, fixture->made);
      assert_same (fixture, n * 4);
    }
}

/* What a kernel writes past the end of one row of the ring is not in another. */
static void
test_room (void)
{
  for (guint32 width = 1; width <= MOST; width++)
    for (guint channels = 1; channels <= 5; channels++)
      {
        const ThAxis axis = { width, width };
        const gsize row = width * channels * sizeof (gint16);
        ThArena arena = { 0 };
        ThLanczos lanczos;

        th_lanczos_init (&lanczos, &arena, &th_kernels_plain, axis, axis, (ThSize){ 1, 1 },
                         channels);
        g_assert_cmpuint (lanczos.ring_stride * sizeof (gint16), >=, row + TH_ARENA_ALIGN);
        g_assert_cmpuint (lanczos.ring_stride * sizeof (gint16) % TH_ARENA_ALIGN, ==, 0);
      }
}

/* Never above alpha; white and opaque are exact. */
static void
test_premultiplied (void)
{
  for (guint a = 0; a < 256; a++)
    for (guint c = 0; c < 256; c++)
      {
        const gint16 value = th_premultiplied ((guint8) c, (guint8) a);

        g_assert_cmpint (value, <=, a << TH_SAMPLE_SHIFT);
        g_assert_cmpint (th_premultiplied (255, (guint8) a), ==, a << TH_SAMPLE_SHIFT);
        g_assert_cmpint (th_premultiplied ((guint8) c, 255), ==, c << TH_SAMPLE_SHIFT);
        g_assert_cmpfloat_with_epsilon (value, c * a * 64 / 255.0, 1.0);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_message ("compared with plain: %s", th_kernels_best ()->name);
  g_test_add_func ("/kernels/room", test_room);
  g_test_add_func ("/kernels/premultiplied", test_premultiplied);
  g_test_add ("/kernels/vertical", Fixture, NULL, set_up, test_vertical, tear_down);
  g_test_add ("/kernels/horizontal", Fixture, NULL, set_up, test_horizontal, tear_down);
  g_test_add ("/kernels/mean", Fixture, NULL, set_up, test_mean, tear_down);
  g_test_add ("/kernels/premultiply", Fixture, NULL, set_up, test_premultiply, tear_down);
  return g_test_run ();
}

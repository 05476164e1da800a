/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-arena.h"

/* Pieces are aligned, apart by the slack that may be touched, and all within what was measured. */
static void
test_pieces (void)
{
  static const guint64 sizes[] = { 0, 1, 63, 64, 65, 1000 };
  g_autofree guint8 *memory = NULL;
  ThArena measured = { 0 };
  ThArena arena = { 0 };
  guint8 *end = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    g_assert_null (th_arena_take (&measured, sizes[i], 3));
  memory = g_malloc ((gsize) measured.used + TH_ARENA_ALIGN);
  arena.base = memory + (TH_ARENA_ALIGN - (guintptr) memory % TH_ARENA_ALIGN);
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      guint8 *piece = th_arena_take (&arena, sizes[i], 3);

      g_assert_cmpuint ((guintptr) piece % TH_ARENA_ALIGN, ==, 0);
      g_assert_true (end == NULL || piece >= end);
      end = piece + sizes[i] * 3 + TH_ARENA_ALIGN;
    }
  g_assert_cmpuint (arena.used, ==, measured.used);
  g_assert_true (end <= arena.base + arena.used);
}

/* A sum that does not fit stays at the end, whatever is added. */
static void
test_overflow (void)
{
  static const guint64 counts[] = { G_MAXUINT64, G_MAXUINT64 / 2, G_MAXUINT64 - 100 };

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      ThArena arena = { 0 };

      th_arena_take (&arena, 1000, 1);
      th_arena_take (&arena, counts[i], i == 1 ? 3 : 1);
      g_assert_cmpuint (arena.used, ==, G_MAXUINT64);
      th_arena_take (&arena, 1, 1);
      g_assert_cmpuint (arena.used, ==, G_MAXUINT64);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arena/pieces", test_pieces);
  g_test_add_func ("/arena/overflow", test_overflow);
  return g_test_run ();
}

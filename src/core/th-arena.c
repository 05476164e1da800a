/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-arena.h"

/* The piece itself, what aligning costs and the tail that vector loads may touch. */
static gboolean
padded (guint64 count, guint64 size, guint64 *bytes)
{
  return g_uint64_checked_mul (bytes, count, size)
         && g_uint64_checked_add (bytes, *bytes, 2 * TH_ARENA_ALIGN - 1);
}

void *
th_arena_take (ThArena *arena, guint64 count, guint64 size)
{
  guint64 start = arena->used;
  guint64 bytes;

  if (!padded (count, size, &bytes) || !g_uint64_checked_add (&arena->used, start, bytes))
    {
      arena->used = G_MAXUINT64;
      return NULL;
    }
  arena->used -= arena->used % TH_ARENA_ALIGN;
  return arena->base != NULL ? arena->base + start : NULL;
}

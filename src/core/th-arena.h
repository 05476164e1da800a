/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One block of memory cut into aligned pieces. The same code runs twice: without a base it only
 * adds up, so that the size announced and the size used cannot differ. */
#pragma once

#include <glib.h>

/* Every piece starts at a multiple of this, and at least as many bytes after it may be read. */
#define TH_ARENA_ALIGN 64u

typedef struct
{
  guint8 *base; /* NULL while measuring */
  guint64 used; /* bytes; G_MAXUINT64 where the sum does not fit */
} ThArena;

/* The next piece of count × size bytes, not cleared; NULL while measuring. */
void *th_arena_take (ThArena *arena, guint64 count, guint64 size);

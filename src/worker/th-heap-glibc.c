/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "worker/th-heap.h"

#include <malloc.h>

#define LARGE_BLOCK (128 * 1024)

void
th_heap_init (void)
{
  mallopt (M_ARENA_MAX, 1);
  /* Set by hand, it does not grow with the blocks that are freed. */
  mallopt (M_MMAP_THRESHOLD, LARGE_BLOCK);
  mallopt (M_TRIM_THRESHOLD, LARGE_BLOCK);
}

void
th_heap_trim (void)
{
  malloc_trim (LARGE_BLOCK);
}

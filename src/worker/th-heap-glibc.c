/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "worker/th-heap.h"

#include <malloc.h>

/* Blocks of this size go back when they are freed. Smaller ones would be faulted in anew for each
 * picture: at 128 KiB that was a third of the CPU time of a small JPEG. */
#define LARGE_BLOCK (1024 * 1024)
#define KEPT_BYTES  (4 * 1024 * 1024)
/* Free bytes that are left alone: trimming, and faulting in what was trimmed, was 5 % of the CPU
 * time of a small JPEG. */
#define SPARED_BYTES (8 * 1024 * 1024)

void
th_heap_init (void)
{
  mallopt (M_ARENA_MAX, 1);
  /* Set by hand, neither grows with the blocks that are freed. */
  mallopt (M_MMAP_THRESHOLD, LARGE_BLOCK);
  mallopt (M_TRIM_THRESHOLD, KEPT_BYTES);
  /* Where another allocator stands before it (a sanitizer's), the C library's own sets itself up
   * at the first question: it opens a file for that, which the lock-down would punish. */
  th_heap_trim ();
}

void
th_heap_trim (void)
{
  if (mallinfo2 ().fordblks > SPARED_BYTES)
    malloc_trim (KEPT_BYTES);
}

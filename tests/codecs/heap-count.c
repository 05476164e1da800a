/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "heap-count.h"

#include <malloc.h>

/* glibc lets a program replace the allocator; these are its own entries. */
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);
extern void __libc_free (void *memory);

/* The allocator has no argument that could carry them. */
static gint64 now, peak;

static void *
taken (void *memory)
{
  now += memory != NULL ? (gint64) malloc_usable_size (memory) : 0;
  peak = MAX (peak, now);
  return memory;
}

static void
given_back (void *memory)
{
  now -= memory != NULL ? (gint64) malloc_usable_size (memory) : 0;
}

void *
malloc (size_t size)
{
  return taken (__libc_malloc (size));
}

void *
calloc (size_t n, size_t size)
{
  return taken (__libc_calloc (n, size));
}

void *
realloc (void *memory, size_t size)
{
  given_back (memory);
  return taken (__libc_realloc (memory, size));
}

void
free (void *memory)
{
  given_back (memory);
  __libc_free (memory);
}

gboolean
heap_counts (void)
{
  return TRUE;
}

gint64
heap_now (void)
{
  return now;
}

gint64
heap_peak (void)
{
  return peak;
}

void
heap_forget_peak (void)
{
  peak = now;
}

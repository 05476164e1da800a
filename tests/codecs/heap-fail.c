/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "heap-fail.h"

#include <errno.h>
#include <stdlib.h>

#define LARGE 8192u

/* glibc lets a program replace the allocator; these are its own entries. */
extern void *__libc_malloc (size_t size);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *memory, size_t size);

/* The allocator has no argument that could carry them. */
static guint left = G_MAXUINT;
static gboolean failed;

static gboolean
refuses (size_t size)
{
  if (size < LARGE || left == G_MAXUINT)
    return FALSE;
  if (left > 0)
    {
      left--;
      return FALSE;
    }
  failed = TRUE;
  errno = ENOMEM;
  return TRUE;
}

void *
malloc (size_t size)
{
  return refuses (size) ? NULL : __libc_malloc (size);
}

void *
calloc (size_t n, size_t size)
{
  return refuses (n * size) ? NULL : __libc_calloc (n, size);
}

void *
realloc (void *memory, size_t size)
{
  return refuses (size) ? NULL : __libc_realloc (memory, size);
}

gboolean
heap_can_fail (void)
{
  return TRUE;
}

void
heap_fail_after (guint count)
{
  left = count;
  failed = FALSE;
}

gboolean
heap_has_failed (void)
{
  return failed;
}

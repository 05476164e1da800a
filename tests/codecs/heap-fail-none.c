/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For programs whose allocator cannot be replaced. */
#include "config.h"

#include "heap-fail.h"

gboolean
heap_can_fail (void)
{
  return FALSE;
}

void
heap_fail_after (guint count)
{
}

gboolean
heap_has_failed (void)
{
  return FALSE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "worker/th-heap.h"

void
th_heap_init (void)
{
}

void
th_heap_trim (void)
{
}

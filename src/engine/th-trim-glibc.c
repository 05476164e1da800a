/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-trim.h"

#include <malloc.h>

void
th_trim_heap (void)
{
  malloc_trim (0);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-trim.h"

void
th_trim_heap (void)
{
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "bombs-jxl.h"

void
bombs_jxl (GPtrArray *pictures)
{
}

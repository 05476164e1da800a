/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JPEG XL files that are damaged, or made to take time or memory. */
#pragma once

#include <glib.h>

/* Adds them; the first one of those that are there must be a good picture. */
void bombs_jxl (GPtrArray *pictures);

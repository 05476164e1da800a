/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TIFF files that lie, loop or ask for too much, and those whose directories say more than one
 * page.
 */
#pragma once

#include <glib.h>

void bombs_tiff_add (GPtrArray *pictures);

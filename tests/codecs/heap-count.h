/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts what is allocated from the heap, libraries included; where a sanitizer has the allocator,
 * it counts nothing. */
#pragma once

#include <glib.h>

/* FALSE where nothing is counted. */
gboolean heap_counts (void);
/* Bytes in use. */
gint64 heap_now (void);
/* Most bytes in use since the last call of heap_forget_peak. */
gint64 heap_peak (void);
void heap_forget_peak (void);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes large allocations fail, whoever asks for them: this is linked instead of the C library's
 * allocator. */
#pragma once

#include <glib.h>

/* FALSE where it is not built in: then nothing fails. */
gboolean heap_can_fail (void);
/* Those of 8 KiB and more fail after so many of them; G_MAXUINT: none does. */
void heap_fail_after (guint count);
/* Whether one has failed since. */
gboolean heap_has_failed (void);

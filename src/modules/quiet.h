/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What codecs do before the lock-down whose library writes to standard error what it dislikes: that
 * would end a process which may not write. */
#pragma once

#include <glib.h>

/* From now on the C library's standard error leads nowhere. FALSE without memory. */
gboolean th_quiet_prepare (void);

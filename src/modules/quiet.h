/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What codecs do before the lock-down whose library writes what it dislikes to standard error, which
 * would end a process that may not write. */
#pragma once

#include <glib.h>

/* From now on the C library's standard error leads nowhere. FALSE without memory. */
gboolean th_quiet_prepare (void);

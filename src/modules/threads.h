/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What codecs with TH_NEEDS_THREADS do before the lock-down. */
#pragma once

#include <glib.h>

/* The C library sets up a signal with the first thread of a process: one is started, and has ended
 * when this returns. None may live on, for it would not be locked down. */
gboolean th_threads_prepare (void);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Giving memory back to the system. */
#pragma once

/* Returns what the heap does not use, where the C library can. */
void th_trim_heap (void);

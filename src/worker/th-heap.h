/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Manners of the C library's heap in a process that lives for many pictures. */
#pragma once

/* One arena (a second would need system calls that the lock-down forbids), large blocks straight
 * from the kernel, so that they go back when they are freed. */
void th_heap_init (void);
/* Gives back what a picture has left, but for a few megabytes that the next one will want. */
void th_heap_trim (void);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much of the machine a thread takes. */
#pragma once

/* The calling thread, and every process that it starts from now on, gets CPU and disk only where
 * nobody else wants them. There is no way back. What the kernel refuses is left as it is. */
void th_priority_become_idle (void);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many cores this process may really use: affinity and cgroup CPU quota, not what the host has.
 */
#pragma once

#include <glib.h>

/* At least 1. A quota counts rounded up to whole cores. root is "" outside tests: it is put before
 * /proc/self/cgroup and /sys/fs/cgroup, so that both cgroup versions can be tried on any machine.
 */
guint th_effective_cores (const char *root);

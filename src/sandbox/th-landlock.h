/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Landlock by its bare system calls: no file, no network, no signal to others. As much of it as the
 * running kernel knows, whatever the headers knew. */
#pragma once

#include <glib.h>

/* Takes everything away but reading below the folders of readable (NULL-terminated, may be NULL).
 * *abi: version of what is in place, 0 where the kernel has none or does not allow it. FALSE and an
 * error where it is there but could not be entered. Needs no_new_privs. */
gboolean th_landlock_enter (const char *const *readable, int *abi, GError **error);

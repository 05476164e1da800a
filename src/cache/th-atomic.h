/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that appear whole or not at all. */
#pragma once

#include <glib.h>

/* Writes a temporary file of mode 0600 in the same folder and renames it over path. On any error
 * nothing of it is left and path is as it was. The temporary's name is ".NAME.thimble-XXXXXX" cut
 * to NAME_MAX. */
gboolean th_atomic_write (const char *path, GBytes *bytes, GError **error);

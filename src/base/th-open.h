/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening a source without ever acting on a device or FIFO, and what belongs to descriptors. */
#pragma once

#include <glib.h>

/* Follows symlinks, looks first (O_PATH) and reopens for reading, close-on-exec, only what is a
 * regular file. -1 and a G_FILE_ERROR otherwise: ISDIR for a folder, INVAL for anything else that
 * is not a regular file, and for those of /proc, /sys and their like. */
int th_open_regular (const char *path, GError **error);
/* Opens /dev/null for each standard stream that this program was started without: a file or socket
 * of ours must not become it. To be called first. FALSE where that cannot be done. */
gboolean th_open_standard_streams (void);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening a source without ever acting on a device or FIFO, and what belongs to descriptors. */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* Follows symlinks, looks first (O_PATH) and reopens for reading, close-on-exec, only what is a
 * regular file. -1 and a G_FILE_ERROR otherwise: ISDIR for a folder, INVAL for anything else that
 * is not a regular file, and for those of /proc, /sys and their like. */
int th_open_regular (const char *path, GError **error);
/* The second half of it, for whoever keeps what is looked at (O_PATH) and knows its mode and
 * whether its file system talks to the kernel. path is for the message. */
int th_open_held (int look, mode_t mode, gboolean talks, const char *path, GError **error);
/* Whether the file system of look is /proc, /sys or one like them. May wait for its server. */
gboolean th_open_talks_to_kernel (int look);
/* Opens /dev/null for each standard stream that this program was started without: a file or socket
 * of ours must not become it. To be called first. FALSE where that cannot be done. */
gboolean th_open_standard_streams (void);

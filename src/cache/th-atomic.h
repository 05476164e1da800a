/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that appear whole or not at all. Nothing is forced to the disk: a rename is atomic for
 * every process, also where the writer is killed. Only a power failure can leave an empty or cut
 * file, which th-png-text calls no whole PNG, so that it is made again; an fsync a file would cost
 * more than making the thumbnail. */
#pragma once

#include <glib.h>

/* Writes a temporary file of mode 0600, whatever the umask, in the same folder and renames it over
 * path (a symlink or FIFO there is replaced, a folder is an error). On any error nothing of it is
 * left and path is as it was. TH_ERROR_SAVE_FAILED. */
gboolean th_atomic_write (const char *path, GBytes *bytes, GError **error);
/* The same for the last component of path in an open folder (O_PATH suffices): what came before it
 * appears in the error only. */
gboolean th_atomic_write_at (int folder, const char *path, GBytes *bytes, GError **error);
/* TRUE for the names that temporary files get: ".thimble-" and twelve digits or lower-case
 * letters, short and plain whatever the name of the file is. */
gboolean th_atomic_is_temporary (const char *name);

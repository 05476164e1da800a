/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folders that only their owner may read, and where nothing is written that is not the effective
 * user's own. Knows nothing of thumbnails. */
#pragma once

#include <glib.h>

/* FALSE and TH_ERROR_SAVE_FAILED where path could not be written into, or not be made with its
 * parents: see th_cache_check_writable. Nothing is created. path is absolute and canonical. */
gboolean th_folder_check (const char *path, GError **error);
/* Opens path (O_PATH), which is root or lies below it, making what is missing with mode 0700,
 * whatever the umask. -1 and TH_ERROR_SAVE_FAILED. */
int th_folder_open (const char *root, const char *path, GError **error);
/* Opens path (O_PATH), where it is a folder of the effective user; -1 where it is not. */
int th_folder_open_existing (const char *path);
void th_folder_close (int folder);
/* Removes temporaries of th-atomic that were last written more than an hour ago. */
void th_folder_remove_stale_temporaries (const char *path);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file that a file manager has asked for, whatever it is called and wherever it lies. */
#pragma once

#include <glib.h>

/* FALSE where the thumbnail would replace the picture that it is of. TH_ERROR_SAVE_FAILED. */
gboolean th_output_check (const char *path, int source_fd, GError **error);

/* Whole or not at all where the folder can be written. Where only the file can, it is rewritten in
 * place, and emptied should that fail. What exists must be a regular file. Signals wait meanwhile.
 * TH_ERROR_SAVE_FAILED. */
gboolean th_output_write (const char *path, GBytes *bytes, GError **error);

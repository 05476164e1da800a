/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The content of a file in memory that nobody can change any more. Knows no name. */
#pragma once

#include <gio/gio.h>

#include "reader/th-pulse.h"

/* Each returns a memfd sealed against writing, growing, shrinking and sealing, or -1:
 * G_IO_ERROR_MESSAGE_TOO_LARGE for more than max_bytes, whatever was said before, else what reading
 * ended in. name is for the message. */
int th_copy_descriptor (int fd, const char *name, guint64 max_bytes, ThPulse *pulse,
                        GError **error);
int th_copy_stream (GInputStream *stream, guint64 max_bytes, ThPulse *pulse, GError **error);
/* Sets G_IO_ERROR_MESSAGE_TOO_LARGE where size is more than max_bytes. */
gboolean th_copy_fits (guint64 size, guint64 max_bytes, GError **error);

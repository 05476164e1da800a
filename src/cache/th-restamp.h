/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thumbnail under another name: the same picture and description, the identity of another file.
 * Does not ask whether the picture is of that file. */
#pragma once

#include <glib.h>

#include "cache/th-stamp.h"

/* data: a whole thumbnail or failure entry, whoever wrote it. URI, MTime, Size and our stamp are
 * those of uri and stamp, the stamp's own inode included; all other text stays as it is, as far as
 * it is text and not more than 16 KiB. NULL: TH_ERROR_INVALID_FORMAT, as th_png_rewrite says, and
 * TH_ERROR_SAVE_FAILED for a URI that cannot be recorded. */
GBytes *th_restamp (const guint8 *data, gsize size, const char *uri, const ThStamp *stamp,
                    GError **error);

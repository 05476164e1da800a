/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text chunks of a cached thumbnail, read with a bounded walk over the chunks before IDAT. No
 * pixel is ever looked at. */
#pragma once

#include <glib.h>

#include "base/th-fit.h"

/* Bytes that the walk reads at the most. */
#define TH_PNG_TEXT_LIMIT (64u * 1024u)

typedef struct _ThPngText ThPngText;

/* How every thumbnail is opened: O_NOFOLLOW|O_NONBLOCK, without a new access time where that may be
 * asked for. -1 and the errors of th_png_text_read. */
int th_png_text_open (const char *path, GError **error);
/* path is opened O_NOFOLLOW|O_NONBLOCK and must be a regular file. NULL: G_FILE_ERROR_NOENT where
 * there is none, TH_ERROR_INVALID_FORMAT where it is no regular file or no whole PNG: empty, not a
 * PNG, damaged or too long before IDAT, cut off within the first IDAT, or not ending in IEND (the
 * chunks between are not visited); else a G_FILE_ERROR. */
ThPngText *th_png_text_read (const char *path, GError **error);
/* The same of what is open; not closed. */
ThPngText *th_png_text_read_fd (int fd, GError **error);
/* The same from memory: for tests and fuzzers. */
ThPngText *th_png_text_parse (const guint8 *data, gsize size, GError **error);
void th_png_text_free (ThPngText *text);
/* First value of an uncompressed tEXt keyword, or NULL. */
const char *th_png_text_get (const ThPngText *text, const char *keyword);
/* All entries in their order: the one at *at, which is 0 for the first and is moved to the next;
 * FALSE behind the last. */
gboolean th_png_text_next (const ThPngText *text, gsize *at, const char **keyword,
                           const char **value);
/* From IHDR. */
ThSize th_png_text_size (const ThPngText *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThPngText, th_png_text_free)

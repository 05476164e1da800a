/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Another text for a PNG that anybody may have written, its pixels byte for byte as they were and
 * never decoded. What is not plainly a picture of a thumbnail's size is refused, so that nothing
 * crafted is spread. */
#pragma once

#include <glib.h>

#include "cache/th-png-write.h"

/* Larger files are no thumbnails: 1024 × 1024 pixels of 16-bit RGBA that do not compress are 8 MiB.
 */
#define TH_PNG_REWRITE_LIMIT (16u * 1024u * 1024u)

/* The whole file, opened as th-png-text.h says. NULL: its errors, and TH_ERROR_INVALID_FORMAT for
 * what is no regular file or beyond the limit. */
GBytes *th_png_load (const char *path, GError **error);

/* Signature, IHDR, the entries as tEXt, and of the other chunks those that make up the picture:
 * sBIT, gAMA, cHRM, sRGB, PLTE, tRNS, IDAT, IEND. All else is left out. NULL and
 * TH_ERROR_INVALID_FORMAT: chunks that are cut, out of order, twice or of a wrong length; a CRC
 * that is wrong, also of what is left out; critical chunks that are unknown; an embedded ICC
 * profile, without which the colours would be others; sides beyond those of the largest flavor;
 * bytes behind IEND. The deflated data are not looked into. */
GBytes *th_png_rewrite (const guint8 *data, gsize size, const ThPngTextEntry *entries,
                        guint n_entries, GError **error);

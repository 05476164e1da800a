/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PNG files for tests, chunk by chunk; zlib does the deflating, libpng is not asked. */
#pragma once

#include <glib.h>

/* Signature and header; the caller frees. */
GByteArray *png_begin (guint32 width, guint32 height, guint8 color, guint8 depth);
void png_add (GByteArray *png, const char *type, const void *payload, gsize size);
void png_add_profile (GByteArray *png, const void *icc, gsize size);
/* rows: height times stride bytes as the format packs them, without filters. Ends the file. */
void png_finish (GByteArray *png, const guint8 *rows, gsize stride, guint32 height);

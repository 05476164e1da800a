/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds a few files within a ZIP file, by name, in memory of one window. Knows not what they are,
 * and unpacks nothing. */
#pragma once

#include "core/th-input.h"

typedef struct
{
  guint64 offset; /* of the data */
  guint64 packed; /* bytes there */
  guint64 size;   /* bytes they make, as is said; 0: there is none that can be read */
  gboolean deflated;
} ThZipEntry;

/* The content of a first file "mimetype" that is stored as it is, valid until the next call of
 * anything with input; size 0 where there is none. At most 255 bytes. */
ThBytes th_zip_mime_type (ThInput *input);
/* Fills n entries by names. FALSE where there is no directory. What is encrypted, packed in another
 * way than by Deflate, or does not lie in the file, is not there. */
gboolean th_zip_find (ThInput *input, const char *const *names, ThZipEntry *entries, guint n);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtiff on a growing array, to write pictures for tests and to read them back. */
#pragma once

#include <glib.h>
#include <tiffio.h>

typedef struct
{
  GByteArray *bytes; /* borrowed */
  guint64 position;
} TiffMemory;

TIFF *tiff_memory_open (TiffMemory *memory, const char *mode);

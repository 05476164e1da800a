/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where ISA-L is not to be had. */
#include "config.h"

#include "cache/th-deflate.h"

#include <libdeflate.h>

/* Twice as fast as the next, and small enough. */
#define LEVEL 1

guint8 *
th_deflate (const guint8 *raw, gsize raw_size, gsize *size)
{
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor (LEVEL);
  gsize bound = compressor != NULL ? libdeflate_zlib_compress_bound (compressor, raw_size) : 0;
  guint8 *out = bound > 0 ? g_try_malloc (bound) : NULL;

  *size = out != NULL ? libdeflate_zlib_compress (compressor, raw, raw_size, out, bound) : 0;
  if (compressor != NULL)
    libdeflate_free_compressor (compressor);
  if (*size == 0)
    g_clear_pointer (&out, g_free);
  return out;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deflating a buffer in one go, as fast as keeps thumbnails small. Knows no PNG. Which library does
 * it is the build's choice; see docs/benchmarks.md, "PNG encoding". */
#pragma once

#include <glib.h>

/* Of the zlib stream that is made of raw, *size bytes. Caller frees; NULL where memory is short. */
guint8 *th_deflate (const guint8 *raw, gsize raw_size, gsize *size);

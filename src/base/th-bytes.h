/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers out of a buffer that came from a file: every read is checked against the end. */
#pragma once

#include <glib.h>

typedef struct
{
  const guint8 *data;
  gsize size;
} ThBytes;

/* All return FALSE, and leave *value alone, where the number does not lie wholly inside. */
gboolean th_bytes_u8 (ThBytes bytes, gsize offset, guint8 *value);
gboolean th_bytes_u16 (ThBytes bytes, gsize offset, gboolean big_endian, guint16 *value);
gboolean th_bytes_u32 (ThBytes bytes, gsize offset, gboolean big_endian, guint32 *value);
/* A view of length bytes from offset; FALSE where they are not all inside. */
gboolean th_bytes_slice (ThBytes bytes, gsize offset, gsize length, ThBytes *slice);
gboolean th_bytes_starts_with (ThBytes bytes, const void *prefix, gsize length);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-bytes.h"

#include <string.h>

static gboolean
inside (ThBytes bytes, gsize offset, gsize length)
{
  return offset <= bytes.size && length <= bytes.size - offset;
}

gboolean
th_bytes_u8 (ThBytes bytes, gsize offset, guint8 *value)
{
  if (!inside (bytes, offset, 1))
    return FALSE;
  *value = bytes.data[offset];
  return TRUE;
}

gboolean
th_bytes_u16 (ThBytes bytes, gsize offset, gboolean big_endian, guint16 *value)
{
  guint16 raw;

  if (!inside (bytes, offset, sizeof raw))
    return FALSE;
  memcpy (&raw, bytes.data + offset, sizeof raw);
  *value = (guint16) (big_endian ? GUINT16_FROM_BE (raw) : GUINT16_FROM_LE (raw));
  return TRUE;
}

gboolean
th_bytes_u32 (ThBytes bytes, gsize offset, gboolean big_endian, guint32 *value)
{
  guint32 raw;

  if (!inside (bytes, offset, sizeof raw))
    return FALSE;
  memcpy (&raw, bytes.data + offset, sizeof raw);
  *value = big_endian ? GUINT32_FROM_BE (raw) : GUINT32_FROM_LE (raw);
  return TRUE;
}

gboolean
th_bytes_slice (ThBytes bytes, gsize offset, gsize length, ThBytes *slice)
{
  if (!inside (bytes, offset, length))
    return FALSE;
  /* No arithmetic on the NULL that may stand for no bytes. */
  *slice = (ThBytes){ length > 0 ? bytes.data + offset : bytes.data, length };
  return TRUE;
}

gboolean
th_bytes_starts_with (ThBytes bytes, const void *prefix, gsize length)
{
  return length == 0 || (bytes.size >= length && memcmp (bytes.data, prefix, length) == 0);
}

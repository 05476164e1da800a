/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "png-maker.h"

#include <string.h>
#include <zlib.h>

static void
append_u32 (GByteArray *out, guint32 value)
{
  value = GUINT32_TO_BE (value);
  g_byte_array_append (out, (const guint8 *) &value, sizeof value);
}

void
png_add (GByteArray *png, const char *type, const void *payload, gsize size)
{
  const guint start = png->len + 4;

  append_u32 (png, (guint32) size);
  g_byte_array_append (png, (const guint8 *) type, 4);
  if (size > 0)
    g_byte_array_append (png, payload, (guint) size);
  append_u32 (png, (guint32) crc32 (0, png->data + start, png->len - start));
}

GByteArray *
png_begin (guint32 width, guint32 height, guint8 color, guint8 depth)
{
  static const guint8 signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  GByteArray *png = g_byte_array_new ();
  guint8 header[13] = { 0 };

  width = GUINT32_TO_BE (width);
  height = GUINT32_TO_BE (height);
  memcpy (header, &width, 4);
  memcpy (header + 4, &height, 4);
  header[8] = depth;
  header[9] = color;
  g_byte_array_append (png, signature, sizeof signature);
  png_add (png, "IHDR", header, sizeof header);
  return png;
}

static GByteArray *
deflated (const void *data, gsize size)
{
  uLongf length = compressBound (size);
  GByteArray *out = g_byte_array_new ();

  g_byte_array_set_size (out, (guint) length);
  g_assert_cmpint (compress (out->data, &length, data, size), ==, Z_OK);
  g_byte_array_set_size (out, (guint) length);
  return out;
}

void
png_add_profile (GByteArray *png, const void *icc, gsize size)
{
  g_autoptr (GByteArray) zip = deflated (icc, size);

  g_byte_array_prepend (zip, (const guint8 *) "a\0\0", 3);
  png_add (png, "iCCP", zip->data, zip->len);
}

void
png_finish (GByteArray *png, const guint8 *rows, gsize stride, guint32 height)
{
  g_autoptr (GByteArray) plain = g_byte_array_new ();
  g_autoptr (GByteArray) zip = NULL;

  for (guint32 y = 0; y < height; y++)
    {
      g_byte_array_append (plain, (const guint8 *) "", 1);
      g_byte_array_append (plain, rows + y * stride, (guint) stride);
    }
  zip = deflated (plain->data, plain->len);
  png_add (png, "IDAT", zip->data, zip->len);
  png_add (png, "IEND", NULL, 0);
}

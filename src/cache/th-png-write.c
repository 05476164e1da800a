/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-png-write.h"

#include <libdeflate.h>
#include <string.h>

#include "cache/th-deflate.h"
#include "cache/th-png-filter.h"

#define SIGNATURE   "\x89PNG\r\n\x1a\n"
#define COLOR_RGB   2
#define COLOR_RGBA  6
#define MAX_KEYWORD 79
#define MAX_VALUE   (64u * 1024u)
#define MAX_CHUNK   ((gsize) G_MAXINT32)

struct _ThPngBody
{
  ThSize size;
  guint channels;
  GByteArray *idat; /* the whole chunk */
};

static void
append_u32 (GByteArray *out, guint32 value)
{
  guint32 big_endian = GUINT32_TO_BE (value);

  g_byte_array_append (out, (const guint8 *) &big_endian, sizeof big_endian);
}

/* The CRC of what was appended since start: type and data of a chunk. */
static void
append_crc (GByteArray *out, guint start)
{
  append_u32 (out, libdeflate_crc32 (0, out->data + start, out->len - start));
}

static gboolean
is_opaque (const ThImage *image)
{
  for (guint32 y = 0; y < image->size.height; y++)
    {
      const guint8 *row = image->data + y * image->stride;
      guint8 all = 0xff;

      for (gsize x = 0; x < image->size.width; x++)
        all &= row[x * 4 + 3];
      if (all != 0xff)
        return FALSE;
    }
  return TRUE;
}

/* The whole IDAT chunk; NULL where memory is short. */
static GByteArray *
make_chunk (const guint8 *raw, gsize raw_size)
{
  gsize size;
  g_autofree guint8 *packed = th_deflate (raw, raw_size, &size);
  GByteArray *chunk;

  if (packed == NULL || size > MAX_CHUNK)
    return NULL;
  chunk = g_byte_array_sized_new ((guint) size + 12);
  append_u32 (chunk, (guint32) size);
  g_byte_array_append (chunk, (const guint8 *) "IDAT", 4);
  g_byte_array_append (chunk, packed, (guint) size);
  append_crc (chunk, 4);
  return chunk;
}

ThPngBody *
th_png_encode (const ThImage *image)
{
  guint channels = image->channels == 4 && is_opaque (image) ? 3 : image->channels;
  g_autofree guint8 *scratch = NULL;
  g_autofree guint8 *raw = NULL;
  GByteArray *idat;
  ThPngBody *body;
  gsize size;

  g_return_val_if_fail (image->channels == 3 || image->channels == 4, NULL);
  if (!th_png_filtered_bytes (image->size, channels, &size) || size > MAX_CHUNK)
    return NULL;
  raw = g_try_malloc (size);
  scratch = g_try_malloc_n (image->size.width, 2 * channels);
  if (raw == NULL || scratch == NULL)
    return NULL;
  th_png_filter (image, channels, scratch, raw);
  idat = make_chunk (raw, size);
  if (!idat)
    return NULL;
  body = g_new (ThPngBody, 1);
  *body = (ThPngBody){ image->size, channels, idat };
  return body;
}

void
th_png_body_free (ThPngBody *body)
{
  if (!body)
    return;
  g_byte_array_unref (body->idat);
  g_free (body);
}

static gboolean
keyword_allowed (const char *keyword)
{
  gsize length = strlen (keyword);

  if (length < 1 || length > MAX_KEYWORD || keyword[0] == ' ' || keyword[length - 1] == ' ')
    return FALSE;
  for (gsize i = 0; i < length; i++)
    {
      if (!g_ascii_isprint (keyword[i]) || (keyword[i] == ' ' && keyword[i + 1] == ' '))
        return FALSE;
    }
  return TRUE;
}

static gboolean
value_allowed (const char *value)
{
  gsize length = 0;

  if (!value)
    return FALSE;
  for (; value[length] != '\0'; length++)
    {
      if (length == MAX_VALUE || g_ascii_iscntrl (value[length]))
        return FALSE;
    }
  return TRUE;
}

static void
append_text (GByteArray *out, const ThPngTextEntry *entry)
{
  guint keyword, value, start;

  if (!keyword_allowed (entry->keyword) || !value_allowed (entry->value))
    return;
  keyword = (guint) strlen (entry->keyword);
  value = (guint) strlen (entry->value);
  append_u32 (out, keyword + 1 + value);
  start = out->len;
  g_byte_array_append (out, (const guint8 *) "tEXt", 4);
  g_byte_array_append (out, (const guint8 *) entry->keyword, keyword + 1);
  g_byte_array_append (out, (const guint8 *) entry->value, value);
  append_crc (out, start);
}

void
th_png_append_text (GByteArray *out, const ThPngTextEntry *entries, guint n_entries)
{
  for (guint i = 0; i < n_entries; i++)
    append_text (out, &entries[i]);
}

static void
append_header (GByteArray *out, const ThPngBody *body)
{
  const guint8 rest[] = {
    8, /* bits a sample */
    body->channels == 4 ? COLOR_RGBA : COLOR_RGB,
    0, /* deflate */
    0, /* the five filters */
    0, /* not interlaced */
  };
  guint start;

  append_u32 (out, 13);
  start = out->len;
  g_byte_array_append (out, (const guint8 *) "IHDR", 4);
  append_u32 (out, body->size.width);
  append_u32 (out, body->size.height);
  g_byte_array_append (out, rest, sizeof rest);
  append_crc (out, start);
}

GBytes *
th_png_assemble (const ThPngBody *body, const ThPngTextEntry *entries, guint n_entries)
{
  GByteArray *out = g_byte_array_sized_new (body->idat->len + 1024);
  guint start;

  g_byte_array_append (out, (const guint8 *) SIGNATURE, 8);
  append_header (out, body);
  th_png_append_text (out, entries, n_entries);
  g_byte_array_append (out, body->idat->data, body->idat->len);
  append_u32 (out, 0);
  start = out->len;
  g_byte_array_append (out, (const guint8 *) "IEND", 4);
  append_crc (out, start);
  return g_byte_array_free_to_bytes (out);
}

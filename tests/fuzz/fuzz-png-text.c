/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reader of cached thumbnails on any bytes, as they are and with every CRC put right, what it
 * reads as stamps, and the same file under another name. */
#include "config.h"

#include <libdeflate.h>
#include <string.h>

#include "base/th-bytes.h"
#include "cache/th-cache.h"
#include "cache/th-restamp.h"
#include "fuzz.h"

static void
check_stamp (const char *text)
{
  ThStamp stamp;
  g_autofree char *again = NULL;

  if (!th_stamp_from_text (text, &stamp))
    return;
  again = th_stamp_to_text (&stamp);
  g_assert_cmpstr (again, ==, text);
}

static void
check (const guint8 *data, gsize size)
{
  static const char *const keywords[] = { "Thumb::URI", "Thumb::MTime", TH_STAMP_KEY };
  g_autoptr (GError) error = NULL;
  g_autoptr (ThPngText) text = th_png_text_parse (data, size, &error);

  g_assert_true ((text == NULL) == (error != NULL));
  if (!text)
    return;
  g_assert_cmpuint (th_png_text_size (text).width, >=, 1);
  g_assert_cmpuint (th_png_text_size (text).height, >=, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (keywords); i++)
    {
      const char *value = th_png_text_get (text, keywords[i]);

      if (!value)
        continue;
      g_assert_cmpuint (strlen (value), <, size);
      check_stamp (value);
    }
}

/* What is let through is a valid thumbnail of the other file. */
static void
check_restamp (const guint8 *data, gsize size)
{
  const ThStamp stamp = { .mtime = -5, .mtime_ns = 6, .size = 7, .inode = 8 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = th_restamp (data, size, "file:///x", &stamp, &error);
  g_autoptr (ThPngText) text = NULL;

  g_assert_true ((bytes == NULL) == (error != NULL));
  if (!bytes)
    return;
  data = g_bytes_get_data (bytes, &size);
  text = th_png_text_parse (data, size, NULL);
  g_assert_nonnull (text);
  g_assert_cmpint (th_cache_judge (text, "file:///x", &stamp), ==, TH_CACHE_VALID);
}

static void
mend (guint8 *data, gsize size)
{
  ThBytes all = { data, size };
  gsize offset = 8;
  guint32 length;

  while (th_bytes_u32 (all, offset, TRUE, &length) && size - offset >= 12
         && length <= size - offset - 12)
    {
      guint32 crc = GUINT32_TO_BE (libdeflate_crc32 (0, data + offset + 4, length + 4));

      memcpy (data + offset + 8 + length, &crc, sizeof crc);
      offset += 12 + length;
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree guint8 *mended = g_memdup2 (data, size);
  g_autofree char *text = g_strndup (size > 0 ? (const char *) data : "", size);

  check (data, size);
  check_stamp (text);
  mend (mended, size);
  check (mended, size);
  check_restamp (data, size);
  check_restamp (mended, size);
  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <libdeflate.h>
#include <string.h>
#include <unistd.h>

#include "base/th-error.h"
#include "cache/th-cache.h"
#include "cache/th-png-rewrite.h"
#include "cache/th-restamp.h"

#define SIGNATURE "\x89PNG\r\n\x1a\n"

static void
append_u32 (GByteArray *out, guint32 value)
{
  guint32 big_endian = GUINT32_TO_BE (value);

  g_byte_array_append (out, (const guint8 *) &big_endian, 4);
}

static void
append_chunk (GByteArray *out, const char *type, const void *data, guint size)
{
  guint start;

  append_u32 (out, size);
  start = out->len;
  g_byte_array_append (out, (const guint8 *) type, 4);
  g_byte_array_append (out, data, size);
  append_u32 (out, libdeflate_crc32 (0, out->data + start, out->len - start));
}

/* Width, height, depth, colour, interlacing. */
static void
append_header (GByteArray *out, const guint32 *header)
{
  guint8 data[13] = { 0 };

  for (guint i = 0; i < 2; i++)
    {
      guint32 side = GUINT32_TO_BE (header[i]);

      memcpy (data + 4 * i, &side, 4);
    }
  data[8] = (guint8) header[2];
  data[9] = (guint8) header[3];
  data[12] = (guint8) header[4];
  append_chunk (out, "IHDR", data, 13);
}

static const guint32 rgb[] = { 10, 10, 8, 2, 0 };

/* Words are types, with a number of bytes behind: "gAMA4". IHDR is as header says. */
static GByteArray *
make_file (const char *words, const guint32 *header)
{
  static const guint8 data[2000] = { 1, 2, 3 };
  GByteArray *out = g_byte_array_new ();
  g_auto (GStrv) list = g_strsplit (words, " ", -1);

  g_byte_array_append (out, (const guint8 *) SIGNATURE, 8);
  for (guint i = 0; list[i] != NULL; i++)
    {
      guint size = (guint) g_ascii_strtoull (list[i] + 4, NULL, 10);

      if (g_str_equal (list[i], "IHDR"))
        append_header (out, header);
      else
        append_chunk (out, list[i], data, size);
    }
  return out;
}

static char *
types_of (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  GString *types = g_string_new (NULL);

  for (gsize at = 8; at < size;)
    {
      guint32 length;

      memcpy (&length, data + at, 4);
      g_string_append_len (types, (const char *) data + at + 4, 4);
      g_string_append_c (types, ' ');
      at += 12 + GUINT32_FROM_BE (length);
    }
  return g_string_free (types, FALSE);
}

static GBytes *
rewrite (const GByteArray *file)
{
  const ThPngTextEntry entries[] = { { "Thumb::URI", "file:///x" }, { "Thumb::MTime", "7" } };
  g_autoptr (GError) error = NULL;
  GBytes *bytes = th_png_rewrite (file->data, file->len, entries, G_N_ELEMENTS (entries), &error);

  if (bytes == NULL)
    g_assert_error (error, TH_ERROR, TH_ERROR_INVALID_FORMAT);
  else
    g_assert_no_error (error);
  return bytes;
}

static const struct
{
  const char *words;
  const char *types; /* NULL: refused */
} orders[] = {
  { "IHDR IDAT9 IEND", "IHDR tEXt tEXt IDAT IEND " },
  { "IHDR IDAT9 IDAT0 IDAT3 IEND", "IHDR tEXt tEXt IDAT IDAT IDAT IEND " },
  { "IHDR tEXt9 sBIT3 tIME7 gAMA4 cHRM32 sRGB1 PLTE6 tRNS6 bKGD2 IDAT9 tEXt8 zTXt6 IEND",
    "IHDR tEXt tEXt sBIT gAMA cHRM sRGB PLTE tRNS IDAT IEND " },
  { "IHDR acTL8 IDAT9 fcTL9 fdAT9 IEND", "IHDR tEXt tEXt IDAT IEND " },
  { "", NULL },
  { "IDAT9 IEND", NULL },
  { "tEXt9 IHDR IDAT9 IEND", NULL },
  { "IHDR IEND", NULL },
  { "IHDR IDAT9", NULL },
  { "IHDR IHDR IDAT9 IEND", NULL },
  { "IHDR IDAT9 IEND IEND", NULL },
  { "IHDR IDAT9 IEND1", NULL },
  { "IHDR IDAT9 tEXt9 IDAT9 IEND", NULL },
  { "IHDR PLTE6 PLTE6 IDAT9 IEND", NULL },
  { "IHDR PLTE5 IDAT9 IEND", NULL },
  { "IHDR PLTE771 IDAT9 IEND", NULL },
  { "IHDR IDAT9 PLTE6 IEND", NULL },
  { "IHDR tRNS7 IDAT9 IEND", NULL },
  { "IHDR PLTE6 gAMA4 IDAT9 IEND", NULL },
  { "IHDR gAMA5 IDAT9 IEND", NULL },
  { "IHDR sRGB1 sRGB1 IDAT9 IEND", NULL },
  { "IHDR iCCP99 IDAT9 IEND", NULL },
  { "IHDR CgBI4 IDAT9 IEND", NULL },
  { "IHDR te+t4 IDAT9 IEND", NULL },
};

static void
test_orders (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      g_autoptr (GByteArray) file = make_file (orders[i].words, rgb);
      g_autoptr (GBytes) bytes = rewrite (file);
      g_autofree char *types = bytes != NULL ? types_of (bytes) : NULL;

      g_test_message ("%s", orders[i].words);
      g_assert_cmpstr (types, ==, orders[i].types);
    }
}

static const struct
{
  guint32 header[5];
  const char *words;
  gboolean good;
} headers[] = {
  { { 1, 1, 8, 6, 0 }, "IHDR IDAT9 IEND", TRUE },
  { { 1024, 1024, 16, 6, 1 }, "IHDR IDAT9 IEND", TRUE },
  { { 9, 9, 1, 0, 0 }, "IHDR tRNS2 IDAT9 IEND", TRUE },
  { { 9, 9, 4, 3, 0 }, "IHDR PLTE48 tRNS5 IDAT9 IEND", TRUE },
  { { 9, 9, 8, 4, 0 }, "IHDR IDAT9 IEND", TRUE },
  { { 0, 1, 8, 6, 0 }, "IHDR IDAT9 IEND", FALSE },
  { { 1, 0, 8, 6, 0 }, "IHDR IDAT9 IEND", FALSE },
  { { 1025, 1, 8, 6, 0 }, "IHDR IDAT9 IEND", FALSE },
  { { 1, 0x80000001, 8, 6, 0 }, "IHDR IDAT9 IEND", FALSE },
  { { 9, 9, 4, 6, 0 }, "IHDR IDAT9 IEND", FALSE },
  { { 9, 9, 16, 3, 0 }, "IHDR PLTE6 IDAT9 IEND", FALSE },
  { { 9, 9, 255, 0, 0 }, "IHDR IDAT9 IEND", FALSE },
  { { 9, 9, 8, 1, 0 }, "IHDR IDAT9 IEND", FALSE },
  { { 9, 9, 8, 2, 2 }, "IHDR IDAT9 IEND", FALSE },
  { { 9, 9, 8, 3, 0 }, "IHDR IDAT9 IEND", FALSE },
  { { 9, 9, 8, 3, 0 }, "IHDR tRNS2 PLTE6 IDAT9 IEND", FALSE },
  { { 9, 9, 8, 0, 0 }, "IHDR PLTE6 IDAT9 IEND", FALSE },
  { { 9, 9, 8, 6, 0 }, "IHDR tRNS6 IDAT9 IEND", FALSE },
};

static void
test_headers (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (headers); i++)
    {
      g_autoptr (GByteArray) file = make_file (headers[i].words, headers[i].header);
      g_autoptr (GBytes) bytes = rewrite (file);

      g_test_message ("%" G_GSIZE_FORMAT ": %s", i, headers[i].words);
      g_assert_cmpint (bytes != NULL, ==, headers[i].good);
    }
}

/* A file that is cut anywhere, or in which any one bit is wrong, also one of what is left out. */
static void
test_damaged (void)
{
  g_autoptr (GByteArray) file = make_file ("IHDR tEXt20 gAMA4 IDAT60 tIME7 IEND", rgb);
  guint size = file->len;

  for (guint i = 0; i < size; i++)
    {
      g_autoptr (GBytes) cut = NULL;
      g_autoptr (GBytes) flipped = NULL;

      file->data[i] ^= (guint8) (1u << (i % 8));
      flipped = rewrite (file);
      g_assert_null (flipped);
      file->data[i] ^= (guint8) (1u << (i % 8));
      file->len = i;
      cut = rewrite (file);
      g_assert_null (cut);
      file->len = size;
    }
}

static void
test_lengths (void)
{
  static const guint32 lengths[] = { 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff4, 10 };

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      g_autoptr (GByteArray) file = make_file ("IHDR IDAT9 IEND", rgb);
      guint32 length = GUINT32_TO_BE (lengths[i]);
      g_autoptr (GBytes) bytes = NULL;

      memcpy (file->data + 8 + 25, &length, 4);
      bytes = rewrite (file);
      g_assert_null (bytes);
    }
}

/* Text that is none is left out, and so is what is too much of it. */
static void
test_restamp (void)
{
  const ThStamp stamp = { .mtime = 5, .mtime_ns = 6, .size = 7, .inode = 8 };
  g_autofree char *much = g_strnfill (10 * 1024, 'm');
  const ThPngTextEntry entries[] = {
    { "Thumb::MTime", "1" },
    { "Thumb::Size", "1" },
    { "Thumb::URI", "file:///old" },
    { "A", much },
    { "B", much },
    { "Thumb::Mimetype", "image/png" },
    { "Software", "KDE" },
    { TH_STAMP_KEY, "v1 old" },
    { "Thumb::URI", "file:///twice" },
  };
  const guint8 black[3] = { 0 };
  g_autoptr (ThPngBody) body = th_png_encode (&(ThImage){ { 1, 1 }, 3, 3, (guint8 *) black });
  g_autoptr (GBytes) old = th_png_assemble (body, entries, G_N_ELEMENTS (entries));
  g_autoptr (GBytes) new = NULL;
  g_autoptr (ThPngText) text = NULL;
  g_autoptr (GError) error = NULL;
  const char *keyword, *value;
  gsize size, at = 0;
  const guint8 *data = g_bytes_get_data (old, &size);
  GString *all = g_string_new (NULL);

  new = th_restamp (data, size, "file:///new", &stamp, &error);
  g_assert_no_error (error);
  data = g_bytes_get_data (new, &size);
  text = th_png_text_parse (data, size, &error);
  g_assert_no_error (error);
  while (th_png_text_next (text, &at, &keyword, &value))
    g_string_append_printf (all, "%s=%.20s ", keyword, value);
  g_assert_cmpstr (all->str, ==,
                   "Thumb::URI=file:///new Thumb::MTime=5 Thumb::Size=7 A=mmmmmmmmmmmmmmmmmmmm "
                   "Thumb::Mimetype=image/png Software=KDE X-Thimble::Stamp=v1 5.000000006 7 8 ");
  g_assert_cmpint (th_cache_judge (text, "file:///new", &stamp), ==, TH_CACHE_VALID);
  g_string_free (all, TRUE);
  g_assert_null (th_restamp (data, size, "file:///a\nb", &stamp, &error));
  g_assert_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED);
}

/* Only regular files of a bounded size are read at all. */
static void
test_load (void)
{
  g_autofree char *folder = g_dir_make_tmp ("thimble-load-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.png", NULL);
  g_autofree char *link = g_build_filename (folder, "link", NULL);
  g_autoptr (GBytes) bytes = NULL;

  g_assert_null (th_png_load (path, NULL));
  g_assert_null (th_png_load (folder, NULL));
  g_assert_true (g_file_set_contents (path, "12345678", -1, NULL));
  bytes = th_png_load (path, NULL);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 8);
  g_assert_cmpint (symlink (path, link), ==, 0);
  g_assert_null (th_png_load (link, NULL));
  g_assert_cmpint (truncate (path, TH_PNG_REWRITE_LIMIT + 1), ==, 0);
  g_assert_null (th_png_load (path, NULL));
  g_assert_cmpint (truncate (path, 7), ==, 0);
  g_assert_null (th_png_load (path, NULL));
  g_unlink (link);
  g_unlink (path);
  g_assert_no_errno (g_rmdir (folder));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/png-rewrite/orders", test_orders);
  g_test_add_func ("/png-rewrite/headers", test_headers);
  g_test_add_func ("/png-rewrite/damaged", test_damaged);
  g_test_add_func ("/png-rewrite/lengths", test_lengths);
  g_test_add_func ("/png-rewrite/restamp", test_restamp);
  g_test_add_func ("/png-rewrite/load", test_load);
  return g_test_run ();
}

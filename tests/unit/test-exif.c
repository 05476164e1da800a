/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-exif.h"

#include <string.h>

/* A block built from the parts that matter. */
typedef struct
{
  const char *name;
  gboolean big_endian;
  gboolean prefix; /* "Exif\0\0" before it */
  guint32 ifd;     /* offset of IFD0, at least 8 */
  guint16 entries; /* that IFD0 claims */
  guint16 type;    /* of the orientation, which is entry 1 */
  guint32 count;
  guint32 value;
  guint expected;
} BlockRow;

#define SHORT 3
#define LONG  4

static const BlockRow rows[] = {
  { "little-endian", FALSE, FALSE, 8, 2, SHORT, 1, 6, 6 },
  { "big-endian", TRUE, FALSE, 8, 2, SHORT, 1, 8, 8 },
  { "little-endian, prefix", FALSE, TRUE, 8, 2, SHORT, 1, 3, 3 },
  { "big-endian, prefix", TRUE, TRUE, 8, 2, SHORT, 1, 5, 5 },
  { "IFD0 further back", TRUE, TRUE, 40, 2, SHORT, 1, 7, 7 },
  { "IFD0 at an odd offset", FALSE, FALSE, 11, 2, SHORT, 1, 2, 2 },
  { "LONG, little-endian", FALSE, FALSE, 8, 2, LONG, 1, 6, 6 },
  { "LONG, big-endian", TRUE, FALSE, 8, 2, LONG, 1, 6, 6 },
  { "0 is none", FALSE, FALSE, 8, 2, SHORT, 1, 0, 1 },
  { "1", FALSE, FALSE, 8, 2, SHORT, 1, 1, 1 },
  { "9 is out of range", FALSE, FALSE, 8, 2, SHORT, 1, 9, 1 },
  { "65535 is out of range", TRUE, FALSE, 8, 2, SHORT, 1, 65535, 1 },
  { "LONG out of range", FALSE, FALSE, 8, 2, LONG, 1, 0x10006, 1 },
  { "text is no orientation", FALSE, FALSE, 8, 2, 2, 1, 6, 1 },
  { "two values", FALSE, FALSE, 8, 2, SHORT, 2, 6, 1 },
  { "no value", FALSE, FALSE, 8, 2, SHORT, 0, 6, 1 },
  { "more entries than bytes", FALSE, FALSE, 8, 65535, SHORT, 1, 6, 6 },
  { "the entry lies behind the last", FALSE, FALSE, 8, 1, SHORT, 1, 6, 1 },
  { "no entries", TRUE, FALSE, 8, 0, SHORT, 1, 6, 1 },
};

static void
put16 (GByteArray *block, gboolean big_endian, guint16 value)
{
  guint16 raw = (guint16) (big_endian ? GUINT16_TO_BE (value) : GUINT16_TO_LE (value));

  g_byte_array_append (block, (const guint8 *) &raw, sizeof raw);
}

static void
put32 (GByteArray *block, gboolean big_endian, guint32 value)
{
  guint32 raw = big_endian ? GUINT32_TO_BE (value) : GUINT32_TO_LE (value);

  g_byte_array_append (block, (const guint8 *) &raw, sizeof raw);
}

static void
put_entry (GByteArray *block, const BlockRow *row, guint16 tag, guint16 type)
{
  put16 (block, row->big_endian, tag);
  put16 (block, row->big_endian, type);
  put32 (block, row->big_endian, row->count);
  if (type == LONG)
    {
      put32 (block, row->big_endian, row->value);
      return;
    }
  put16 (block, row->big_endian, (guint16) row->value);
  put16 (block, row->big_endian, 0);
}

static GByteArray *
build (const BlockRow *row)
{
  GByteArray *block = g_byte_array_new ();
  gsize start = row->prefix ? 6 : 0;

  if (row->prefix)
    g_byte_array_append (block, (const guint8 *) "Exif\0\0", 6);
  g_byte_array_append (block, (const guint8 *) (row->big_endian ? "MM\0*" : "II*\0"), 4);
  put32 (block, row->big_endian, row->ifd);
  while (block->len < start + row->ifd)
    g_byte_array_append (block, (const guint8 *) "x", 1);
  put16 (block, row->big_endian, row->entries);
  put_entry (block, row, 0x010f, 2);
  put_entry (block, row, 0x0112, row->type);
  return block;
}

/* In a block of its own of just that size, so that the sanitizers see one byte too far. */
static guint
orientation_of (const guint8 *data, gsize size)
{
  g_autofree guint8 *copy = g_memdup2 (data, size);

  return th_exif_orientation ((ThBytes){ copy, size });
}

static void
test_table (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) block = build (&rows[i]);

      g_test_message ("%s", rows[i].name);
      g_assert_cmpuint (orientation_of (block->data, block->len), ==, rows[i].expected);
    }
}

/* Every prefix gives none until the value is there, then the value. */
static void
test_truncated (void)
{
  for (gsize i = 0; i < 5; i++)
    {
      g_autoptr (GByteArray) block = build (&rows[i]);

      for (gsize end = 0; end <= block->len; end++)
        g_assert_cmpuint (orientation_of (block->data, end), ==,
                          end + 2 >= block->len ? rows[i].expected : 1);
    }
}

static void
test_bad_offsets (void)
{
  static const guint32 offsets[] = { 0, 1, 4, 7, 1000, 0x7fffffff, 0xfffffffe, 0xffffffff };

  for (gsize i = 0; i < G_N_ELEMENTS (offsets); i++)
    {
      g_autoptr (GByteArray) block = build (&rows[0]);
      guint32 raw = GUINT32_TO_LE (offsets[i]);

      memcpy (block->data + 4, &raw, sizeof raw);
      g_assert_cmpuint (orientation_of (block->data, block->len), ==, 1);
    }
}

/* IFD0 that names itself as the next one, in a block that has no orientation. */
static void
test_loop (void)
{
  static const guint8 loop[] = {
    'I',  'I', '*', 0, 8,    0, 0, 0, 1, 0,       /* one entry */
    0x0f, 1,   2,   0, 1,    0, 0, 0, 8, 0, 0, 0, /* it */
    8,    0,   0,   0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0
  }; /* next: IFD0 */

  g_assert_cmpuint (orientation_of (loop, sizeof loop), ==, 1);
}

typedef struct
{
  guint16 tag;
  guint16 type;
  guint32 count;
  guint32 value; /* a SHORT's has to be alone */
} EntryRow;

static void
put_directory (GByteArray *block, gboolean big, const EntryRow *entries, guint n, guint32 next)
{
  put16 (block, big, (guint16) n);
  for (guint i = 0; i < n; i++)
    {
      put16 (block, big, entries[i].tag);
      put16 (block, big, entries[i].type);
      put32 (block, big, entries[i].count);
      if (entries[i].type == SHORT && entries[i].count == 1)
        {
          put16 (block, big, (guint16) entries[i].value);
          put16 (block, big, 0);
        }
      else
        put32 (block, big, entries[i].value);
    }
  put32 (block, big, next);
}

#define IFD_BYTES(n) (2u + 12u * (n) + 4u)
#define IFD0         8u
#define IFD1         (IFD0 + IFD_BYTES (3))
#define EXIF_IFD     (IFD1 + IFD_BYTES (3))
#define INTEROP_IFD  (EXIF_IFD + IFD_BYTES (4))
#define DATES        (INTEROP_IFD + IFD_BYTES (1))
#define PREVIEW      (DATES + 40u)

/* All that is read, in a block as a camera writes it; change_dates: IFD0's date is another. */
static GByteArray *
build_full (gboolean big, gboolean change_dates)
{
  const EntryRow ifd0[] = { { 0x0112, SHORT, 1, 6 },
                            { 0x0132, 2, 20, DATES },
                            { 0x8769, LONG, 1, EXIF_IFD } };
  const EntryRow ifd1[] = { { 0x0112, SHORT, 1, 8 },
                            { 0x0201, LONG, 1, PREVIEW },
                            { 0x0202, LONG, 1, 7 } };
  const EntryRow exif[] = { { 0x9003, 2, 20, DATES + 20 },
                            { 0xa002, SHORT, 1, 4000 },
                            { 0xa003, LONG, 1, 3000 },
                            { 0xa005, LONG, 1, INTEROP_IFD } };
  const EntryRow interop[] = { { 0x0001, 2, 4, big ? 0x52303300 : 0x00333052 } };
  GByteArray *block = g_byte_array_new ();

  g_byte_array_append (block, (const guint8 *) (big ? "Exif\0\0MM\0*" : "Exif\0\0II*\0"), 10);
  put32 (block, big, IFD0);
  put_directory (block, big, ifd0, 3, IFD1);
  put_directory (block, big, ifd1, 3, IFD0);
  put_directory (block, big, exif, 4, IFD0);
  put_directory (block, big, interop, 1, INTEROP_IFD);
  g_byte_array_append (block, (const guint8 *) "2024:05:06 07:08:09", 20);
  g_byte_array_append (
      block, (const guint8 *) (change_dates ? "2024:05:06 07:08:08" : "2024:05:06 07:08:09"), 20);
  g_byte_array_append (block, (const guint8 *) "preview", 7);
  return block;
}

static void
test_full (void)
{
  for (guint i = 0; i < 4; i++)
    {
      gboolean big = i % 2 == 1, other_dates = i / 2 == 1;
      g_autoptr (GByteArray) block = build_full (big, other_dates);
      ThExif exif;

      th_exif_read ((ThBytes){ block->data, block->len }, &exif);
      g_assert_cmpuint (exif.orientation, ==, 6);
      g_assert_cmpuint (exif.width, ==, 4000);
      g_assert_cmpuint (exif.height, ==, 3000);
      g_assert_cmpint (exif.changed, ==, other_dates);
      g_assert_true (exif.adobe_rgb);
      g_assert_cmpuint (exif.preview_orientation, ==, 8);
      g_assert_cmpuint (exif.preview_length, ==, 7);
      g_assert_cmpint (memcmp (block->data + exif.preview_offset, "preview", 7), ==, 0);
    }
}

/* However much of the block there is: nothing points outside of it. */
static void
test_full_truncated (void)
{
  g_autoptr (GByteArray) block = build_full (FALSE, FALSE);

  for (gsize end = 0; end < block->len; end++)
    {
      g_autofree guint8 *copy = g_memdup2 (block->data, end);
      ThExif exif;

      th_exif_read ((ThBytes){ copy, end }, &exif);
      g_assert_cmpuint (exif.preview_length, ==, 0);
      g_assert_false (exif.changed);
    }
}

static void
test_not_exif (void)
{
  static const char *const texts[] = {
    "", "I", "Exif", "Exif\n\n", "http://ns.adobe.com/xap/1.0/", "IIII....", "MM*....."
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    g_assert_cmpuint (orientation_of ((const guint8 *) texts[i], strlen (texts[i])), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/exif/table", test_table);
  g_test_add_func ("/exif/truncated", test_truncated);
  g_test_add_func ("/exif/bad-offsets", test_bad_offsets);
  g_test_add_func ("/exif/loop", test_loop);
  g_test_add_func ("/exif/full", test_full);
  g_test_add_func ("/exif/full-truncated", test_full_truncated);
  g_test_add_func ("/exif/not-exif", test_not_exif);
  return g_test_run ();
}

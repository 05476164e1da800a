/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-ifd.h"

#include <string.h>

typedef struct
{
  guint entries;
  guint32 last[3]; /* numbers of the last entry */
  guint n_last;
  char text[8];
} Seen;

static void
visit (const ThTiff *tiff, const ThIfdEntry *entry, gpointer data)
{
  Seen *seen = data;

  seen->entries++;
  memset (seen->text, 0, sizeof seen->text);
  (void) th_ifd_text (tiff, entry, (guint8 *) seen->text, sizeof seen->text - 1);
  seen->n_last = 0;
  while (seen->n_last < G_N_ELEMENTS (seen->last)
         && th_ifd_number (tiff, entry, seen->n_last, &seen->last[seen->n_last]))
    seen->n_last++;
}

/* The same bytes in memory and behind an offset of an input. */
static guint32
walk (ThBytes bytes, guint32 offset, gboolean within, Seen *seen)
{
  g_autofree guint8 *file = g_malloc0 (bytes.size + 100);
  g_autoptr (ThInput) input = NULL;
  ThTiff tiff;

  *seen = (Seen){ .entries = 0 };
  memcpy (file + 100, bytes.data, bytes.size);
  input = th_input_new_bytes (file, bytes.size + 100);
  if (within ? !th_tiff_init_input (&tiff, input, 100) : !th_tiff_init_bytes (&tiff, bytes))
    return G_MAXUINT32;
  return th_ifd_walk (&tiff, offset == 0 ? tiff.first : offset, visit, seen);
}

/* What one entry holds. */
static void
test_values (void)
{
  static const struct
  {
    guint8 entry[12];
    guint n;
    guint32 numbers[3];
    const char *text;
  } rows[] = {
    { { 1, 0, 3, 0, 1, 0, 0, 0, 7, 0, 9, 9 }, 1, { 7 }, "" },
    { { 1, 0, 3, 0, 2, 0, 0, 0, 7, 0, 9, 1 }, 2, { 7, 0x109 }, "" },
    { { 1, 0, 3, 0, 3, 0, 0, 0, 26, 0, 0, 0 }, 3, { 0x6261, 0x6463, 0x6665 }, "" },
    { { 1, 0, 4, 0, 1, 0, 0, 0, 1, 2, 3, 4 }, 1, { 0x04030201 }, "" },
    { { 1, 0, 4, 0, 2, 0, 0, 0, 26, 0, 0, 0 }, 2, { 0x64636261, 0x68676665 }, "" },
    { { 1, 0, 4, 0, 3, 0, 0, 0, 26, 0, 0, 0 }, 2, { 0x64636261, 0x68676665 }, "" },
    { { 1, 0, 2, 0, 4, 0, 0, 0, 'R', '0', '3', 0 }, 0, { 0 }, "R03" },
    { { 1, 0, 7, 0, 8, 0, 0, 0, 26, 0, 0, 0 }, 0, { 0 }, "abcdefg" },
    { { 1, 0, 7, 0, 8, 0, 0, 0, 30, 0, 0, 0 }, 0, { 0 }, "" },
    { { 1, 0, 7, 0, 5, 0, 0, 0, 29, 0, 0, 0 }, 0, { 0 }, "defgh" },
    { { 1, 0, 2, 0, 0, 0, 0, 0, 'x', 0, 0, 0 }, 0, { 0 }, "" },
    { { 1, 0, 2, 0, 0xff, 0xff, 0xff, 0xff, 26, 0, 0, 0 }, 0, { 0 }, "abcdefg" },
    { { 1, 0, 3, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 0, { 0 }, "" },
    { { 1, 0, 5, 0, 1, 0, 0, 0, 26, 0, 0, 0 }, 0, { 0 }, "" },
    { { 1, 0, 99, 0, 1, 0, 0, 0, 26, 0, 0, 0 }, 0, { 0 }, "" },
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++)
    {
      guint8 bytes[34] = { 'I', 'I', '*', 0, 8, 0, 0, 0, 1, 0 };
      Seen seen;

      memcpy (bytes + 10, rows[i / 2].entry, 12);
      memcpy (bytes + 26, "abcdefgh", 8);
      bytes[22] = 77;
      g_test_message ("row %u", i / 2);
      g_assert_cmpuint (walk ((ThBytes){ bytes, sizeof bytes }, 0, i % 2 == 1, &seen), ==, 77);
      g_assert_cmpuint (seen.entries, ==, 1);
      g_assert_cmpuint (seen.n_last, ==, rows[i / 2].n);
      for (guint k = 0; k < seen.n_last; k++)
        g_assert_cmpuint (seen.last[k], ==, rows[i / 2].numbers[k]);
      g_assert_cmpstr (seen.text, ==, rows[i / 2].text);
    }
}

static void
test_bounds (void)
{
  static const guint32 offsets[] = { 0x7fffffff, 0xfffffff0, 0xffffffff };
  gsize size = 8 + 65536u * 12u + 6;
  g_autofree guint8 *bytes = g_malloc0 (size);
  Seen seen;

  memcpy (bytes, "MM\0*\0\0\0\x08\xff\xff", 10);
  for (guint within = 0; within < 2; within++)
    {
      /* A directory of 65535 entries is left after a while. */
      (void) walk ((ThBytes){ bytes, size }, 0, within == 1, &seen);
      g_assert_cmpuint (seen.entries, ==, TH_IFD_ENTRIES_MAX);
      /* One that is not there whole ends with the last entry that is. */
      g_assert_cmpuint (walk ((ThBytes){ bytes, 10 + 5 * 12 + 3 }, 0, within == 1, &seen), ==, 0);
      g_assert_cmpuint (seen.entries, ==, 5);
      for (guint i = 0; i < G_N_ELEMENTS (offsets); i++)
        {
          g_assert_cmpuint (walk ((ThBytes){ bytes, size }, offsets[i], within == 1, &seen), ==, 0);
          g_assert_cmpuint (seen.entries, ==, 0);
        }
      for (gsize end = 0; end < 8; end++)
        g_assert_cmpuint (walk ((ThBytes){ bytes, end }, 0, within == 1, &seen), ==, G_MAXUINT32);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ifd/values", test_values);
  g_test_add_func ("/ifd/bounds", test_bounds);
  return g_test_run ();
}

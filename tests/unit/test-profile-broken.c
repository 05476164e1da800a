/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Profiles that lie, end too early or want too much: they are ignored, and that is all. */
#include "config.h"

#include <string.h>

#include "core/th-icc-distil.h"
#include "profile-maker.h"

static void
put (GByteArray *icc, gsize offset, guint32 value)
{
  value = GUINT32_TO_BE (value);
  memcpy (icc->data + offset, &value, sizeof value);
}

static guint32
get (const GByteArray *icc, gsize offset)
{
  guint32 value;

  memcpy (&value, icc->data + offset, sizeof value);
  return GUINT32_FROM_BE (value);
}

/* Where tag's entry is. */
static gsize
entry_of (const GByteArray *icc, guint32 tag)
{
  for (guint32 i = 0; i < get (icc, 128); i++)
    if (get (icc, 132 + 12 * i) == tag)
      return 132 + 12 * i;
  g_assert_not_reached ();
}

static void
test_broken_header (void)
{
  static const struct
  {
    gsize offset;
    guint32 value;
  } rows[] = {
    { 0, 100 },          { 0, 0xffffffff },  { 8, 0x05000000 },  { 12, 0x6c696e6b },
    { 12, 0x61627374 },  { 12, 0x6e6d636c }, { 16, 0x434d594b }, { 16, 0x47524159 },
    { 20, 0x52474220 },  { 36, 0 },          { 128, 0 },         { 128, 101 },
    { 128, 0xffffffff },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) icc = profile_rgb (&profile_spaces[0]);

      put (icc, rows[i].offset, rows[i].value);
      g_assert_true (profile_is_ignored (TH_COLOR_RGB, icc->data, icc->len));
    }
}

static void
test_truncated (void)
{
  g_autoptr (GByteArray) icc = profile_rgb (&profile_spaces[0]);

  for (gsize size = 0; size < icc->len; size++)
    {
      g_autofree guint8 *part = g_memdup2 (icc->data, size);

      g_assert_true (profile_is_ignored (TH_COLOR_RGB, part, size));
      /* One that admits it. */
      if (size >= 132)
        {
          const guint32 said = GUINT32_TO_BE ((guint32) size);

          memcpy (part, &said, sizeof said);
          (void) profile_is_ignored (TH_COLOR_RGB, part, size);
        }
    }
}

static void
test_oversized (void)
{
  g_autoptr (GByteArray) icc = profile_rgb (&profile_spaces[0]);
  const gsize size = TH_ICC_MAX_BYTES + 1;
  g_autofree guint8 *large = g_malloc0 (size);

  memcpy (large, icc->data, icc->len);
  g_assert_true (profile_is_ignored (TH_COLOR_RGB, large, size));
  g_assert_false (profile_is_ignored (TH_COLOR_RGB, large, size - 1));
}

/* Tables that claim more than there is, of every side up to 255. */
static void
test_bomb (void)
{
  g_autoptr (GByteArray) icc =
      profile_save (profile_table (cmsSigCmykData, 4, profile_ink_to_lab, NULL));
  const guint32 offset = get (icc, entry_of (icc, cmsSigAToB0Tag) + 4);

  g_assert_false (profile_is_ignored (TH_COLOR_CMYK, icc->data, icc->len));
  for (guint steps = 0; steps < 256; steps++)
    if (steps < 2 || steps > 9)
      {
        icc->data[offset + 10] = (guint8) steps;
        g_assert_true (profile_is_ignored (TH_COLOR_CMYK, icc->data, icc->len));
      }
}

/* Curves upon the header, the table of tags. */
static void
test_overlaps (void)
{
  g_autoptr (GByteArray) icc = profile_rgb (&profile_spaces[0]);
  const gsize entry = entry_of (icc, cmsSigRedTRCTag);

  put (icc, entry + 4, 128);
  g_assert_true (profile_is_ignored (TH_COLOR_RGB, icc->data, icc->len));
  put (icc, entry + 4, 0);
  g_assert_true (profile_is_ignored (TH_COLOR_RGB, icc->data, icc->len));
  put (icc, entry + 4, icc->len - 4);
  g_assert_true (profile_is_ignored (TH_COLOR_RGB, icc->data, icc->len));
  put (icc, entry + 4, 0xfffffff0);
  g_assert_true (profile_is_ignored (TH_COLOR_RGB, icc->data, icc->len));
}

/* Any byte changed: no crash, no growth, and something comes out. */
static void
test_damaged (void)
{
  g_autoptr (GByteArray) rgb = profile_rgb (&profile_spaces[1]);
  g_autoptr (GRand) random = g_rand_new_with_seed (23);

  for (guint i = 0; i < 3000; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (rgb->data, rgb->len);
      const ThColorSource source = { .model = TH_COLOR_RGB, .icc = { copy, rgb->len } };
      const guint8 in[3] = { 10, 130, 250 };
      guint8 out[3];

      for (guint k = 0; k < 1 + i % 4; k++)
        copy[g_rand_int_range (random, 0, (gint32) rgb->len)] = (guint8) g_rand_int (random);
      {
        g_autoptr (ThColor) color = th_color_new (&source, NULL);

        g_assert_cmpuint (th_color_bytes (color), <, 16u * 1024 * 1024);
        th_color_row (color, in, 1, out);
      }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profile-broken/broken-header", test_broken_header);
  g_test_add_func ("/profile-broken/truncated", test_truncated);
  g_test_add_func ("/profile-broken/oversized", test_oversized);
  g_test_add_func ("/profile-broken/bomb", test_bomb);
  g_test_add_func ("/profile-broken/overlaps", test_overlaps);
  g_test_add_func ("/profile-broken/damaged", test_damaged);
  return g_test_run ();
}

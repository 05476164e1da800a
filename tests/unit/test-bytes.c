/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-bytes.h"

static const guint8 data[] = { 0x01, 0x02, 0x03, 0x04, 0x05 };
static const ThBytes bytes = { data, sizeof data };

static void
test_numbers (void)
{
  guint8 u8 = 0;
  guint16 u16 = 0;
  guint32 u32 = 0;

  g_assert_true (th_bytes_u8 (bytes, 4, &u8));
  g_assert_cmphex (u8, ==, 0x05);
  g_assert_true (th_bytes_u16 (bytes, 1, TRUE, &u16));
  g_assert_cmphex (u16, ==, 0x0203);
  g_assert_true (th_bytes_u16 (bytes, 3, FALSE, &u16));
  g_assert_cmphex (u16, ==, 0x0504);
  g_assert_true (th_bytes_u32 (bytes, 1, TRUE, &u32));
  g_assert_cmphex (u32, ==, 0x02030405);
  g_assert_true (th_bytes_u32 (bytes, 0, FALSE, &u32));
  g_assert_cmphex (u32, ==, 0x04030201);
}

/* Offsets at which a sum with the length would wrap around, too. */
static const gsize outside[] = { 5, 6, 1000, G_MAXUINT32, G_MAXSIZE - 3, G_MAXSIZE - 1, G_MAXSIZE };

static void
test_outside (void)
{
  guint8 u8 = 77;
  guint16 u16 = 77;
  guint32 u32 = 77;
  ThBytes slice = { NULL, 77 };

  for (gsize i = 0; i < G_N_ELEMENTS (outside); i++)
    {
      g_assert_false (th_bytes_u8 (bytes, outside[i], &u8));
      g_assert_false (th_bytes_u16 (bytes, outside[i], TRUE, &u16));
      g_assert_false (th_bytes_u32 (bytes, outside[i], FALSE, &u32));
      g_assert_false (th_bytes_slice (bytes, outside[i], 1, &slice));
      g_assert_false (th_bytes_slice (bytes, 1, outside[i], &slice));
    }
  g_assert_false (th_bytes_u16 (bytes, 4, TRUE, &u16));
  g_assert_false (th_bytes_u32 (bytes, 2, TRUE, &u32));
  g_assert_cmpuint (u8, ==, 77);
  g_assert_cmpuint (u16, ==, 77);
  g_assert_cmpuint (u32, ==, 77);
  g_assert_cmpuint (slice.size, ==, 77);
}

static void
test_slice (void)
{
  ThBytes slice = { NULL, 0 };

  g_assert_true (th_bytes_slice (bytes, 2, 3, &slice));
  g_assert_true (slice.data == data + 2);
  g_assert_cmpuint (slice.size, ==, 3);
  g_assert_true (th_bytes_slice (bytes, 5, 0, &slice));
  g_assert_cmpuint (slice.size, ==, 0);
}

static void
test_starts_with (void)
{
  g_assert_true (th_bytes_starts_with (bytes, "\x01\x02", 2));
  g_assert_true (th_bytes_starts_with (bytes, data, 5));
  g_assert_true (th_bytes_starts_with (bytes, "", 0));
  g_assert_false (th_bytes_starts_with (bytes, "\x01\x03", 2));
  g_assert_false (th_bytes_starts_with (bytes, "\x01\x02\x03\x04\x05\x06", 6));
}

static void
test_nothing (void)
{
  const ThBytes none = { NULL, 0 };
  ThBytes slice = { data, 5 };
  guint8 value;

  g_assert_false (th_bytes_u8 (none, 0, &value));
  g_assert_true (th_bytes_slice (none, 0, 0, &slice));
  g_assert_cmpuint (slice.size, ==, 0);
  g_assert_true (th_bytes_starts_with (none, NULL, 0));
  g_assert_false (th_bytes_starts_with (none, "x", 1));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bytes/numbers", test_numbers);
  g_test_add_func ("/bytes/outside", test_outside);
  g_test_add_func ("/bytes/slice", test_slice);
  g_test_add_func ("/bytes/starts-with", test_starts_with);
  g_test_add_func ("/bytes/nothing", test_nothing);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <png.h>
#include <string.h>

#include "cache/th-png-filter.h"
#include "cache/th-png-text.h"
#include "cache/th-png-write.h"

static ThImage
make_image (GRand *rand, ThSize size, guint channels, gsize padding)
{
  ThImage image = { size, channels, (gsize) size.width * channels + padding, NULL };
  gsize bytes = image.stride * size.height;

  image.data = g_malloc (bytes);
  for (gsize i = 0; i < bytes; i++)
    image.data[i] = (guint8) (g_rand_int (rand) >> (i % 3 * 4));
  return image;
}

static void
set_opaque (const ThImage *image)
{
  for (guint32 y = 0; y < image->size.height; y++)
    {
      for (guint32 x = 0; x < image->size.width; x++)
        image->data[y * image->stride + x * 4 + 3] = 255;
    }
}

/* libpng is the oracle: the same pixels, and the format that is expected. */
static void
check (const ThImage *image, guint expected_channels)
{
  g_autoptr (ThPngBody) body = th_png_encode (image);
  g_autoptr (GBytes) bytes = th_png_assemble (body, NULL, 0);
  g_autofree guint8 *pixels = NULL;
  png_image png = { .version = PNG_IMAGE_VERSION };
  gsize row = (gsize) image->size.width * image->channels;

  g_assert_true (png_image_begin_read_from_memory (&png, g_bytes_get_data (bytes, NULL),
                                                   g_bytes_get_size (bytes)));
  g_assert_cmpuint (png.width, ==, image->size.width);
  g_assert_cmpuint (png.height, ==, image->size.height);
  g_assert_cmpuint (png.format, ==, expected_channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB);
  png.format = image->channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  pixels = g_malloc (PNG_IMAGE_SIZE (png));
  g_assert_true (png_image_finish_read (&png, NULL, pixels, 0, NULL));
  g_assert_cmpuint (png.warning_or_error, ==, 0);
  for (guint32 y = 0; y < image->size.height; y++)
    g_assert_true (memcmp (pixels + y * row, image->data + y * image->stride, row) == 0);
  png_image_free (&png);
}

static const ThSize sizes[] = {
  { 1, 1 },   { 1, 7 },    { 7, 1 },     { 2, 2 },      { 3, 5 },
  { 33, 31 }, { 128, 85 }, { 257, 129 }, { 1024, 683 },
};

static void
test_pixels (gconstpointer data)
{
  gsize padding = GPOINTER_TO_SIZE (data);
  g_autoptr (GRand) rand = g_rand_new_with_seed (20);

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      ThImage rgb = make_image (rand, sizes[i], 3, padding);
      ThImage rgba = make_image (rand, sizes[i], 4, padding);

      check (&rgb, 3);
      rgba.data[3] = 254;
      check (&rgba, 4);
      set_opaque (&rgba);
      check (&rgba, 3);
      /* The last pixel alone decides. */
      rgba.data[(sizes[i].height - 1) * rgba.stride + sizes[i].width * 4 - 1] = 0;
      check (&rgba, 4);
      g_free (rgb.data);
      g_free (rgba.data);
    }
}

/* Noise is larger as PNG than it was. */
static void
test_noise (void)
{
  static const ThSize noisy[] = { { 600, 450 }, { 1024, 1024 } };
  g_autoptr (GRand) rand = g_rand_new_with_seed (21);

  for (gsize i = 0; i < G_N_ELEMENTS (noisy); i++)
    {
      ThImage image = make_image (rand, noisy[i], 4, 0);

      for (gsize k = 0; k < image.stride * noisy[i].height; k++)
        image.data[k] = (guint8) g_rand_int (rand);
      check (&image, 4);
      g_free (image.data);
    }
}

/* Stripes along the rows cost nothing by Sub, stripes across them nothing by Up. */
static void
test_filters (void)
{
  enum
  {
    SIDE = 40
  };
  guint8 across[SIDE * SIDE * 3], along[SIDE * SIDE * 3];
  guint8 scratch[SIDE * 3 * 2], out[SIDE * (SIDE * 3 + 1)];
  ThImage image = { { SIDE, SIDE }, 3, SIDE * 3, across };

  for (guint i = 0; i < sizeof across; i++)
    {
      across[i] = (guint8) (i % (SIDE * 3) / 3 * 37);
      along[i] = (guint8) (i / (SIDE * 3) * 37);
    }
  th_png_filter (&image, 3, scratch, out);
  for (guint y = 0; y < SIDE; y++)
    g_assert_cmpuint (out[y * (SIDE * 3 + 1)], ==, y == 0 ? 1 : 2);
  image.data = along;
  th_png_filter (&image, 3, scratch, out);
  for (guint y = 0; y < SIDE; y++)
    g_assert_cmpuint (out[y * (SIDE * 3 + 1)], ==, 1);
}

/* A picture that the sum of the parts says cannot be: refused, not overflown. */
static void
test_too_large (void)
{
  ThImage image = { { G_MAXUINT32, G_MAXUINT32 }, 3, 0, NULL };

  g_assert_null (th_png_encode (&image));
}

static const ThPngTextEntry entries[] = {
  { "Thumb::URI", "file:///a%20b" },
  { "Title", "\xc3\xbc" },
  { "Empty", "" },
  { "", "no keyword" },
  { " leading", "x" },
  { "trailing ", "x" },
  { "two  spaces", "x" },
  { "new\nline", "x" },
  { "high\xfc", "x" },
  { "1234567890123456789012345678901234567890123456789012345678901234567890123456789", "79" },
  { "12345678901234567890123456789012345678901234567890123456789012345678901234567890", "80" },
  { "Newline", "a\nb" },
  { "Escape", "\x1b[2J" },
  { "Delete", "\x7f" },
  { "None", NULL },
  { "Software", "thimble" },
};

static void
test_text (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (22);
  ThImage image = make_image (rand, (ThSize){ 5, 4 }, 3, 0);
  g_autoptr (ThPngBody) body = th_png_encode (&image);
  g_autoptr (GBytes) bytes = th_png_assemble (body, entries, G_N_ELEMENTS (entries));
  g_autoptr (GBytes) again = th_png_assemble (body, entries, G_N_ELEMENTS (entries));
  g_autoptr (GError) error = NULL;
  g_autoptr (ThPngText) text =
      th_png_text_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &error);

  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (bytes, again));
  g_assert_cmpuint (th_png_text_size (text).width, ==, 5);
  g_assert_cmpuint (th_png_text_size (text).height, ==, 4);
  for (gsize i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      gboolean kept = i < 3 || i == 9 || i == G_N_ELEMENTS (entries) - 1;

      g_assert_cmpstr (th_png_text_get (text, entries[i].keyword), ==,
                       kept ? entries[i].value : NULL);
    }
  g_free (image.data);
}

/* GIO stops at the first chunk that is none of tEXt. */
static void
test_order (void)
{
  static const char *const expected[] = { "IHDR", "tEXt", "tEXt", "IDAT", "IEND" };
  g_autoptr (GRand) rand = g_rand_new_with_seed (23);
  ThImage image = make_image (rand, (ThSize){ 64, 64 }, 4, 0);
  g_autoptr (ThPngBody) body = th_png_encode (&image);
  g_autoptr (GBytes) bytes = th_png_assemble (body, entries, 2);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  gsize offset = 8;

  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      guint32 length;

      g_assert_cmpuint (offset + 12, <=, size);
      memcpy (&length, data + offset, 4);
      g_assert_cmpmem (data + offset + 4, 4, expected[i], 4);
      offset += GUINT32_FROM_BE (length) + 12;
    }
  g_assert_cmpuint (offset, ==, size);
  g_free (image.data);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/png-write/pixels", GSIZE_TO_POINTER (0), test_pixels);
  g_test_add_data_func ("/png-write/stride", GSIZE_TO_POINTER (13), test_pixels);
  g_test_add_func ("/png-write/noise", test_noise);
  g_test_add_func ("/png-write/filters", test_filters);
  g_test_add_func ("/png-write/too-large", test_too_large);
  g_test_add_func ("/png-write/text", test_text);
  g_test_add_func ("/png-write/order", test_order);
  return g_test_run ();
}

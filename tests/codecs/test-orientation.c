/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every container that says how a picture is to be turned, in every shape, strips included: the
 * four quarters are to be seen where they belong, in all flavors, made together or alone. */
#include "config.h"

#include <string.h>
#include <webp/encode.h>

#include "core/th-render.h"
#include "jpeg-maker.h"
#include "png-maker.h"

/* Of a sample, beside an edge and after JPEG. */
#define TOLERANCE 40

/* EXIF with one entry, whose value lies at VALUE. */
#define VALUE 18u
static const guint8 tiff[26] = { 'I', 'I', '*', 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3,
                                 0,   1,   0,   0, 0, 0, 0, 0, 0, 0, 0,    0, 0 };

typedef struct
{
  const char *name;
  guint32 longest; /* side that the format can have */
  GByteArray *(*make) (ThSize size, guint orientation);
} Container;

/* Left or right, and above or below. */
static const guint8 quarters[2][2][3] = {
  { { 230, 30, 30 }, { 30, 200, 40 } },
  { { 40, 60, 220 }, { 240, 240, 240 } },
};

static guint8
paint (double x, double y, guint channel, gconstpointer data)
{
  return quarters[y >= 0.5][x >= 0.5][channel];
}

static GByteArray *
make_jpeg (ThSize size, guint orientation)
{
  return jpeg_make (&(JpegRecipe){ .width = size.width,
                                   .height = size.height,
                                   .stored = JCS_YCbCr,
                                   .orientation = orientation,
                                   .big_endian = orientation % 2 != 0,
                                   .paint = paint });
}

static guint8 *
draw (ThSize size)
{
  guint8 *rows = g_malloc_n (size.height, (gsize) size.width * 3);
  guint8 *pixel = rows;

  for (guint32 y = 0; y < size.height; y++)
    for (guint32 x = 0; x < size.width; x++, pixel += 3)
      memcpy (pixel, quarters[2 * y + 1 >= size.height][2 * x + 1 >= size.width], 3);
  return rows;
}

static void
fill_exif (guint orientation, guint8 exif[sizeof tiff])
{
  memcpy (exif, tiff, sizeof tiff);
  exif[VALUE] = (guint8) orientation;
}

static GByteArray *
make_png (ThSize size, guint orientation)
{
  GByteArray *png = png_begin (size.width, size.height, 2, 8);
  g_autofree guint8 *rows = draw (size);
  guint8 exif[sizeof tiff];

  fill_exif (orientation, exif);
  png_add (png, "eXIf", exif, sizeof exif);
  png_finish (png, rows, (gsize) size.width * 3, size.height);
  return png;
}

static void
append_u32 (GByteArray *out, guint32 value)
{
  const guint32 little = GUINT32_TO_LE (value);

  g_byte_array_append (out, (const guint8 *) &little, sizeof little);
}

/* EXIF stands behind the picture. */
static GByteArray *
make_webp (ThSize size, guint orientation)
{
  static const guint8 start[] = "RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x08\0\0\0";
  GByteArray *out = g_byte_array_new ();
  g_autofree guint8 *rows = draw (size);
  guint8 *plain = NULL;
  const gsize length = WebPEncodeLosslessRGB (rows, (int) size.width, (int) size.height,
                                              (int) size.width * 3, &plain);
  const guint32 w = GUINT32_TO_LE (size.width - 1), h = GUINT32_TO_LE (size.height - 1);
  guint8 exif[sizeof tiff];
  guint32 total;

  g_assert_cmpuint (length, >, 0);
  g_byte_array_append (out, start, sizeof start - 1);
  g_byte_array_append (out, (const guint8 *) &w, 3);
  g_byte_array_append (out, (const guint8 *) &h, 3);
  g_byte_array_append (out, plain + 12, (guint) length - 12);
  fill_exif (orientation, exif);
  g_byte_array_append (out, (const guint8 *) "EXIF", 4);
  append_u32 (out, sizeof exif);
  g_byte_array_append (out, exif, sizeof exif);
  total = GUINT32_TO_LE (out->len - 8);
  memcpy (out->data + 4, &total, sizeof total);
  WebPFree (plain);
  return out;
}

static const Container containers[] = {
  { "jpeg", 65500, make_jpeg },
  { "png", G_MAXUINT16, make_png },
  { "webp", 16383, make_webp },
};

static const ThSize shapes[] = {
  { 96, 64 },  { 700, 500 },  { 1, 1 },      { 1, 5000 },   { 5000, 1 },
  { 3, 2000 }, { 10000, 10 }, { 10, 10000 }, { 4000, 100 }, { G_MAXUINT16, 1 },
};

/* Which stored quarter is seen in each, by EXIF's number: 2 × below + right. */
static const guint8 seen[9][4] = {
  [1] = { 0, 1, 2, 3 }, [2] = { 1, 0, 3, 2 }, [3] = { 3, 2, 1, 0 }, [4] = { 2, 3, 0, 1 },
  [5] = { 0, 2, 1, 3 }, [6] = { 2, 0, 3, 1 }, [7] = { 3, 1, 2, 0 }, [8] = { 1, 3, 0, 2 },
};

/* A side of one pixel has no second half. */
static guint
existing (guint quarter, ThSize stored)
{
  guint right = quarter % 2, below = quarter / 2;

  right = stored.width == 1 ? 1 : right;
  below = stored.height == 1 ? 1 : below;
  return 2 * below + right;
}

static void
check_corners (const ThImage *image, ThSize stored, guint orientation)
{
  for (guint i = 0; i < 4; i++)
    {
      const guint32 x = i % 2 != 0 ? image->size.width - 1 : 0;
      const guint32 y = i / 2 != 0 ? image->size.height - 1 : 0;
      const guint quarter = existing (seen[orientation][i], stored);
      const guint8 *expected = quarters[quarter / 2][quarter % 2];
      const guint8 *pixel = image->data + y * image->stride + (gsize) x * image->channels;

      for (guint c = 0; c < 3; c++)
        g_assert_cmpint (ABS (pixel[c] - expected[c]), <=, TOLERANCE);
    }
}

static void
check_size (ThSize size, ThSize full, guint32 box)
{
  const guint32 thin = MIN (size.width, size.height), thick = MAX (size.width, size.height);

  g_assert_cmpuint (thick, ==, MIN (box, MAX (full.width, full.height)));
  g_assert_cmpuint (thin, <=, MIN (full.width, full.height));
  g_assert_cmpuint (thin, >=, MIN (box / TH_FIT_THINNEST, MIN (full.width, full.height)));
  g_assert_cmpuint (thin, >, 0);
  g_assert_true ((size.width >= size.height) == (full.width >= full.height) || thin == thick);
}

static void
check_boxes (const GByteArray *file, ThSize stored, guint orientation, const guint32 *boxes,
             guint n)
{
  g_autoptr (ThInput) input = th_input_new_bytes (file->data, file->len);
  const ThSize full = th_size_oriented (stored, orientation);
  g_autoptr (ThRender) render = NULL;
  g_autoptr (GError) error = NULL;
  ThImage images[TH_N_FLAVORS];
  ThLimits limits;

  th_limits_init (&limits);
  g_assert_cmpint (th_render_open (input, &limits, boxes, n, NULL, &render, &error), ==,
                   TH_STATUS_OK);
  g_assert_cmpuint (th_render_plan (render)->full.width, ==, full.width);
  g_assert_cmpuint (th_render_plan (render)->full.height, ==, full.height);
  for (guint i = 0; i < n; i++)
    {
      const guint channels = th_render_plan (render)->channels;
      const ThSize size = th_fit (full, boxes[i]);
      const gsize stride = (gsize) size.width * channels;

      check_size (size, full, boxes[i]);
      images[i] = (ThImage){ size, channels, stride, g_malloc0 (stride * size.height) };
    }
  g_assert_cmpint (th_render_run (render, images, &error), ==, TH_STATUS_OK);
  for (guint i = 0; i < n; i++)
    {
      check_corners (&images[i], stored, orientation);
      g_free (images[i].data);
    }
}

static void
check_picture (const Container *container, ThSize stored, guint said)
{
  static const guint32 boxes[] = { 1024, 512, 256, 128 };
  const guint orientation = said >= 1 && said <= 8 ? said : 1;
  g_autoptr (GByteArray) file = container->make (stored, said);

  check_boxes (file, stored, orientation, boxes, G_N_ELEMENTS (boxes));
  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
    check_boxes (file, stored, orientation, boxes + i, 1);
}

static void
test_container (gconstpointer data)
{
  const Container *container = data;

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint orientation = 0; orientation <= 9; orientation++)
      {
        const ThSize size = { MIN (shapes[i].width, container->longest),
                              MIN (shapes[i].height, container->longest) };

        g_test_message ("%ux%u, orientation %u", size.width, size.height, orientation);
        check_picture (container, size, orientation);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (containers); i++)
    {
      g_autofree char *name = g_strconcat ("/orientation/", containers[i].name, NULL);

      g_test_add_data_func (name, &containers[i], test_container);
    }
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <avif/avif.h>
#include <string.h>

#include "made.h"

#define WIDTH  61u
#define HEIGHT 47u

typedef struct
{
  const char *name;
  avifPixelFormat format;
  guint depth;
  gboolean alpha;
  gboolean premultiplied;
  gboolean narrow;
  guint mean; /* largest mean difference; 0: without loss, exact */
  guint frames;
  guint grid; /* columns and rows */
} Spec;

static const Spec specs[] = {
  { "exact", AVIF_PIXEL_FORMAT_YUV444, 8 },
  { "exact-alpha", AVIF_PIXEL_FORMAT_YUV444, 8, .alpha = TRUE },
  { "exact-10", AVIF_PIXEL_FORMAT_YUV444, 10 },
  { "exact-12-alpha", AVIF_PIXEL_FORMAT_YUV444, 12, .alpha = TRUE },
  { "444", AVIF_PIXEL_FORMAT_YUV444, 8, .mean = 3 },
  { "422", AVIF_PIXEL_FORMAT_YUV422, 8, .mean = 5 },
  { "420", AVIF_PIXEL_FORMAT_YUV420, 8, .mean = 6 },
  { "420-narrow", AVIF_PIXEL_FORMAT_YUV420, 8, .narrow = TRUE, .mean = 6 },
  { "420-10", AVIF_PIXEL_FORMAT_YUV420, 10, .mean = 6 },
  { "420-alpha", AVIF_PIXEL_FORMAT_YUV420, 8, .alpha = TRUE, .mean = 6 },
  { "premultiplied", AVIF_PIXEL_FORMAT_YUV444, 8, .alpha = TRUE, .premultiplied = TRUE, .mean = 3 },
  { "grey", AVIF_PIXEL_FORMAT_YUV400, 8, .mean = 3 },
  { "sequence", AVIF_PIXEL_FORMAT_YUV444, 8, .mean = 4, .frames = 3 },
  { "grid", AVIF_PIXEL_FORMAT_YUV444, 8, .mean = 3, .grid = 2 },
};

static ThSize
size_of (const Spec *spec)
{
  /* Cells of a grid have at least 64 pixels a side. */
  return spec->grid > 0 ? (ThSize){ 128, 128 } : (ThSize){ WIDTH, HEIGHT };
}

static void
fill (avifImage *image, const Spec *spec, const Picture *drawn, guint32 x, guint32 y)
{
  avifRGBImage rgb;

  avifRGBImageSetDefaults (&rgb, image);
  rgb.depth = 8;
  rgb.format = AVIF_RGB_FORMAT_RGBA;
  rgb.ignoreAlpha = !spec->alpha;
  rgb.rowBytes = drawn->size.width * 4;
  rgb.pixels = drawn->rgba + (gsize) y * rgb.rowBytes + (gsize) x * 4;
  g_assert_cmpint (avifImageRGBToYUV (image, &rgb), ==, AVIF_RESULT_OK);
}

static avifImage *
image_of (const Spec *spec, const Picture *drawn, ThSize size, guint32 x, guint32 y)
{
  avifImage *image =
      avifImageCreate ((int) size.width, (int) size.height, (int) spec->depth, spec->format);

  image->colorPrimaries = AVIF_COLOR_PRIMARIES_BT709;
  image->transferCharacteristics = AVIF_TRANSFER_CHARACTERISTICS_SRGB;
  image->matrixCoefficients =
      spec->mean == 0 ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601;
  image->yuvRange = spec->narrow ? AVIF_RANGE_LIMITED : AVIF_RANGE_FULL;
  image->alphaPremultiplied = spec->premultiplied;
  fill (image, spec, drawn, x, y);
  return image;
}

static avifEncoder *
encoder_of (const Spec *spec)
{
  avifEncoder *encoder = avifEncoderCreate ();

  encoder->speed = AVIF_SPEED_FASTEST;
  encoder->maxThreads = 1;
  encoder->minQuantizer = encoder->minQuantizerAlpha = 0;
  encoder->maxQuantizer = spec->mean == 0 ? 0 : 10;
  encoder->maxQuantizerAlpha = 0;
  return encoder;
}

static void
add_grid (avifEncoder *encoder, const Spec *spec, const Picture *drawn)
{
  const avifImage *cells[16];
  const ThSize cell = { drawn->size.width / spec->grid, drawn->size.height / spec->grid };

  for (guint i = 0; i < spec->grid * spec->grid; i++)
    cells[i] =
        image_of (spec, drawn, cell, i % spec->grid * cell.width, i / spec->grid * cell.height);
  g_assert_cmpint (
      avifEncoderAddImageGrid (encoder, spec->grid, spec->grid, cells, AVIF_ADD_IMAGE_FLAG_SINGLE),
      ==, AVIF_RESULT_OK);
  for (guint i = 0; i < spec->grid * spec->grid; i++)
    avifImageDestroy ((avifImage *) cells[i]);
}

static void
add_frames (avifEncoder *encoder, const Spec *spec, avifImage *image)
{
  const guint frames = MAX (spec->frames, 1);

  for (guint i = 0; i < frames; i++)
    g_assert_cmpint (
        avifEncoderAddImage (encoder, image, 1,
                             frames > 1 ? AVIF_ADD_IMAGE_FLAG_NONE : AVIF_ADD_IMAGE_FLAG_SINGLE),
        ==, AVIF_RESULT_OK);
}

static void
finish (avifEncoder *encoder, GByteArray *data)
{
  avifRWData out = AVIF_DATA_EMPTY;

  g_assert_cmpint (avifEncoderFinish (encoder, &out), ==, AVIF_RESULT_OK);
  g_byte_array_append (data, out.data, (guint) out.size);
  avifRWDataFree (&out);
  avifEncoderDestroy (encoder);
}

/* What the file holds, and the decoder hands on as it is. */
static void
multiply (Picture *picture)
{
  for (gsize i = 0; i < (gsize) picture->size.width * picture->size.height; i++)
    for (guint c = 0; c < 3; c++)
      {
        guint8 *sample = &picture->rgba[i * 4 + c];

        *sample = (guint8) ((*sample * picture->rgba[i * 4 + 3] + 127) / 255);
      }
}

static void
add_spec (GPtrArray *pictures, const Spec *spec)
{
  const gboolean grey = spec->format == AVIF_PIXEL_FORMAT_YUV400;
  Picture *drawn = made_drawing (size_of (spec), grey, spec->alpha);
  Made *made = made_new (g_strdup (spec->name), TH_STATUS_OK, drawn, 1);
  avifEncoder *encoder = encoder_of (spec);

  made->mean = spec->mean;
  if (spec->grid > 0)
    add_grid (encoder, spec, drawn);
  else
    {
      avifImage *image = image_of (spec, drawn, drawn->size, 0, 0);

      add_frames (encoder, spec, image);
      avifImageDestroy (image);
    }
  finish (encoder, made->data);
  if (spec->premultiplied)
    multiply (drawn);
  g_ptr_array_add (pictures, made);
}

/* The middle of a picture: what lies outside the clean aperture is not shown. An odd difference of
 * the sides puts it between pixels, and the next one counts. */
static void
add_cropped (GPtrArray *pictures, const char *name, ThSize size)
{
  static const Spec spec = { "cropped", AVIF_PIXEL_FORMAT_YUV444, 8 };
  g_autoptr (Picture) whole = made_drawing ((ThSize){ WIDTH + 1, HEIGHT + 1 }, FALSE, FALSE);
  const ThSize corner = { (WIDTH + 2 - size.width) / 2, (HEIGHT + 2 - size.height) / 2 };
  Picture *part = picture_new (size);
  Made *made = made_new (g_strdup (name), TH_STATUS_OK, part, 1);
  avifImage *image = image_of (&spec, whole, whole->size, 0, 0);
  avifEncoder *encoder = encoder_of (&spec);

  image->transformFlags |= AVIF_TRANSFORM_CLAP;
  image->clap = (avifCleanApertureBox){ size.width, 1, size.height, 1, 0, 1, 0, 1 };
  part->rows = size.height;
  for (guint32 y = 0; y < size.height; y++)
    memcpy (part->rgba + (gsize) y * size.width * 4,
            whole->rgba + ((gsize) (corner.height + y) * whole->size.width + corner.width) * 4,
            (gsize) size.width * 4);
  add_frames (encoder, &spec, image);
  avifImageDestroy (image);
  finish (encoder, made->data);
  g_ptr_array_add (pictures, made);
}

/* An aperture that leaves the picture is none. */
static void
add_cropped_outside (GPtrArray *pictures)
{
  static const Spec spec = { "cropped-outside", AVIF_PIXEL_FORMAT_YUV444, 8 };
  Picture *drawn = made_drawing ((ThSize){ WIDTH, HEIGHT }, FALSE, FALSE);
  Made *made = made_new (g_strdup (spec.name), TH_STATUS_OK, drawn, 255);
  avifImage *image = image_of (&spec, drawn, drawn->size, 0, 0);
  avifEncoder *encoder = encoder_of (&spec);

  image->transformFlags |= AVIF_TRANSFORM_CLAP;
  image->clap = (avifCleanApertureBox){ 40, 1, 30, 1, 0x7fffffff, 1, 0, 1 };
  add_frames (encoder, &spec, image);
  avifImageDestroy (image);
  finish (encoder, made->data);
  g_ptr_array_add (pictures, made);
}

/* The corners of what is seen, clockwise from the upper left, by their places in what is stored:
 * EXIF's eight. */
static const guint8 exif_corners[8][4] = {
  { 0, 1, 2, 3 }, { 1, 0, 3, 2 }, { 2, 3, 0, 1 }, { 3, 2, 1, 0 },
  { 0, 3, 2, 1 }, { 3, 0, 1, 2 }, { 2, 1, 0, 3 }, { 1, 2, 3, 0 },
};
/* The same after a reflection: top to bottom, left to right. */
static const guint8 mirrored[2][4] = { { 3, 2, 1, 0 }, { 1, 0, 3, 2 } };

/* First turned counter-clockwise, which brings the upper right to the upper left, then mirrored. */
static guint
expected_orientation (guint quarters, guint mirror)
{
  guint8 seen[4];

  for (guint i = 0; i < 4; i++)
    seen[i] = (guint8) ((quarters + (mirror > 0 ? mirrored[mirror - 1][i] : i)) % 4);
  for (guint i = 0; i < 8; i++)
    if (memcmp (exif_corners[i], seen, sizeof seen) == 0)
      return i + 1;
  g_assert_not_reached ();
}

static void
add_turned (GPtrArray *pictures, guint quarters, guint mirror)
{
  static const Spec spec = { "turned", AVIF_PIXEL_FORMAT_YUV444, 8 };
  Picture *drawn = made_drawing ((ThSize){ WIDTH, HEIGHT }, FALSE, FALSE);
  Made *made =
      made_new (g_strdup_printf ("turned-%u-%u", quarters, mirror), TH_STATUS_OK, drawn, 1);
  avifImage *image = image_of (&spec, drawn, drawn->size, 0, 0);
  avifEncoder *encoder = encoder_of (&spec);

  image->transformFlags |= AVIF_TRANSFORM_IROT;
  image->irot.angle = (guint8) quarters;
  if (mirror > 0)
    {
      image->transformFlags |= AVIF_TRANSFORM_IMIR;
      image->imir.mode = (guint8) (mirror - 1);
    }
  made->orientation = expected_orientation (quarters, mirror);
  add_frames (encoder, &spec, image);
  avifImageDestroy (image);
  finish (encoder, made->data);
  g_ptr_array_add (pictures, made);
}

/* Frames that show nothing, and one that does after them, or too late. */
static void
add_late (GPtrArray *pictures, const char *name, guint blank, gboolean found)
{
  static const Spec spec = { "late", AVIF_PIXEL_FORMAT_YUV444, 8 };
  const ThSize size = { WIDTH, HEIGHT };
  Picture *drawn = made_drawing (size, FALSE, FALSE);
  Picture *black = made_drawing (size, FALSE, FALSE);
  avifEncoder *encoder = encoder_of (&spec);
  avifImage *image = image_of (&spec, drawn, size, 0, 0);
  avifImage *nothing;
  Made *made = made_new (g_strdup (name), TH_STATUS_OK, found ? drawn : black, 1);

  for (gsize i = 0; i < (gsize) WIDTH * HEIGHT * 4; i++)
    black->rgba[i] = i % 4 == 3 ? 255 : 0;
  nothing = image_of (&spec, black, size, 0, 0);
  for (guint i = 0; i <= blank; i++)
    g_assert_cmpint (
        avifEncoderAddImage (encoder, i < blank ? nothing : image, 1, AVIF_ADD_IMAGE_FLAG_NONE), ==,
        AVIF_RESULT_OK);
  avifImageDestroy (image);
  avifImageDestroy (nothing);
  picture_free (found ? black : drawn);
  finish (encoder, made->data);
  g_ptr_array_add (pictures, made);
}

/* Where the box is: its type's offset. */
static gsize
find_box (const GByteArray *data, const char *type)
{
  for (gsize i = 4; i + 4 <= data->len; i++)
    if (memcmp (data->data + i, type, 4) == 0)
      return i;
  g_assert_not_reached ();
}

static Made *
add_broken (GPtrArray *pictures, const char *name, ThStatus expected)
{
  const Made *good = pictures->pdata[0];
  Made *made = made_new (g_strdup (name), expected, NULL, 0);

  g_byte_array_append (made->data, good->data->data, good->data->len);
  g_ptr_array_add (pictures, made);
  return made;
}

/* Sizes that nobody could show, boxes that never end, references to other files, other brands. */
static void
add_bombs (GPtrArray *pictures)
{
  Made *made = add_broken (pictures, "bomb-size", TH_STATUS_TOO_LARGE);
  gsize at = find_box (made->data, "ispe");

  memcpy (made->data->data + at + 8, "\0\1\0\0\0\1\0\0", 8);
  made = add_broken (pictures, "bomb-largest-size", TH_STATUS_TOO_LARGE);
  memset (made->data->data + at + 8, 0xff, 8);
  made = add_broken (pictures, "no-size", TH_STATUS_CORRUPT);
  memset (made->data->data + at + 8, 0, 8);
  made = add_broken (pictures, "endless-box", TH_STATUS_CORRUPT);
  memcpy (made->data->data + find_box (made->data, "meta") - 4, "\377\377\377\377", 4);
  made = add_broken (pictures, "no-picture", TH_STATUS_CORRUPT);
  memcpy (made->data->data + find_box (made->data, "pitm"), "skip", 4);
  made = add_broken (pictures, "other-brand", TH_STATUS_NOT_MINE);
  at = find_box (made->data, "ftyp");
  memcpy (made->data->data + at + 4, "mif1", 4);
  for (gsize i = at + 4; i + 4 <= at - 4 + made->data->data[at - 1]; i += 4)
    if (memcmp (made->data->data + i, "avif", 4) == 0)
      memcpy (made->data->data + i, "heic", 4);
}

GPtrArray *
made_pictures (void)
{
  GPtrArray *pictures = g_ptr_array_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    add_spec (pictures, &specs[i]);
  add_cropped (pictures, "cropped", (ThSize){ 40, 30 });
  add_cropped (pictures, "cropped-between", (ThSize){ 41, 29 });
  add_cropped_outside (pictures);
  for (guint quarters = 0; quarters < 4; quarters++)
    for (guint mirror = 0; mirror < 3; mirror++)
      add_turned (pictures, quarters, mirror);
  add_late (pictures, "late", 3, TRUE);
  add_late (pictures, "too-late", 9, FALSE);
  add_bombs (pictures);
  return pictures;
}

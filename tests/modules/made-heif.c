/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <libheif/heif.h>
#include <string.h>

#include "core/th-orient.h"
#include "made.h"

#define WIDTH  160u
#define HEIGHT 120u
#define BOX    64 /* of an embedded thumbnail */

typedef struct
{
  const char *name;
  guint bits;
  gboolean alpha;
  gboolean grey;
  gboolean thumbnail;
  guint mean;                        /* largest mean difference */
  enum heif_orientation orientation; /* 0: not said */
} Spec;

static const Spec specs[] = {
  { "420", 8, .mean = 6 },
  { "alpha", 8, .alpha = TRUE, .mean = 6 },
  { "grey", 8, .grey = TRUE, .mean = 3 },
  { "10-bit", 10, .mean = 6 },
  { "thumbnail", 8, .thumbnail = TRUE, .mean = 6 },
  { "normal", 8, .mean = 6, .orientation = heif_orientation_normal },
  { "mirrored", 8, .mean = 6, .orientation = heif_orientation_flip_horizontally },
  { "upside-down", 8, .mean = 6, .orientation = heif_orientation_rotate_180 },
  { "flipped", 8, .mean = 6, .orientation = heif_orientation_flip_vertically },
  { "transposed", 8, .mean = 6,
    .orientation = heif_orientation_rotate_90_cw_then_flip_horizontally },
  { "turned-right", 8, .mean = 6, .orientation = heif_orientation_rotate_90_cw },
  { "transverse", 8, .mean = 6, .orientation = heif_orientation_rotate_90_cw_then_flip_vertically },
  { "turned-left", 8, .mean = 6, .orientation = heif_orientation_rotate_270_cw },
};

const char *__lsan_default_suppressions (void);

/* libx265, which only encodes here, does not free all. */
const char *
__lsan_default_suppressions (void)
{
  return "leak:libx265.so";
}

static void
expect_ok (struct heif_error problem)
{
  g_assert_cmpstr (problem.code == heif_error_Ok ? "" : problem.message, ==, "");
}

/* As 8 or as 16 bits. */
static void
fill (struct heif_image *image, const Spec *spec, const Picture *drawn)
{
  const guint channels = spec->alpha ? 4 : 3;
  int stride;
  guint8 *rows = heif_image_get_plane (image, heif_channel_interleaved, &stride);

  for (guint32 y = 0; y < HEIGHT; y++)
    for (guint32 x = 0; x < WIDTH * channels; x++)
      {
        const guint8 value = drawn->rgba[((gsize) y * WIDTH + x / channels) * 4 + x % channels];
        guint8 *row = rows + (gsize) y * (gsize) stride;

        if (spec->bits == 8)
          row[x] = value;
        else
          ((guint16 *) (void *) row)[x] =
              GUINT16_TO_LE ((guint16) (value << (spec->bits - 8) | value >> (16 - spec->bits)));
      }
}

static struct heif_image *
image_of (const Spec *spec, const Picture *drawn)
{
  static const enum heif_chroma chromas[2][2] = {
    { heif_chroma_interleaved_RGB, heif_chroma_interleaved_RGBA },
    { heif_chroma_interleaved_RRGGBB_LE, heif_chroma_interleaved_RRGGBBAA_LE },
  };
  struct heif_image *image = NULL;

  expect_ok (heif_image_create (WIDTH, HEIGHT, heif_colorspace_RGB,
                                chromas[spec->bits > 8][spec->alpha], &image));
  expect_ok (
      heif_image_add_plane (image, heif_channel_interleaved, WIDTH, HEIGHT, (int) spec->bits));
  fill (image, spec, drawn);
  return image;
}

static struct heif_error
append (struct heif_context *context, const void *data, size_t size, void *out)
{
  g_byte_array_append (out, data, (guint) size);
  return (struct heif_error){ heif_error_Ok, heif_suberror_Unspecified, "" };
}

static void
encode (const Spec *spec, struct heif_image *image, GByteArray *out)
{
  struct heif_writer writer = { 1, append };
  struct heif_context *context = heif_context_alloc ();
  struct heif_encoding_options *options = heif_encoding_options_alloc ();
  struct heif_encoder *encoder = NULL;
  struct heif_image_handle *handle = NULL;
  struct heif_image_handle *small = NULL;

  expect_ok (heif_context_get_encoder_for_format (context, heif_compression_HEVC, &encoder));
  expect_ok (heif_encoder_set_lossy_quality (encoder, 95));
  if (spec->orientation != 0)
    options->image_orientation = spec->orientation;
  expect_ok (heif_context_encode_image (context, image, encoder, options, &handle));
  if (spec->thumbnail)
    expect_ok (
        heif_context_encode_thumbnail (context, image, handle, encoder, options, BOX, &small));
  expect_ok (heif_context_write (context, &writer, out));
  g_clear_pointer (&small, heif_image_handle_release);
  heif_image_handle_release (handle);
  heif_encoder_release (encoder);
  heif_encoding_options_free (options);
  heif_context_free (context);
}

/* libheif turns pictures itself; its numbers are EXIF's. */
static Picture *
turn (const Picture *stored, guint orientation)
{
  Picture *seen = picture_new (th_size_oriented (stored->size, orientation));
  const gsize stride = (gsize) seen->size.width * 4;
  const ThImage image = { seen->size, 4, stride, seen->rgba };

  for (guint32 y = 0; y < stored->size.height; y++)
    th_orient_row (stored->rgba + (gsize) y * stored->size.width * 4, y, stored->size, orientation,
                   &image);
  return seen;
}

static void
add_spec (GPtrArray *pictures, const Spec *spec)
{
  g_autoptr (Picture) drawn = made_drawing ((ThSize){ WIDTH, HEIGHT }, spec->grey, spec->alpha);
  Made *made = made_new (g_strdup (spec->name), TH_STATUS_OK, turn (drawn, spec->orientation), 0);
  struct heif_image *image = image_of (spec, drawn);

  made->mean = spec->mean;
  encode (spec, image, made->data);
  heif_image_release (image);
  g_ptr_array_add (pictures, made);
}

/* A box of what lies from start to the end. */
static void
wrap (GByteArray *data, const char *type, guint start)
{
  const guint32 size = GUINT32_TO_BE (data->len - start + 8);

  g_byte_array_set_size (data, data->len + 8);
  memmove (data->data + start + 8, data->data + start, data->len - start - 8);
  memcpy (data->data + start, &size, sizeof size);
  memcpy (data->data + start + 4, type, 4);
}

static void
append_box (GByteArray *data, const char *type, const char *content, guint size)
{
  const guint start = data->len;

  g_byte_array_append (data, (const guint8 *) content, size);
  wrap (data, type, start);
}

#define APPEND(data, type, content) append_box (data, type, content, sizeof content - 1)

static void
append_u16 (GByteArray *data, guint value)
{
  const guint8 bytes[] = { (guint8) (value >> 8), (guint8) value };

  g_byte_array_append (data, bytes, sizeof bytes);
}

/* Pictures 1 to n are grids of one tile of the same 64 pixels: the next one, and the last one's is
 * the first. */
static void
append_grids (GByteArray *data, guint n)
{
  static const char grid[] = { 0, 0, 0, 0, 0, 64, 0, 64 };
  guint start = data->len;

  append_u16 (data, 0);
  append_u16 (data, 0);
  append_u16 (data, n);
  for (guint i = 1; i <= n; i++)
    {
      const char entry[] = { 2, 0, 0, 0, 0, (char) i, 0, 0, 'g', 'r', 'i', 'd', 0 };

      append_box (data, "infe", entry, sizeof entry);
    }
  wrap (data, "iinf", start);
  start = data->len;
  g_byte_array_append (data, (const guint8 *) "\0\0\0\0", 4);
  for (guint i = 1; i <= n; i++)
    {
      const char reference[] = { 0, (char) i, 0, 1, 0, (char) (i % n + 1) };

      append_box (data, "dimg", reference, sizeof reference);
    }
  wrap (data, "iref", start);
  start = data->len;
  g_byte_array_append (data, (const guint8 *) "\1\0\0\0\104\0", 6);
  append_u16 (data, n);
  for (guint i = 1; i <= n; i++)
    {
      const guint8 place[] = { 0, (guint8) i, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, sizeof grid };

      g_byte_array_append (data, place, sizeof place);
    }
  wrap (data, "iloc", start);
  append_box (data, "idat", grid, sizeof grid);
}

static void
append_properties (GByteArray *data, guint n)
{
  const guint start = data->len;
  guint inner;

  APPEND (data, "ispe", "\0\0\0\0\0\0\0\100\0\0\0\100");
  APPEND (data, "pixi", "\0\0\0\0\3\10\10\10");
  wrap (data, "ipco", start);
  inner = data->len;
  g_byte_array_append (data, (const guint8 *) "\0\0\0\0\0\0", 6);
  append_u16 (data, n);
  for (guint i = 1; i <= n; i++)
    {
      const guint8 entry[] = { 0, (guint8) i, 2, 1, 2 };

      g_byte_array_append (data, entry, sizeof entry);
    }
  wrap (data, "ipma", inner);
  wrap (data, "iprp", start);
}

/* Grids whose tiles are grids, which libheif follows to the end of its stack. */
static void
add_loop (GPtrArray *pictures, const char *name, guint n)
{
  Made *made = made_new (g_strdup (name), TH_STATUS_CORRUPT, NULL, 0);
  GByteArray *data = made->data;
  guint start;

  APPEND (data, "ftyp", "heic\0\0\0\0mif1heic");
  start = data->len;
  g_byte_array_append (data, (const guint8 *) "\0\0\0\0", 4);
  APPEND (data, "hdlr", "\0\0\0\0\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0");
  APPEND (data, "pitm", "\0\0\0\0\0\1");
  append_grids (data, n);
  append_properties (data, n);
  wrap (data, "meta", start);
  g_ptr_array_add (pictures, made);
}

/* Boxes in boxes. */
static void
add_deep (GPtrArray *pictures)
{
  Made *made = made_new (g_strdup ("deep"), TH_STATUS_CORRUPT, NULL, 0);
  GByteArray *data = made->data;
  guint start;

  APPEND (data, "ftyp", "heic\0\0\0\0mif1heic");
  start = data->len;
  for (guint i = 0; i < 5000; i++)
    {
      const guint inner = data->len - start;

      g_byte_array_set_size (data, data->len + 4);
      memmove (data->data + start + 4, data->data + start, inner);
      memset (data->data + start, 0, 4);
      wrap (data, "meta", start);
    }
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

/* Sizes that nobody could show, boxes that never end, and a file without a picture. */
static void
add_bombs (GPtrArray *pictures)
{
  Made *made = add_broken (pictures, "bomb-size", TH_STATUS_TOO_LARGE);
  const gsize at = find_box (made->data, "ispe");

  memcpy (made->data->data + at + 8, "\0\1\0\0\0\1\0\0", 8);
  made = add_broken (pictures, "no-size", TH_STATUS_CORRUPT);
  memset (made->data->data + at + 8, 0, 8);
  made = add_broken (pictures, "endless-box", TH_STATUS_CORRUPT);
  memcpy (made->data->data + find_box (made->data, "meta") - 4, "\377\377\377\377", 4);
  made = add_broken (pictures, "no-picture", TH_STATUS_CORRUPT);
  memcpy (made->data->data + find_box (made->data, "pitm"), "skip", 4);
}

GPtrArray *
made_pictures (void)
{
  GPtrArray *pictures = g_ptr_array_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    add_spec (pictures, &specs[i]);
  add_bombs (pictures);
  add_loop (pictures, "grid-of-itself", 1);
  add_loop (pictures, "grid-of-grids", 2);
  add_loop (pictures, "grids-all-the-way", 100);
  add_deep (pictures);
  return pictures;
}

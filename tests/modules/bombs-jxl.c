/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "bombs-jxl.h"

#include <string.h>

#include "jxl-bits.h"
#include "jxl-maker.h"
#include "made.h"

#define WIDTH  61u
#define HEIGHT 47u

/* A codestream that has a size and all else as the standard presumes it, but no frame. */
static void
put_head (GByteArray *data, guint32 width, guint32 height)
{
  JxlBits bits = { data, 0 };

  g_byte_array_append (data, (const guint8 *) "\xff\x0a", 2);
  jxl_bits_put_size (&bits, (ThSize){ width, height });
  jxl_bits_put (&bits, 1, 1);
  jxl_bits_put (&bits, 1, 1);
}

static Made *
add (GPtrArray *pictures, const char *name, ThStatus expected)
{
  Made *made = made_new (g_strdup (name), expected, NULL, 0);

  g_ptr_array_add (pictures, made);
  return made;
}

/* Nothing that they announce is there, and nothing may be set aside for it. */
static void
add_sizes (GPtrArray *pictures)
{
  static const struct
  {
    const char *name;
    guint32 width, height;
    ThStatus expected;
  } sizes[] = {
    { "bomb-size", 65536, 65536, TH_STATUS_TOO_LARGE },
    { "bomb-largest-size", 1u << 30, 1u << 30, TH_STATUS_TOO_LARGE },
    { "bomb-wide", 1u << 30, 1, TH_STATUS_TOO_LARGE },
    { "bomb-high", 1, 1u << 30, TH_STATUS_TOO_LARGE },
    { "no-frame", 2000, 2000, TH_STATUS_CORRUPT },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    put_head (add (pictures, sizes[i].name, sizes[i].expected)->data, sizes[i].width,
              sizes[i].height);
}

static void
put_box_head (GByteArray *data, guint32 size, const char *type)
{
  const guint32 big = GUINT32_TO_BE (size);

  g_byte_array_append (data, (const guint8 *) &big, sizeof big);
  g_byte_array_append (data, (const guint8 *) type, 4);
}

static void
put_box (GByteArray *data, const char *type, const void *content, gsize size)
{
  put_box_head (data, (guint32) size + 8, type);
  g_byte_array_append (data, content, (guint) size);
}

static void
put_signature (GByteArray *data)
{
  put_box (data, "JXL ", "\r\n\x87\n", 4);
  put_box (data, "ftyp", "jxl \0\0\0\0jxl ", 12);
}

static void
put_codestream (GByteArray *data)
{
  static const JxlMaker maker = { "codestream", 8 };
  g_autoptr (GByteArray) codestream = g_byte_array_new ();
  g_autoptr (Picture) drawn = made_drawing ((ThSize){ WIDTH, HEIGHT }, FALSE, FALSE);
  const JxlMakerFrame frame = { .picture = drawn };

  jxl_maker_run (&maker, drawn->size, &frame, 1, NULL, codestream);
  put_box (data, "jxlc", codestream->data, codestream->len);
}

/* A container, and the picture that is to be seen where there is one. */
static Made *
add_container (GPtrArray *pictures, const char *name, ThStatus expected)
{
  Made *made = add (pictures, name, expected);

  if (expected == TH_STATUS_OK)
    made->drawn = made_drawing ((ThSize){ WIDTH, HEIGHT }, FALSE, FALSE);
  put_signature (made->data);
  return made;
}

static void
add_boxes (GPtrArray *pictures)
{
  static const guint8 huge[] = "\x7f\xff\xff\xff\xff\xff\xff\xff";
  Made *made = add_container (pictures, "endless-box", TH_STATUS_CORRUPT);

  put_box_head (made->data, 1, "free");
  g_byte_array_append (made->data, huge, 8);
  put_codestream (made->data);
  made = add_container (pictures, "box-to-the-end", TH_STATUS_CORRUPT);
  put_box_head (made->data, 0, "free");
  put_codestream (made->data);
  made = add_container (pictures, "short-box", TH_STATUS_CORRUPT);
  put_box_head (made->data, 4, "free");
  put_codestream (made->data);
  made = add_container (pictures, "no-codestream", TH_STATUS_CORRUPT);
  put_box (made->data, "free", huge, 8);
  made = add_container (pictures, "many-boxes", TH_STATUS_OK);
  for (guint i = 0; i < 60000; i++)
    put_box (made->data, "free", huge, 0);
  put_codestream (made->data);
  made = add_container (pictures, "boxes-in-boxes", TH_STATUS_OK);
  for (guint32 i = 0; i < 4000; i++)
    put_box (made->data, "brob", "brob", 4);
  put_codestream (made->data);
}

/* The codestream in parts of few bytes each. */
static void
add_parts (GPtrArray *pictures)
{
  Made *made = add_container (pictures, "many-parts", TH_STATUS_OK);
  g_autoptr (GByteArray) box = g_byte_array_new ();
  guint32 count = 0;

  put_codestream (box);
  for (guint at = 8; at < box->len; at += 7)
    {
      const guint n = MIN (box->len - at, 7);
      const guint32 number = GUINT32_TO_BE (count++ | (at + n == box->len ? 1u << 31 : 0));
      guint8 part[11];

      memcpy (part, &number, 4);
      memcpy (part + 4, box->data + at, n);
      put_box (made->data, "jxlp", part, 4 + n);
    }
}

/* Much that was compressed to next to nothing. */
static void
add_compressed (GPtrArray *pictures)
{
  static const JxlMaker maker = { "bomb-brotli", 8, .container = TRUE };
  const gsize size = 16 * 1024 * 1024;
  g_autofree guint8 *nothing = g_malloc0 (size);
  const JxlMakerBox box = { "xml ", nothing, size, TRUE };
  Made *made = add (pictures, maker.name, TH_STATUS_OK);
  JxlMakerFrame frame;

  made->drawn = made_drawing ((ThSize){ WIDTH, HEIGHT }, FALSE, FALSE);
  frame = (JxlMakerFrame){ .picture = made->drawn };
  jxl_maker_run (&maker, made->drawn->size, &frame, 1, &box, made->data);
  g_assert_cmpuint (made->data->len, <, 64 * 1024);
}

/* libjxl refuses a profile that is compressed beyond reason. */
static void
add_profile (GPtrArray *pictures)
{
  static const JxlColorEncoding grey = { .color_space = JXL_COLOR_SPACE_GRAY,
                                         .white_point = JXL_WHITE_POINT_D65,
                                         .transfer_function = JXL_TRANSFER_FUNCTION_SRGB };
  g_autoptr (GByteArray) profile = jxl_maker_profile (&grey);
  const JxlMaker maker = { "bomb-profile", 8, .grey = TRUE, .icc = profile };
  Made *made = add (pictures, maker.name, TH_STATUS_CORRUPT);
  g_autoptr (Picture) drawn = made_drawing ((ThSize){ WIDTH, HEIGHT }, TRUE, FALSE);
  const JxlMakerFrame frame = { .picture = drawn };
  const guint used = profile->len;
  guint32 size;

  g_byte_array_set_size (profile, 4 * 1024 * 1024);
  memset (profile->data + used, 0, profile->len - used);
  size = GUINT32_TO_BE (profile->len);
  memcpy (profile->data, &size, sizeof size);
  jxl_maker_run (&maker, drawn->size, &frame, 1, NULL, made->data);
  g_assert_cmpuint (made->data->len, <, 64 * 1024);
}

static void
add_channels (GPtrArray *pictures)
{
  static const JxlMaker maker = { "many-channels", 8, .more = 100 };
  Made *made = add (pictures, maker.name, TH_STATUS_OK);
  JxlMakerFrame frame;

  made->drawn = made_drawing ((ThSize){ WIDTH, HEIGHT }, FALSE, FALSE);
  frame = (JxlMakerFrame){ .picture = made->drawn };
  jxl_maker_run (&maker, made->drawn->size, &frame, 1, NULL, made->data);
}

/* What came is shown, and what did not come is made up. */
static void
add_cut (GPtrArray *pictures, const JxlMaker *maker, guint percent)
{
  Made *made = add (pictures, maker->name, TH_STATUS_PARTIAL);
  JxlMakerFrame frame;

  made->drawn = made_drawing ((ThSize){ 700, 600 }, FALSE, maker->alpha);
  made->mean = maker->mean;
  frame = (JxlMakerFrame){ .picture = made->drawn };
  jxl_maker_run (maker, made->drawn->size, &frame, 1, NULL, made->data);
  g_byte_array_set_size (made->data, made->data->len * percent / 100);
}

void
bombs_jxl (GPtrArray *pictures)
{
  static const JxlMaker lossy = { "cut-lossy", 8, .distance = 1, .mean = 6 };
  static const JxlMaker alpha = { "cut-alpha", 8, .alpha = TRUE, .distance = 1, .mean = 200 };
  static const JxlMaker exact = { "cut-exact", 8, .mean = 80 };

  add_sizes (pictures);
  add_boxes (pictures);
  add_parts (pictures);
  add_compressed (pictures);
  add_profile (pictures);
  add_channels (pictures);
  add_cut (pictures, &lossy, 80);
  add_cut (pictures, &alpha, 80);
  add_cut (pictures, &exact, 80);
}

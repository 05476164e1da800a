/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "made-webp.h"

#include <string.h>
#include <webp/encode.h>

#include "base/th-fit.h"

typedef struct
{
  const char *name;
  int width;
  int height;
  gboolean lossless;
  gboolean alpha;
  int partitions; /* log2 */
} WebpRow;

static const WebpRow rows[] = {
  { "lossy", 123, 77, FALSE, FALSE, 0 },       { "lossy-partitions", 123, 177, FALSE, FALSE, 3 },
  { "lossy-alpha", 61, 90, FALSE, TRUE, 0 },   { "lossless", 123, 77, TRUE, FALSE, 0 },
  { "lossless-alpha", 70, 41, TRUE, TRUE, 0 }, { "one", 1, 1, FALSE, FALSE, 0 },
  { "one-lossless", 1, 1, TRUE, TRUE, 0 },     { "wide", 700, 3, FALSE, FALSE, 0 },
  { "tall", 2, 900, TRUE, FALSE, 0 },          { "large", 1100, 900, FALSE, FALSE, 0 },
};

#define CANVAS_WIDTH  48u
#define CANVAS_HEIGHT 36u
#define FRAMES        9u

/* One frame; the canvas's size where it has none. */
typedef struct
{
  char what;    /* k: black, w: white, b: blue, t: nothing, p: a picture, a: one with soft alpha */
  guint8 flags; /* 1: cleared afterwards, 2: not blended */
  gboolean lossy;
  guint8 x, y, width, height;
} FrameRow;

typedef struct
{
  const char *name;
  FrameRow frames[FRAMES + 1];
  guint repeat; /* the first one, so many times more */
  guint cut;    /* bytes at the end */
  gboolean strange;
  guint32 side; /* of another canvas */
} AnimationRow;

static const AnimationRow animations[] = {
  { "black-first", { { 'k' }, { 'p' } } },
  { "black-first-lossy", { { 'k', 0, TRUE }, { 'p', 0, TRUE } } },
  { "white-first-lossy", { { 'w', 0, TRUE }, { 'p', 0, TRUE, 4, 6, 20, 10 } } },
  { "black-white-blue", { { 'k' }, { 'w' }, { 'b' } } },
  { "blue-then-picture", { { 'b' }, { 'p', 0, FALSE, 8, 6, 20, 10 } } },
  { "black-only", { { 'k' } }, 11 },
  { "late", { { 'k' }, { 'p' } }, 6 },
  { "too-late", { { 'k' }, { 'p' } }, 7 },
  { "many", { { 'k' }, { 'p' } }, 3000 },
  { "nothing-first", { { 't' }, { 'a', 0, FALSE, 8, 6, 20, 10 } } },
  { "nothing-first-lossy", { { 't', 0, TRUE }, { 'a', 0, TRUE, 8, 6, 20, 10 } } },
  { "part-first", { { 'k', 0, FALSE, 8, 6, 20, 10 }, { 'p' } } },
  { "blended", { { 'k' }, { 'a' } } },
  { "blended-lossy", { { 'k', 0, TRUE }, { 'a', 0, TRUE } } },
  { "replaced", { { 'k' }, { 'a', 2, FALSE, 8, 6, 20, 10 } } },
  { "cleared", { { 'k', 1 }, { 'a', 0, FALSE, 8, 6, 20, 10 } } },
  { "cleared-part",
    { { 'b' }, { 'b', 1, FALSE, 8, 6, 20, 10 }, { 'p', 0, FALSE, 30, 20, 10, 10 } } },
  { "cleared-to-nothing",
    { { 'k', 1 }, { 't', 1 }, { 'w', 1, TRUE }, { 'p', 0, FALSE, 2, 2, 3, 3 } } },
  { "cut-second", { { 'k' }, { 'a', 0, TRUE } }, .cut = 60 },
  { "outside-second", { { 'k' }, { 'p', 0, FALSE, 40, 30, 20, 20 } }, .strange = TRUE },
  /* Too large to be drawn on: the first frame. */
  { "huge-canvas", { { 'k', 0, FALSE, 0, 0, 2, 2 }, { 'p' } }, .side = 4097 },
};

static int
append (const uint8_t *data, size_t size, const WebPPicture *picture)
{
  g_byte_array_append (picture->custom_ptr, data, (guint) size);
  return 1;
}

static GByteArray *
encode (const WebpRow *row)
{
  GByteArray *out = g_byte_array_new ();
  WebPConfig config;
  WebPPicture picture;

  g_assert_true (WebPConfigInit (&config) && WebPPictureInit (&picture));
  config.lossless = row->lossless;
  config.partitions = row->partitions;
  config.method = 2;
  picture.use_argb = 1;
  picture.width = row->width;
  picture.height = row->height;
  picture.writer = append;
  picture.custom_ptr = out;
  g_assert_true (WebPPictureAlloc (&picture));
  for (int y = 0; y < row->height; y++)
    for (int x = 0; x < row->width; x++)
      {
        guint32 alpha = row->alpha ? (guint32) (x * 7 + y * 3) & 255 : 255;
        guint32 value = (guint32) (x * x / 9 + y * 5) & 255;

        picture.argb[y * picture.argb_stride + x] =
            alpha << 24 | value << 16 | ((guint32) (x + y) & 255) << 8 | (255 - value);
      }
  g_assert_true (WebPEncode (&config, &picture));
  WebPPictureFree (&picture);
  return out;
}

static void
append_u24 (GByteArray *out, guint32 value)
{
  guint8 bytes[3] = { (guint8) value, (guint8) (value >> 8), (guint8) (value >> 16) };

  g_byte_array_append (out, bytes, sizeof bytes);
}

static void
append_u32 (GByteArray *out, guint32 value)
{
  guint32 little = GUINT32_TO_LE (value);

  g_byte_array_append (out, (const guint8 *) &little, sizeof little);
}

static void
append_header (GByteArray *out, const char *tag, guint32 length)
{
  g_byte_array_append (out, (const guint8 *) tag, 4);
  append_u32 (out, length);
}

/* RIFF, VP8X and what stands between it and the picture. */
static GByteArray *
start_extended (guint8 flags, guint32 width, guint32 height)
{
  GByteArray *out = g_byte_array_new ();

  append_header (out, "RIFF", 0);
  g_byte_array_append (out, (const guint8 *) "WEBP", 4);
  append_header (out, "VP8X", 10);
  append_u32 (out, flags);
  append_u24 (out, width - 1);
  append_u24 (out, height - 1);
  return out;
}

static void
finish_extended (GByteArray *out)
{
  guint32 little = GUINT32_TO_LE (out->len - 8);

  memcpy (out->data + 4, &little, sizeof little);
}

/* Where the chunks of a picture without extended header start. */
#define PLAIN_START 12

static void
append_plain (GByteArray *out, const GByteArray *picture)
{
  g_byte_array_append (out, picture->data + PLAIN_START, picture->len - PLAIN_START);
}

static void
append_frame (GByteArray *out, const GByteArray *picture, ThSize size, guint32 x, guint32 y,
              guint8 flags)
{
  append_header (out, "ANMF", 16 + picture->len - PLAIN_START);
  append_u24 (out, x / 2);
  append_u24 (out, y / 2);
  append_u24 (out, size.width - 1);
  append_u24 (out, size.height - 1);
  append_u24 (out, 100);
  g_byte_array_append (out, &flags, 1);
  append_plain (out, picture);
}

static GByteArray *
start_animation (guint32 width, guint32 height)
{
  GByteArray *out = start_extended (0x12, width, height);

  append_header (out, "ANIM", 6);
  append_u32 (out, 0xffffffff);
  g_byte_array_append (out, (const guint8 *) "\0\0", 2);
  return out;
}

static GByteArray *
animate (const GByteArray *picture, const WebpRow *row, guint32 x, guint32 y)
{
  const ThSize size = { (guint32) row->width, (guint32) row->height };
  GByteArray *out = start_animation (size.width + 2 * x, size.height + 3 * y);

  append_frame (out, picture, size, x, y, 0);
  append_frame (out, picture, size, 0, 0, 0);
  finish_extended (out);
  return out;
}

static guint32
paint (char what, guint32 x, guint32 y)
{
  const guint32 soft = x * 5 << 16 | y * 7 << 8 | ((x + y) * 3 & 255);

  switch (what)
    {
    case 'k':
      return 0xff000000;
    case 'w':
      return 0xffffffff;
    case 'b':
      return 0xff2030e0;
    case 't':
      return 0;
    case 'a':
      return MIN (x * 9, 255) << 24 | soft;
    default:
      return 0xff000000 | soft;
    }
}

static GByteArray *
encode_frame (const FrameRow *row, ThSize size)
{
  GByteArray *out = g_byte_array_new ();
  WebPConfig config;
  WebPPicture picture;

  g_assert_true (WebPConfigInit (&config) && WebPPictureInit (&picture));
  config.lossless = !row->lossy;
  config.exact = 1;
  picture.use_argb = 1;
  picture.width = (int) size.width;
  picture.height = (int) size.height;
  picture.writer = append;
  picture.custom_ptr = out;
  g_assert_true (WebPPictureAlloc (&picture));
  for (guint32 y = 0; y < size.height; y++)
    for (guint32 x = 0; x < size.width; x++)
      picture.argb[(gsize) y * (gsize) picture.argb_stride + x] = paint (row->what, x, y);
  g_assert_true (WebPEncode (&config, &picture));
  WebPPictureFree (&picture);
  return out;
}

/* The chunks of a frame: its own extended header, where it has one, is left out. */
static void
strip_header (GByteArray *picture)
{
  if (memcmp (picture->data + PLAIN_START, "VP8X", 4) == 0)
    g_byte_array_remove_range (picture, PLAIN_START, 18);
}

static GByteArray *
make_animation (const AnimationRow *row)
{
  GByteArray *out = row->side > 0 ? start_animation (row->side, row->side)
                                  : start_animation (CANVAS_WIDTH, CANVAS_HEIGHT);

  for (guint i = 0; row->frames[i].what != 0; i++)
    {
      const FrameRow *frame = &row->frames[i];
      const ThSize size = { frame->width > 0 ? frame->width : CANVAS_WIDTH,
                            frame->height > 0 ? frame->height : CANVAS_HEIGHT };
      g_autoptr (GByteArray) picture = encode_frame (frame, size);

      strip_header (picture);
      for (guint n = 0; n <= (i == 0 ? row->repeat : 0); n++)
        append_frame (out, picture, size, frame->x, frame->y, frame->flags);
    }
  finish_extended (out);
  g_byte_array_set_size (out, out->len - row->cut);
  return out;
}

static GByteArray *
turn (const GByteArray *picture, const WebpRow *row)
{
  static const char exif[] = "Exif\0\0II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0"
                             "\0\0\0\0";
  GByteArray *out = start_extended (0x08, (guint32) row->width, (guint32) row->height);

  append_plain (out, picture);
  append_header (out, "EXIF", sizeof exif - 1);
  g_byte_array_append (out, (const guint8 *) exif, sizeof exif - 1);
  finish_extended (out);
  return out;
}

/* Says that it is an animation on another canvas, and is a still. */
static GByteArray *
mislabel (const GByteArray *picture)
{
  GByteArray *out = start_extended (0x02, 1, 1);

  append_plain (out, picture);
  finish_extended (out);
  return out;
}

static MadePicture *
add (GPtrArray *pictures, const char *name, const char *kind, GByteArray *data)
{
  MadePicture *made = g_new0 (MadePicture, 1);

  made->name = g_strconcat (name, kind, NULL);
  made->strange = strcmp (kind, "-mislabelled") == 0;
  made->data = data;
  g_ptr_array_add (pictures, made);
  return made;
}

static void
made_free (void *data)
{
  MadePicture *made = data;

  g_free (made->name);
  g_byte_array_unref (made->data);
  g_free (made);
}

GPtrArray *
made_webp_new (void)
{
  GPtrArray *pictures = g_ptr_array_new_with_free_func (made_free);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GByteArray *picture = encode (&rows[i]);

      add (pictures, rows[i].name, "", picture);
      if (memcmp (picture->data + PLAIN_START, "VP8X", 4) == 0)
        continue;
      add (pictures, rows[i].name, "-animated", animate (picture, &rows[i], 0, 0));
      add (pictures, rows[i].name, "-offset", animate (picture, &rows[i], 6, 10));
      add (pictures, rows[i].name, "-turned", turn (picture, &rows[i]));
      add (pictures, rows[i].name, "-mislabelled", mislabel (picture));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (animations); i++)
    {
      MadePicture *made = add (pictures, animations[i].name, "", make_animation (&animations[i]));

      made->strange = animations[i].strange || animations[i].cut > 0;
      made->cut = animations[i].cut > 0;
    }
  return pictures;
}

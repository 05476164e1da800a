/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "made-webp.h"

#include <string.h>
#include <webp/encode.h>

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
append_frame (GByteArray *out, const GByteArray *picture, const WebpRow *row, guint32 x, guint32 y)
{
  append_header (out, "ANMF", 16 + picture->len - PLAIN_START);
  append_u24 (out, x / 2);
  append_u24 (out, y / 2);
  append_u24 (out, (guint32) row->width - 1);
  append_u24 (out, (guint32) row->height - 1);
  append_u32 (out, 100); /* duration, and no flags */
  append_plain (out, picture);
}

static GByteArray *
animate (const GByteArray *picture, const WebpRow *row, guint32 x, guint32 y)
{
  GByteArray *out =
      start_extended (0x02, (guint32) row->width + 2 * x, (guint32) row->height + 3 * y);

  append_header (out, "ANIM", 6);
  append_u32 (out, 0xffffffff);
  g_byte_array_append (out, (const guint8 *) "\0\0", 2);
  append_frame (out, picture, row, x, y);
  append_frame (out, picture, row, 0, 0);
  finish_extended (out);
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

static void
add (GPtrArray *pictures, const char *name, const char *kind, GByteArray *data)
{
  MadePicture *made = g_new (MadePicture, 1);

  made->name = g_strconcat (name, kind, NULL);
  made->strange = strcmp (kind, "-mislabelled") == 0;
  made->data = data;
  g_ptr_array_add (pictures, made);
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
  return pictures;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "camera-maker.h"

#include <math.h>
#include <string.h>

#define SHORT     3
#define LONG      4
#define ASCII     2
#define UNDEFINED 7

/* Waves of several lengths, so that each part of it is like no other, none shorter than what the
 * smallest preview can show. */
static double
light (const Scene *scene, double x, double y, guint channel)
{
  double n = scene->number + 1;

  return 128 + 55 * sin (n * 5.1 * x + 9.7 * y * y + channel) + 40 * sin (31 * x * y + n * 7 * y)
         + 20 * sin (n + 57 * x - 23 * y + 2 * channel);
}

static guint8
paint (double x, double y, guint channel, gconstpointer data)
{
  const Scene *scene = data;
  gboolean whole = scene->left == scene->right;
  double value;

  if (x < scene->bars || x > 1 - scene->bars
      || (y >= scene->censored_from && y < scene->censored_to))
    return 0;
  x = (x - scene->bars) / (1 - 2 * scene->bars);
  x = whole ? x : scene->left + x * (scene->right - scene->left);
  y = whole ? y : scene->top + y * (scene->bottom - scene->top);
  value = y < scene->sky ? 190 - 20.0 * channel : light (scene, x, y, channel);
  value += channel == 2 ? scene->tint : 0;
  value += scene->grain * sin (260 * x) * sin (190 * y);
  value = CLAMP (value, 0, 255);
  return (guint8) (scene->inverted ? 255 - value : value);
}

GByteArray *
camera_shoot (const Shot *shot)
{
  return jpeg_make (&(JpegRecipe){
      .width = shot->width,
      .height = shot->height,
      .stored = shot->stored != JCS_UNKNOWN ? shot->stored : JCS_YCbCr,
      .h = shot->stored == JCS_UNKNOWN ? 2 : 1,
      .v = shot->stored == JCS_UNKNOWN ? 2 : 1,
      .progressive = shot->progressive,
      .no_jfif = TRUE,
      .paint = paint,
      .data = &shot->scene,
  });
}

static void
put (GByteArray *to, const void *data, gsize size)
{
  g_byte_array_append (to, data, (guint) size);
}

static void
put16 (GByteArray *to, guint32 value)
{
  guint16 raw = GUINT16_TO_LE ((guint16) value);

  put (to, &raw, sizeof raw);
}

static void
put32 (GByteArray *to, guint32 value)
{
  guint32 raw = GUINT32_TO_LE (value);

  put (to, &raw, sizeof raw);
}

static void
put_entry (GByteArray *to, guint32 tag, guint32 type, guint32 count, guint32 value)
{
  put16 (to, tag);
  put16 (to, type);
  put32 (to, count);
  put32 (to, value);
}

/* Bytes of a directory with so many entries. */
#define IFD_BYTES(entries) (2u + 12u * (entries) + 4u)

/* IFD0, IFD1, the Exif directory, two dates and the preview, one after the other. */
static GByteArray *
make_exif (const CameraRecipe *recipe)
{
  GByteArray *block = g_byte_array_new ();
  guint32 ifd1 = 8 + IFD_BYTES (3), exif = ifd1 + IFD_BYTES (3), dates = exif + IFD_BYTES (3);
  guint32 preview = dates + 40;
  const char *changed = recipe->changed != NULL ? recipe->changed : "";
  const char *taken = recipe->taken != NULL ? recipe->taken : "";
  guint32 length = recipe->preview != NULL ? recipe->preview->len : 0;

  put (block, "Exif\0\0II*\0", 10);
  put32 (block, 8);
  put16 (block, 3);
  put_entry (block, 0x0112, SHORT, 1, recipe->orientation);
  put_entry (block, 0x0132, ASCII, (guint32) strlen (changed), dates);
  put_entry (block, 0x8769, LONG, 1, recipe->loop ? 8 : exif);
  put32 (block, recipe->loop ? 8 : ifd1);
  put16 (block, 3);
  put_entry (block, 0x0112, SHORT, 1, recipe->preview_orientation);
  put_entry (block, 0x0201, LONG, 1, recipe->preview_lies ? recipe->preview_offset : preview);
  put_entry (block, 0x0202, LONG, 1, recipe->preview_lies ? recipe->preview_length : length);
  put32 (block, ifd1);
  put16 (block, 3);
  put_entry (block, 0x9003, ASCII, (guint32) strlen (taken), dates + 20);
  put_entry (block, 0xa002, LONG, 1, recipe->said_width);
  put_entry (block, 0xa003, LONG, 1, recipe->said_height);
  put32 (block, exif);
  put (block, changed, strlen (changed));
  g_byte_array_set_size (block, 6 + dates + 20);
  put (block, taken, strlen (taken));
  g_byte_array_set_size (block, 6 + preview);
  if (recipe->preview != NULL)
    put (block, recipe->preview->data, recipe->preview->len);
  return block;
}

/* end: where the main picture ends; base: where the byte-order mark lies. */
static GByteArray *
make_index (const CameraRecipe *recipe, guint32 base, guint32 end)
{
  GByteArray *index = g_byte_array_new ();

  put (index, "MPF\0II*\0", 8);
  put32 (index, 8);
  put16 (index, 2);
  put_entry (index, 0xb001, LONG, 1, CAMERA_PICTURES + 1);
  put_entry (index, 0xb002, UNDEFINED, 16 * (CAMERA_PICTURES + 1), 8 + IFD_BYTES (2));
  put32 (index, recipe->loop ? 8 : 0);
  put32 (index, 0x20030000);
  put32 (index, end);
  put (index, "\0\0\0\0\0\0\0\0", 8);
  for (guint i = 0; i < CAMERA_PICTURES; i++)
    {
      const CameraPicture *picture = &recipe->pictures[i];
      guint32 length = picture->jpeg != NULL ? picture->jpeg->len : 0;

      put32 (index, picture->type);
      put32 (index, picture->lies ? picture->length : length);
      put32 (index, picture->lies ? picture->offset : end - base);
      put32 (index, 0);
      end += length;
    }
  return index;
}

static gboolean
has_pictures (const CameraRecipe *recipe)
{
  for (guint i = 0; i < CAMERA_PICTURES; i++)
    if (recipe->pictures[i].type != 0)
      return TRUE;
  return FALSE;
}

/* Segments are put in from the last to the first. */
GByteArray *
camera_make (const CameraRecipe *recipe)
{
  static const guint8 jfif[] = { 'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0 };
  static const guint8 content[] = { 'P', 'h', 'o', 't', 'o', 's', 'h', 'o', 'p', 0, 0, 0, 0, 0 };
  GByteArray *file = camera_shoot (&recipe->shot);
  g_autoptr (GByteArray) exif = make_exif (recipe);

  if (recipe->marker_after != 0)
    jpeg_insert_segment (file, recipe->marker_after, content, sizeof content);
  if (recipe->jfif)
    jpeg_insert_segment (file, 0xe0, jfif, sizeof jfif);
  if (has_pictures (recipe))
    {
      /* Its own length does not depend on what is in it. */
      g_autoptr (GByteArray) probe = make_index (recipe, 0, 0);
      guint32 before = 2 + 4 + exif->len;
      guint32 end = file->len + 4 + exif->len + 4 + probe->len;
      g_autoptr (GByteArray) index = make_index (recipe, before + 4 + 4, end);

      jpeg_insert_segment (file, 0xe2, index->data, (guint16) index->len);
    }
  jpeg_insert_segment (file, 0xe1, exif->data, (guint16) exif->len);
  if (recipe->marker_before != 0)
    jpeg_insert_segment (file, recipe->marker_before, content, sizeof content);
  for (guint i = 0; i < CAMERA_PICTURES; i++)
    if (recipe->pictures[i].jpeg != NULL)
      put (file, recipe->pictures[i].jpeg->data, recipe->pictures[i].jpeg->len);
  return file;
}

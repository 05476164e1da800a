/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "picture.h"

#include <gif_lib.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/demux.h>

typedef struct
{
  const char *codec;
  Picture *(*decode) (ThBytes data);
} ReferenceRow;

/* libpng's simple interface is no reference: 1.6.39 gives other pixels for an interlaced picture of
 * 16 bits than for the same one in plain rows. */
typedef struct
{
  ThBytes rest;
  png_structp png;
  png_infop info;
  Picture *picture;
} PngReader;

static void
read_png (png_structp png, png_bytep buffer, size_t length)
{
  ThBytes *rest = png_get_io_ptr (png);

  if (length > rest->size)
    png_error (png, "the end");
  memcpy (buffer, rest->data, length);
  *rest = (ThBytes){ rest->data + length, rest->size - length };
}

static void
on_error (png_structp png, png_const_charp text)
{
  png_longjmp (png, 1);
}

static void
ignore_warning (png_structp png, png_const_charp text)
{
}

static void
read_png_rows (PngReader *reader)
{
  png_structp png = reader->png;
  int passes;

  png_set_read_fn (png, &reader->rest, read_png);
  png_read_info (png, reader->info);
  png_set_expand (png);
  png_set_scale_16 (png);
  png_set_gray_to_rgb (png);
  png_set_add_alpha (png, 255, PNG_FILLER_AFTER);
  passes = png_set_interlace_handling (png);
  png_read_update_info (png, reader->info);
  reader->picture = picture_new ((ThSize){ png_get_image_width (png, reader->info),
                                           png_get_image_height (png, reader->info) });
  for (; passes > 0; passes--)
    for (guint32 y = 0; y < reader->picture->size.height; y++)
      png_read_row (png, reader->picture->rgba + (gsize) y * reader->picture->size.width * 4, NULL);
}

static gboolean
guarded (PngReader *reader)
{
  if (setjmp (png_jmpbuf (reader->png)) != 0)
    return FALSE;
  read_png_rows (reader);
  return TRUE;
}

static Picture *
decode_png (ThBytes data)
{
  PngReader reader = { .rest = data };
  gboolean done;

  reader.png = png_create_read_struct (PNG_LIBPNG_VER_STRING, NULL, on_error, ignore_warning);
  reader.info = png_create_info_struct (reader.png);
  done = guarded (&reader);
  png_destroy_read_struct (&reader.png, &reader.info, NULL);
  if (!done)
    g_clear_pointer (&reader.picture, picture_free);
  return reader.picture;
}

/* 2: its pixels differ; 1: it is of one colour; 0: that is black, white or none. */
static guint
worth (const guint8 *rgba, gsize n)
{
  gboolean black = rgba[0] <= 8 && rgba[1] <= 8 && rgba[2] <= 8;
  gboolean white = rgba[0] >= 247 && rgba[1] >= 247 && rgba[2] >= 247;

  for (gsize i = 1; i < n; i++)
    for (guint k = 0; k < 4; k++)
      if (ABS (rgba[k] - rgba[4 * i + k]) > 8)
        return 2;
  return rgba[3] > 8 && !black && !white ? 1 : 0;
}

/* The best of the first eight canvases, the first of equals. */
static Picture *
decode_webp (ThBytes data)
{
  WebPData bytes = { data.data, data.size };
  WebPAnimDecoder *decoder = WebPAnimDecoderNew (&bytes, NULL);
  g_autoptr (Picture) picture = NULL;
  WebPAnimInfo info;
  guint8 *frame;
  gsize n;
  int time;

  if (decoder == NULL)
    return NULL;
  g_assert_true (WebPAnimDecoderGetInfo (decoder, &info));
  n = (gsize) info.canvas_width * info.canvas_height;
  for (guint i = 0; i < 8 && WebPAnimDecoderGetNext (decoder, &frame, &time); i++)
    {
      if (picture != NULL && worth (frame, n) <= worth (picture->rgba, n))
        continue;
      g_clear_pointer (&picture, picture_free);
      picture = picture_new ((ThSize){ info.canvas_width, info.canvas_height });
      memcpy (picture->rgba, frame, n * 4);
    }
  WebPAnimDecoderDelete (decoder);
  return g_steal_pointer (&picture);
}

static int
read_gif (GifFileType *gif, GifByteType *buffer, int length)
{
  ThBytes *rest = gif->UserData;
  gsize n = MIN (rest->size, (gsize) length);

  memcpy (buffer, rest->data, n);
  *rest = (ThBytes){ rest->data + n, rest->size - n };
  return (int) n;
}

static GraphicsControlBlock
control_of (const SavedImage *image)
{
  GraphicsControlBlock control = { .TransparentColor = NO_TRANSPARENT_COLOR };

  for (int i = 0; i < image->ExtensionBlockCount; i++)
    if (image->ExtensionBlocks[i].Function == GRAPHICS_EXT_FUNC_CODE)
      DGifExtensionToGCB ((gsize) image->ExtensionBlocks[i].ByteCount,
                          image->ExtensionBlocks[i].Bytes, &control);
  return control;
}

/* Pixel by pixel; erase: the frame's place becomes transparent. */
static void
draw_gif_frame (const GifFileType *gif, const SavedImage *image, Picture *canvas, gboolean erase)
{
  const GifImageDesc *frame = &image->ImageDesc;
  const ColorMapObject *map = frame->ColorMap != NULL ? frame->ColorMap : gif->SColorMap;
  int transparent = control_of (image).TransparentColor;

  for (int y = 0; y < frame->Height && frame->Top + y < (int) canvas->size.height; y++)
    for (int x = 0; x < frame->Width && frame->Left + x < (int) canvas->size.width; x++)
      {
        int index = image->RasterBits[y * frame->Width + x];
        GifColorType color = { (GifByteType) index, (GifByteType) index, (GifByteType) index };
        guint8 *pixel =
            canvas->rgba
            + ((gsize) (frame->Top + y) * canvas->size.width + (gsize) (frame->Left + x)) * 4;

        if (map != NULL)
          color = index < map->ColorCount ? map->Colors[index] : (GifColorType){ 0 };
        if (erase)
          memset (pixel, 0, 4);
        else if (index != transparent)
          memcpy (pixel, (guint8[]){ color.Red, color.Green, color.Blue, 255 }, 4);
      }
}

static Picture *
copy_picture (const Picture *picture)
{
  Picture *copy = picture_new (picture->size);

  memcpy (copy->rgba, picture->rgba, (gsize) picture->size.width * picture->size.height * 4);
  return copy;
}

/* The best of the first eight canvases, the first of equals. */
static Picture *
compose_gif (const GifFileType *gif)
{
  const GifImageDesc *frame = &gif->SavedImages[0].ImageDesc;
  int width = gif->SWidth > 0 ? gif->SWidth : frame->Left + frame->Width;
  int height = gif->SHeight > 0 ? gif->SHeight : frame->Top + frame->Height;
  g_autoptr (Picture) canvas = picture_new ((ThSize){ (guint32) width, (guint32) height });
  const gsize n = (gsize) width * (gsize) height;
  Picture *best = NULL;

  for (int i = 0; i < gif->ImageCount && i < 8; i++)
    {
      const SavedImage *image = &gif->SavedImages[i];
      g_autoptr (Picture) before = copy_picture (canvas);

      draw_gif_frame (gif, image, canvas, FALSE);
      if (best == NULL || worth (canvas->rgba, n) > worth (best->rgba, n))
        {
          g_clear_pointer (&best, picture_free);
          best = copy_picture (canvas);
        }
      if (control_of (image).DisposalMode == DISPOSE_BACKGROUND)
        draw_gif_frame (gif, image, canvas, TRUE);
      if (control_of (image).DisposalMode == DISPOSE_PREVIOUS)
        memcpy (canvas->rgba, before->rgba, (gsize) width * (gsize) height * 4);
    }
  return best;
}

static Picture *
decode_gif (ThBytes data)
{
  GifFileType *gif = DGifOpen (&data, read_gif, NULL);
  Picture *picture = NULL;

  if (gif == NULL)
    return NULL;
  if (DGifSlurp (gif) == GIF_OK && gif->ImageCount > 0)
    picture = compose_gif (gif);
  DGifCloseFile (gif, NULL);
  return picture;
}

static const ReferenceRow rows[] = {
  { "png", decode_png },
  { "gif", decode_gif },
  { "webp", decode_webp },
};

Picture *
picture_reference (const char *codec, ThBytes data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_strcmp0 (rows[i].codec, codec) == 0)
      return rows[i].decode (data);
  return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/gif-file.h"

#include <string.h>

/* Comments, XMP and the like before the first frame. */
#define EXTENSIONS_MAX (32u * 1024u * 1024u)

#define BLOCK_EXTENSION 0x21u
#define BLOCK_FRAME     0x2cu

static ThStatus
fail (ThStatus status, GError **error, const char *what)
{
  g_set_error (error, TH_ERROR, th_status_to_error (status), "GIF: %s", what);
  return status;
}

static ThStatus
fail_with (const ThGifFile *file, int code, GError **error)
{
  const char *what = GifErrorString (code);

  if (th_input_failed (file->input))
    return fail (TH_STATUS_IO, error, th_status_describe (TH_STATUS_IO));
  if (code == D_GIF_ERR_NOT_ENOUGH_MEM)
    return fail (TH_STATUS_NO_MEMORY, error, th_status_describe (TH_STATUS_NO_MEMORY));
  return fail (TH_STATUS_CORRUPT, error, what != NULL ? what : "the file ends too early");
}

ThStatus
th_gif_file_fail (const ThGifFile *file, GError **error)
{
  return fail_with (file, file->gif->Error, error);
}

/* Through the window: giflib asks for a few bytes at a time, 255 at the most. */
static guint
read_some (ThGifFile *file, GifByteType *buffer, int length)
{
  const ThBytes bytes = th_input_peek (file->input, file->offset, (gsize) length);
  const guint got = (guint) MIN (bytes.size, (gsize) length);

  memcpy (buffer, bytes.data, got);
  file->offset += got;
  return got;
}

/* Within a frame's data giflib reads a length, then that many bytes. Where the file ends in between
 * the length is shortened, so that giflib gets everything that is there, and then the end. */
static int
read_data (ThGifFile *file, GifByteType *buffer, int length)
{
  const guint64 size = th_input_size (file->input);
  const guint got = read_some (file, buffer, length);

  if (file->block_left > 0)
    {
      file->block_left -= MIN (file->block_left, got);
      return (int) got;
    }
  buffer[0] = got > 0 ? (GifByteType) MIN (buffer[0], size - file->offset) : 0;
  file->block_left = buffer[0];
  return 1;
}

static int
on_read (GifFileType *gif, GifByteType *buffer, int length)
{
  ThGifFile *file = gif->UserData;

  if (file->in_data)
    return read_data (file, buffer, length);
  return file->offset > EXTENSIONS_MAX ? 0 : (int) read_some (file, buffer, length);
}

ThStatus
th_gif_file_open (ThGifFile *file, ThInput *input, GError **error)
{
  int code = 0;

  *file = (ThGifFile){ .input = input };
  file->gif = DGifOpen (file, on_read, &code);
  return file->gif != NULL ? TH_STATUS_OK : fail_with (file, code, error);
}

void
th_gif_file_close (ThGifFile *file)
{
  if (file->gif != NULL)
    DGifCloseFile (file->gif, NULL);
  file->gif = NULL;
}

static gboolean
take_extension (ThGifFile *file)
{
  GifByteType *data;
  int code;

  if (DGifGetExtension (file->gif, &code, &data) == GIF_ERROR)
    return FALSE;
  while (data != NULL)
    {
      GraphicsControlBlock control;

      if (code == GRAPHICS_EXT_FUNC_CODE
          && DGifExtensionToGCB (data[0], data + 1, &control) == GIF_OK)
        {
          file->transparent = control.TransparentColor;
          file->disposal = control.DisposalMode;
        }
      if (DGifGetExtensionNext (file->gif, &data) == GIF_ERROR)
        return FALSE;
    }
  return TRUE;
}

ThStatus
th_gif_file_next (ThGifFile *file, GError **error)
{
  GifFileType *gif = file->gif;
  GifRecordType type = UNDEFINED_RECORD_TYPE;

  file->in_data = FALSE;
  file->transparent = NO_TRANSPARENT_COLOR;
  file->disposal = DISPOSAL_UNSPECIFIED;
  while (DGifGetRecordType (gif, &type) == GIF_OK)
    {
      if (type == TERMINATE_RECORD_TYPE)
        return fail (TH_STATUS_NO_CONTENT, error, "the file has no frame");
      if (type == IMAGE_DESC_RECORD_TYPE && DGifGetImageDesc (gif) == GIF_OK)
        {
          file->in_data = TRUE;
          return TH_STATUS_OK;
        }
      if (type != EXTENSION_RECORD_TYPE || !take_extension (file))
        break;
    }
  return th_gif_file_fail (file, error);
}

gboolean
th_gif_file_line (ThGifFile *file, guint8 *indexes)
{
  return DGifGetLine (file->gif, indexes, file->gif->Image.Width) == GIF_OK;
}

guint32
th_gif_file_row (const ThGifFile *file, guint32 n)
{
  static const struct
  {
    guint32 first, step;
  } passes[] = { { 0, 8 }, { 4, 8 }, { 2, 4 }, { 1, 2 } };
  const guint32 height = (guint32) file->gif->Image.Height;

  for (gsize i = 0; file->gif->Image.Interlace && i < G_N_ELEMENTS (passes); i++)
    {
      const guint32 first = passes[i].first, step = passes[i].step;
      const guint32 lines = height > first ? (height - first + step - 1) / step : 0;

      if (n < lines)
        return first + n * step;
      n -= lines;
    }
  return n;
}

void
th_gif_file_palette (const ThGifFile *file, guint channels, guint8 *palette)
{
  const ColorMapObject *map =
      file->gif->Image.ColorMap != NULL ? file->gif->Image.ColorMap : file->gif->SColorMap;

  for (int i = 0; i < 256; i++)
    {
      guint8 *pixel = palette + (gsize) i * channels;

      memset (pixel, map == NULL ? i : 0, 3);
      if (map != NULL && i < map->ColorCount)
        memcpy (pixel, (guint8[]){ map->Colors[i].Red, map->Colors[i].Green, map->Colors[i].Blue },
                3);
      if (channels == 4)
        pixel[3] = i == file->transparent ? 0 : 255;
    }
}

static guint32
part_on_canvas (int first, int length, guint32 canvas)
{
  return (guint32) first < canvas ? MIN ((guint32) length, canvas - (guint32) first) : 0;
}

ThSize
th_gif_file_visible (const ThGifFile *file, ThSize canvas)
{
  const GifImageDesc *frame = &file->gif->Image;
  ThSize size = { part_on_canvas (frame->Left, frame->Width, canvas.width),
                  part_on_canvas (frame->Top, frame->Height, canvas.height) };

  return size.width > 0 && size.height > 0 ? size : (ThSize){ 0, 0 };
}

/* Behind data blocks; G_MAXUINT64 where the file ends within. */
static guint64
skip_blocks (ThInput *input, guint64 offset)
{
  guint8 length = 0;

  while (th_bytes_u8 (th_input_peek (input, offset, 1), 0, &length))
    {
      offset += 1u + length;
      if (length == 0)
        return offset;
    }
  return G_MAXUINT64;
}

gboolean
th_gif_file_goes_on (const ThGifFile *file)
{
  guint64 offset = skip_blocks (file->input, file->offset);
  guint8 type = 0;

  while (offset != G_MAXUINT64 && th_bytes_u8 (th_input_peek (file->input, offset, 1), 0, &type)
         && type == BLOCK_EXTENSION)
    offset = skip_blocks (file->input, offset + 2);
  return type == BLOCK_FRAME;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/png-head.h"

#include <string.h>
#include <zlib.h>

#include "core/th-exif.h"

#define SIGNATURE   "\211PNG\r\n\032\n"
#define IHDR_BYTES  13
#define FIRST_CHUNK (8 + 8 + IHDR_BYTES + 4)
#define CHUNK_EXTRA 12u         /* length, type and CRC */
#define CHUNK_MAX   0x7fffffffu /* the standard's */
#define TYPE(a, b, c, d)                                                                           \
  ((guint32) (a) << 24 | (guint32) (b) << 16 | (guint32) (c) << 8 | (guint32) (d))
#define TYPE_IHDR TYPE ('I', 'H', 'D', 'R')
#define TYPE_IDAT TYPE ('I', 'D', 'A', 'T')
/* Chunks before the picture; real files have tens. */
#define CHUNKS_MAX 4096u
/* Profiles of cameras and printers stay under 3 MiB. */
#define ICC_MIN_BYTES 128u
#define ICC_MAX_BYTES (4u * 1024u * 1024u)

typedef struct
{
  guint32 type;
  /* Payload at offset, length bytes; whatever is wrong with it is ignored here. */
  void (*read) (ThPngHead *head, ThInput *input, guint64 offset, guint32 length);
} ChunkRow;

static ThStatus
corrupt (GError **error, const char *what)
{
  g_set_error (error, TH_ERROR, TH_ERROR_INVALID_FORMAT, "PNG: %s", what);
  return TH_STATUS_CORRUPT;
}

static gboolean
valid_shape (ThPngColor color, guint8 depth)
{
  switch (color)
    {
    case TH_PNG_GREY:
      return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case TH_PNG_PALETTE:
      return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case TH_PNG_RGB:
    case TH_PNG_GREY_ALPHA:
    case TH_PNG_RGB_ALPHA:
      return depth == 8 || depth == 16;
    default:
      return FALSE;
    }
}

static ThStatus
read_ihdr (ThPngHead *head, ThInput *input, const ThLimits *limits, GError **error)
{
  ThBytes bytes = th_input_peek (input, 0, FIRST_CHUNK);
  guint32 length, type, sum;
  const guint8 *field;

  if (bytes.size < FIRST_CHUNK)
    return corrupt (error, "the file ends within its header");
  th_bytes_u32 (bytes, 8, TRUE, &length);
  th_bytes_u32 (bytes, 12, TRUE, &type);
  th_bytes_u32 (bytes, FIRST_CHUNK - 4, TRUE, &sum);
  if (memcmp (bytes.data, SIGNATURE, 8) != 0 || length != IHDR_BYTES || type != TYPE_IHDR)
    return corrupt (error, "the header is not where it belongs");
  /* A wrong sum is tolerated everywhere else, but with wrong sides there is no picture at all. */
  if (sum != crc32 (0, bytes.data + 12, 4 + IHDR_BYTES))
    return corrupt (error, "the header is damaged");
  th_bytes_u32 (bytes, 16, TRUE, &head->size.width);
  th_bytes_u32 (bytes, 20, TRUE, &head->size.height);
  field = bytes.data + 24; /* depth, colour type, compression, filter, interlace */
  head->depth = field[0];
  head->color = (ThPngColor) field[1];
  head->interlaced = field[4] == 1;
  if (!valid_shape (head->color, head->depth) || field[2] != 0 || field[3] != 0 || field[4] > 1)
    return corrupt (error, "the header names a kind of picture that does not exist");
  if (head->size.width > CHUNK_MAX || head->size.height > CHUNK_MAX)
    return corrupt (error, "a side is beyond the format's own limit");
  return th_limits_check_size (limits, head->size.width, head->size.height, error);
}

/* How many of length bytes there are. */
static guint
read_some (ThInput *input, guint64 offset, guint8 *buffer, guint32 length)
{
  const gssize got = th_input_read (input, offset, buffer, length);

  return (guint) MAX (got, 0);
}

static void
read_palette (ThPngHead *head, ThInput *input, guint64 offset, guint32 length)
{
  if (head->n_palette > 0 || length % 3 != 0 || length > sizeof head->palette)
    return;
  head->n_trns = 0; /* one before the palette has no meaning */
  head->n_palette = read_some (input, offset, head->palette, length) / 3;
}

static void
read_trns (ThPngHead *head, ThInput *input, guint64 offset, guint32 length)
{
  guint wanted = head->color == TH_PNG_GREY ? 2 : head->color == TH_PNG_RGB ? 6 : head->n_palette;

  if (head->n_trns > 0 || head->color == TH_PNG_GREY_ALPHA || head->color == TH_PNG_RGB_ALPHA)
    return;
  if (head->color != TH_PNG_PALETTE && length != wanted)
    return;
  head->n_trns = read_some (input, offset, head->trns, MIN (length, wanted));
  if (head->color != TH_PNG_PALETTE && head->n_trns < wanted)
    head->n_trns = 0;
}

static void
read_animation (ThPngHead *head, ThInput *input, guint64 offset, guint32 length)
{
  guint32 frames;

  if (th_bytes_u32 (th_input_peek (input, offset, 4), 0, TRUE, &frames) && length >= 8)
    head->frames = MAX (frames, 1);
}

static void
read_exif (ThPngHead *head, ThInput *input, guint64 offset, guint32 length)
{
  ThBytes bytes = th_input_peek (input, offset, MIN (length, TH_INPUT_WINDOW));

  bytes.size = MIN (bytes.size, length);
  head->orientation = th_exif_orientation (bytes);
}

/* Inflates into out, which is full afterwards. OK, CORRUPT, NO_MEMORY. */
static ThStatus
inflate_some (z_stream *zip, ThInput *input, guint64 *offset, guint64 end, guint8 *out, gsize size)
{
  int result = Z_OK;

  zip->next_out = out;
  zip->avail_out = (uInt) size;
  while (zip->avail_out > 0 && result == Z_OK && *offset < end)
    {
      ThBytes bytes = th_input_peek (input, *offset, MIN (end - *offset, TH_INPUT_WINDOW));

      zip->next_in = (Bytef *) bytes.data;
      zip->avail_in = (uInt) MIN (bytes.size, end - *offset);
      if (zip->avail_in == 0)
        break;
      bytes.size = zip->avail_in;
      result = inflate (zip, Z_SYNC_FLUSH);
      *offset += bytes.size - zip->avail_in;
    }
  if (result == Z_MEM_ERROR)
    return TH_STATUS_NO_MEMORY;
  return zip->avail_out == 0 ? TH_STATUS_OK : TH_STATUS_CORRUPT;
}

/* CORRUPT: there is no profile that could be used. */
static ThStatus
read_profile_data (ThPngHead *head, z_stream *zip, ThInput *input, guint64 offset, guint64 end)
{
  guint8 start[ICC_MIN_BYTES];
  g_autofree guint8 *profile = NULL;
  guint32 size;
  ThStatus status = inflate_some (zip, input, &offset, end, start, sizeof start);

  if (status != TH_STATUS_OK)
    return status;
  th_bytes_u32 ((ThBytes){ start, sizeof start }, 0, TRUE, &size);
  if (size < ICC_MIN_BYTES || size > ICC_MAX_BYTES)
    return TH_STATUS_CORRUPT;
  profile = g_try_malloc (size);
  if (profile == NULL)
    return TH_STATUS_NO_MEMORY;
  memcpy (profile, start, sizeof start);
  if (size > sizeof start)
    status = inflate_some (zip, input, &offset, end, profile + sizeof start, size - sizeof start);
  if (status != TH_STATUS_OK)
    return status;
  head->icc = g_steal_pointer (&profile);
  head->icc_size = size;
  return TH_STATUS_OK;
}

static void
read_profile (ThPngHead *head, ThInput *input, guint64 offset, guint32 length)
{
  ThBytes name = th_input_peek (input, offset, MIN (length, 82));
  const guint8 *nul = memchr (name.data, 0, MIN (name.size, 80));
  z_stream zip = { 0 };
  gsize skip;
  int result;

  if (nul == NULL || head->icc != NULL || head->no_memory)
    return;
  skip = (gsize) (nul - name.data) + 2; /* the name's end and the method */
  if (skip >= length || skip > name.size || nul[1] != 0)
    return;
  result = inflateInit (&zip);
  head->no_memory = result == Z_MEM_ERROR;
  if (result != Z_OK)
    return;
  head->no_memory =
      read_profile_data (head, &zip, input, offset + skip, offset + length) == TH_STATUS_NO_MEMORY;
  inflateEnd (&zip);
}

static void
read_cicp (ThPngHead *head, ThInput *input, guint64 offset, guint32 length)
{
  th_png_colors_read_cicp (&head->colors, input, offset, length);
}

static void
read_srgb (ThPngHead *head, ThInput *input, guint64 offset, guint32 length)
{
  th_png_colors_read_srgb (&head->colors, input, offset, length);
}

static void
read_gamma (ThPngHead *head, ThInput *input, guint64 offset, guint32 length)
{
  th_png_colors_read_gamma (&head->colors, input, offset, length);
}

static void
read_chroma (ThPngHead *head, ThInput *input, guint64 offset, guint32 length)
{
  th_png_colors_read_chroma (&head->colors, input, offset, length);
}

static const ChunkRow chunk_rows[] = {
  { TYPE ('P', 'L', 'T', 'E'), read_palette },   { TYPE ('t', 'R', 'N', 'S'), read_trns },
  { TYPE ('a', 'c', 'T', 'L'), read_animation }, { TYPE ('e', 'X', 'I', 'f'), read_exif },
  { TYPE ('i', 'C', 'C', 'P'), read_profile },   { TYPE ('c', 'I', 'C', 'P'), read_cicp },
  { TYPE ('s', 'R', 'G', 'B'), read_srgb },      { TYPE ('g', 'A', 'M', 'A'), read_gamma },
  { TYPE ('c', 'H', 'R', 'M'), read_chroma },
};

/* FALSE for a chunk that no reader may pass over without understanding it. */
static gboolean
take_chunk (ThPngHead *head, ThInput *input, guint64 offset, guint32 type, guint32 length)
{
  for (gsize i = 0; i < G_N_ELEMENTS (chunk_rows); i++)
    if (chunk_rows[i].type == type)
      {
        chunk_rows[i].read (head, input, offset, length);
        return TRUE;
      }
  return g_ascii_islower ((gchar) (type >> 24));
}

static ThStatus
read_chunks (ThPngHead *head, ThInput *input, GError **error)
{
  guint64 offset = FIRST_CHUNK;
  guint32 length, type;

  for (guint i = 0; i < CHUNKS_MAX; i++)
    {
      ThBytes bytes = th_input_peek (input, offset, 8);

      if (!th_bytes_u32 (bytes, 0, TRUE, &length) || !th_bytes_u32 (bytes, 4, TRUE, &type))
        return corrupt (error, "the file ends before the picture");
      head->idat = offset;
      if (type == TYPE_IDAT)
        return TH_STATUS_OK;
      if (length > CHUNK_MAX || !take_chunk (head, input, offset + 8, type, length))
        return corrupt (error, "there is something unknown before the picture");
      offset += (guint64) length + CHUNK_EXTRA;
    }
  return corrupt (error, "too many chunks stand before the picture");
}

/* Not the file's fault, whatever was made of it. */
static ThStatus
not_judged (ThStatus status, GError **error)
{
  g_clear_error (error);
  g_set_error (error, TH_ERROR, th_status_to_error (status), "PNG: %s",
               th_status_describe (status));
  return status;
}

ThStatus
th_png_head_read (ThPngHead *head, ThInput *input, const ThLimits *limits, GError **error)
{
  ThStatus status;

  *head = (ThPngHead){ .orientation = 1, .frames = 1 };
  status = read_ihdr (head, input, limits, error);
  if (status == TH_STATUS_OK)
    status = read_chunks (head, input, error);
  if (status == TH_STATUS_OK && head->color == TH_PNG_PALETTE && head->n_palette == 0)
    status = corrupt (error, "the palette is missing");
  if (status == TH_STATUS_TOO_LARGE)
    return status;
  if (th_input_failed (input))
    return not_judged (TH_STATUS_IO, error);
  return head->no_memory ? not_judged (TH_STATUS_NO_MEMORY, error) : status;
}

void
th_png_head_clear (ThPngHead *head)
{
  g_clear_pointer (&head->icc, g_free);
}

guint
th_png_head_pixel_bits (const ThPngHead *head)
{
  static const guint8 samples[] = { 1, 0, 3, 1, 2, 0, 4 };

  return (guint) samples[head->color] * head->depth;
}

gsize
th_png_head_row_bytes (const ThPngHead *head, guint32 width)
{
  return (gsize) (((guint64) width * th_png_head_pixel_bits (head) + 7) / 8);
}

void
th_png_idat_init (ThPngIdat *idat, ThInput *input, const ThPngHead *head)
{
  *idat = (ThPngIdat){ .input = input, .offset = head->idat };
}

/* At the start of a chunk: TRUE where it is one more of the picture. */
static gboolean
next_chunk (ThPngIdat *idat)
{
  ThBytes bytes = th_input_peek (idat->input, idat->offset, 8);
  guint32 length, type;

  if (!th_bytes_u32 (bytes, 0, TRUE, &length) || !th_bytes_u32 (bytes, 4, TRUE, &type)
      || type != TYPE_IDAT || length > CHUNK_MAX)
    return FALSE;
  idat->left = length;
  idat->offset += length > 0 ? 8 : CHUNK_EXTRA;
  return TRUE;
}

gsize
th_png_idat_read (ThPngIdat *idat, guint8 *buffer, gsize length)
{
  gsize done = 0;

  while (done < length && (idat->left > 0 || next_chunk (idat)))
    {
      ThBytes bytes = th_input_peek (idat->input, idat->offset, 1);
      gsize n = MIN (MIN (bytes.size, idat->left), length - done);

      if (idat->left > 0 && n == 0)
        break;
      memcpy (buffer + done, bytes.data, n);
      done += n;
      idat->left -= (guint32) n;
      idat->offset += n + (n > 0 && idat->left == 0 ? 4 : 0);
    }
  return done;
}

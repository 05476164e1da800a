/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/webp-head.h"

#include <string.h>
#include <webp/decode.h>

#include "core/th-exif.h"

#define TAG(a, b, c, d)                                                                            \
  ((guint32) (a) | (guint32) (b) << 8 | (guint32) (c) << 16 | (guint32) (d) << 24)
#define HEADER_BYTES  8u  /* of a chunk */
#define FIRST_CHUNK   12u /* behind RIFF, size and WEBP */
#define FRAME_BYTES   16u /* before the chunks of an animation's frame */
#define FEATURE_BYTES 64u /* of a picture, enough to know all about it */
/* Chunks that are looked at; animations with EXIF behind many frames go without. */
#define CHUNKS_MAX    512u
#define ICC_MAX_BYTES (4u * 1024u * 1024u)
#define EXIF_FLAG     0x08u
/* Of a frame. */
#define CLEAR_FLAG   0x01u
#define REPLACE_FLAG 0x02u

typedef struct
{
  ThWebpHead *head;
  ThInput *input;
  const ThLimits *limits;
  guint8 flags; /* of VP8X */
} Walk;

typedef struct
{
  guint32 tag;
  guint64 offset; /* of the payload */
  guint32 length; /* as the chunk says */
} Chunk;

static ThStatus
corrupt (GError **error, const char *what)
{
  g_set_error (error, TH_ERROR, TH_ERROR_INVALID_FORMAT, "WebP: %s", what);
  return TH_STATUS_CORRUPT;
}

static gboolean
read_u24 (ThBytes bytes, gsize offset, guint32 *value)
{
  guint16 low;
  guint8 high;

  if (!th_bytes_u16 (bytes, offset, FALSE, &low) || !th_bytes_u8 (bytes, offset + 2, &high))
    return FALSE;
  *value = low | (guint32) high << 16;
  return TRUE;
}

static gboolean
read_chunk (ThInput *input, guint64 offset, guint64 end, Chunk *chunk)
{
  ThBytes bytes = th_input_peek (input, offset, HEADER_BYTES);

  chunk->offset = offset + HEADER_BYTES;
  return chunk->offset <= end && th_bytes_u32 (bytes, 0, FALSE, &chunk->tag)
         && th_bytes_u32 (bytes, 4, FALSE, &chunk->length);
}

static guint64
next_chunk (const Chunk *chunk)
{
  return chunk->offset + chunk->length + (chunk->length & 1);
}

static ThWebpSpan
span_of (const Chunk *chunk, guint64 end)
{
  guint64 start = chunk->offset - HEADER_BYTES, next = next_chunk (chunk);

  return (ThWebpSpan){ start, MIN (next, end) - start };
}

/* The boolean decoder of VP8, for bits of even odds only (RFC 6386, 7.3 and 19.2). */
typedef struct
{
  ThBytes bytes;
  gsize next;
  guint32 value; /* two bytes */
  guint32 range;
  guint shift; /* bits taken of the second byte */
} BoolReader;

static guint32
read_bits (BoolReader *reader, guint n)
{
  guint32 result = 0;

  while (n-- > 0)
    {
      guint32 split = 1 + (((reader->range - 1) * 128) >> 8);
      gboolean bit = reader->value >= split << 8;

      result = result << 1 | (bit ? 1 : 0);
      reader->value -= bit ? split << 8 : 0;
      reader->range = bit ? reader->range - split : split;
      for (; reader->range < 128; reader->range <<= 1)
        {
          guint8 byte = 0;

          reader->value <<= 1;
          if (++reader->shift < 8)
            continue;
          reader->shift = 0;
          th_bytes_u8 (reader->bytes, reader->next++, &byte);
          reader->value |= byte;
        }
    }
  return result;
}

/* n optional fields: a flag, and where it is set bits and, where signed, one more. */
static void
skip_optional (BoolReader *reader, guint n, guint bits)
{
  for (; n > 0; n--)
    if (read_bits (reader, 1))
      read_bits (reader, bits);
}

/* From the frame header: how large the partition with the modes is and how many others follow. */
static void
read_partitions (ThWebpFrame *frame, ThBytes data)
{
  BoolReader reader = { data, 12, 0, 255, 0 };
  gboolean map, update;
  guint16 start;

  read_u24 (data, 0, &frame->first_partition);
  frame->first_partition >>= 5;
  th_bytes_u16 (data, 10, TRUE, &start);
  reader.value = start;
  read_bits (&reader, 2); /* colour space, clamping */
  if (read_bits (&reader, 1))
    {
      map = read_bits (&reader, 1) != 0;
      update = read_bits (&reader, 1) != 0;
      if (update)
        {
          read_bits (&reader, 1);
          skip_optional (&reader, 4, 8);
          skip_optional (&reader, 4, 7);
        }
      if (map)
        skip_optional (&reader, 3, 8);
    }
  read_bits (&reader, 10); /* loop filter: type, level, sharpness */
  if (read_bits (&reader, 1) && read_bits (&reader, 1))
    skip_optional (&reader, 8, 7);
  frame->partitions = 1u << read_bits (&reader, 2);
}

static ThStatus
take_picture (const Walk *walk, ThWebpFrame *frame, const Chunk *chunk, guint64 end, GError **error)
{
  ThBytes bytes = th_input_peek (walk->input, chunk->offset - HEADER_BYTES, FEATURE_BYTES);
  WebPBitstreamFeatures features;
  ThBytes data;

  if (WebPGetFeatures (bytes.data, MIN (bytes.size, FEATURE_BYTES), &features) != VP8_STATUS_OK)
    return corrupt (error, "the picture has no valid header");
  frame->lossless = chunk->tag == TAG ('V', 'P', '8', 'L');
  frame->size = (ThSize){ (guint32) features.width, (guint32) features.height };
  frame->alpha = frame->lossless ? features.has_alpha != 0 : frame->alpha_data.size > 0;
  frame->data = span_of (chunk, end);
  if (!frame->lossless && th_bytes_slice (bytes, HEADER_BYTES, bytes.size - HEADER_BYTES, &data))
    read_partitions (frame, data);
  return th_limits_check_size (walk->limits, frame->size.width, frame->size.height, error);
}

/* Looks for the picture among the chunks of a frame. */
static ThStatus
find_picture (const Walk *walk, ThWebpFrame *frame, guint64 offset, guint64 end, GError **error)
{
  Chunk chunk;

  for (guint i = 0; i < CHUNKS_MAX && read_chunk (walk->input, offset, end, &chunk); i++)
    {
      if (chunk.tag == TAG ('V', 'P', '8', ' ') || chunk.tag == TAG ('V', 'P', '8', 'L'))
        return take_picture (walk, frame, &chunk, end, error);
      if (chunk.tag == TAG ('A', 'L', 'P', 'H'))
        frame->alpha_data = span_of (&chunk, end);
      offset = next_chunk (&chunk);
    }
  return corrupt (error, "the file ends before the picture");
}

static ThStatus
take_frame (const Walk *walk, ThWebpFrame *frame, const Chunk *chunk, guint64 end, GError **error)
{
  ThBytes bytes = th_input_peek (walk->input, chunk->offset, FRAME_BYTES);
  guint64 next = next_chunk (chunk);
  guint8 flags;

  *frame = (ThWebpFrame){ 0 };
  if (!read_u24 (bytes, 0, &frame->x) || !read_u24 (bytes, 3, &frame->y)
      || !th_bytes_u8 (bytes, FRAME_BYTES - 1, &flags))
    return corrupt (error, "the file ends within the frame");
  frame->x *= 2;
  frame->y *= 2;
  frame->replaces = (flags & REPLACE_FLAG) != 0;
  frame->clears = (flags & CLEAR_FLAG) != 0;
  return find_picture (walk, frame, chunk->offset + FRAME_BYTES, MIN (next, end), error);
}

static void
take_profile (Walk *walk, const Chunk *chunk)
{
  ThWebpHead *head = walk->head;

  if (head->icc != NULL || chunk->length == 0 || chunk->length > ICC_MAX_BYTES)
    return;
  head->icc = g_try_malloc (chunk->length);
  head->no_memory = head->no_memory || head->icc == NULL;
  if (head->icc != NULL
      && th_input_read (walk->input, chunk->offset, head->icc, chunk->length)
             == (gssize) chunk->length)
    head->icc_size = chunk->length;
  else
    g_clear_pointer (&head->icc, g_free);
}

static void
take_exif (Walk *walk, const Chunk *chunk)
{
  ThBytes bytes = th_input_peek (walk->input, chunk->offset, MIN (chunk->length, TH_INPUT_WINDOW));

  bytes.size = MIN (bytes.size, chunk->length);
  walk->head->orientation = th_exif_orientation (bytes);
}

static ThStatus
take_extended (Walk *walk, const Chunk *chunk, GError **error)
{
  ThWebpHead *head = walk->head;
  ThBytes bytes = th_input_peek (walk->input, chunk->offset, 10);

  if (!th_bytes_u8 (bytes, 0, &walk->flags) || !read_u24 (bytes, 4, &head->canvas.width)
      || !read_u24 (bytes, 7, &head->canvas.height))
    return corrupt (error, "the file ends within its header");
  head->animated = (walk->flags & 0x02) != 0;
  head->canvas.width++;
  head->canvas.height++;
  return th_limits_check_size (walk->limits, head->canvas.width, head->canvas.height, error);
}

/* One chunk of the file's own level. */
static ThStatus
take_chunk (Walk *walk, const Chunk *chunk, guint64 end, GError **error)
{
  ThWebpFrame *frame = &walk->head->frame;
  gboolean found = frame->data.size > 0;

  switch (chunk->tag)
    {
    case TAG ('V', 'P', '8', 'X'):
      return found || walk->head->canvas.width > 0 ? TH_STATUS_OK
                                                   : take_extended (walk, chunk, error);
    case TAG ('I', 'C', 'C', 'P'):
      take_profile (walk, chunk);
      return TH_STATUS_OK;
    case TAG ('E', 'X', 'I', 'F'):
      take_exif (walk, chunk);
      return TH_STATUS_OK;
    case TAG ('A', 'N', 'M', 'F'):
      if (found || !walk->head->animated)
        return TH_STATUS_OK;
      walk->head->next = next_chunk (chunk);
      return take_frame (walk, frame, chunk, end, error);
    case TAG ('A', 'L', 'P', 'H'):
      if (!found)
        frame->alpha_data = span_of (chunk, end);
      return TH_STATUS_OK;
    case TAG ('V', 'P', '8', ' '):
    case TAG ('V', 'P', '8', 'L'):
      /* Whatever the flags say, a picture outside of frames is a still. */
      walk->head->animated = walk->head->animated && found;
      return found ? TH_STATUS_OK : take_picture (walk, frame, chunk, end, error);
    default:
      return TH_STATUS_OK;
    }
}

static ThStatus
walk_chunks (Walk *walk, guint64 end, GError **error)
{
  ThStatus status = TH_STATUS_OK;
  guint64 offset = FIRST_CHUNK;
  Chunk chunk;

  for (guint i = 0; i < CHUNKS_MAX && read_chunk (walk->input, offset, end, &chunk); i++)
    {
      status = take_chunk (walk, &chunk, end, error);
      /* What follows the picture matters only where there is an orientation to be found. */
      if (status != TH_STATUS_OK
          || (walk->head->frame.data.size > 0
              && (!(walk->flags & EXIF_FLAG) || chunk.tag == TAG ('E', 'X', 'I', 'F'))))
        return status;
      offset = next_chunk (&chunk);
    }
  return walk->head->frame.data.size > 0 ? TH_STATUS_OK
                                         : corrupt (error, "the file ends before the picture");
}

/* What composing relies on. */
static gboolean
fits (const ThWebpFrame *frame, ThSize canvas)
{
  return (guint64) frame->x + frame->size.width <= canvas.width
         && (guint64) frame->y + frame->size.height <= canvas.height;
}

/* Not the file's fault, whatever was made of it. */
static ThStatus
not_judged (ThStatus status, GError **error)
{
  g_clear_error (error);
  g_set_error (error, TH_ERROR, th_status_to_error (status), "WebP: %s",
               th_status_describe (status));
  return status;
}

ThStatus
th_webp_head_read (ThWebpHead *head, ThInput *input, const ThLimits *limits, GError **error)
{
  ThBytes bytes = th_input_peek (input, 0, FIRST_CHUNK);
  Walk walk = { head, input, limits, 0 };
  guint64 size = th_input_size (input);
  guint32 length;
  ThStatus status;

  *head = (ThWebpHead){ .orientation = 1 };
  if (!th_bytes_u32 (bytes, 4, FALSE, &length) || length < FIRST_CHUNK)
    return corrupt (error, "the container says that it is empty");
  head->end = MIN ((guint64) length + HEADER_BYTES, size);
  status = walk_chunks (&walk, head->end, error);
  if (!head->animated)
    head->canvas = head->frame.size;
  if (status == TH_STATUS_OK && !fits (&head->frame, head->canvas))
    status = corrupt (error, "the first frame does not fit on the canvas");
  if (status == TH_STATUS_TOO_LARGE)
    return status;
  if (th_input_failed (input))
    return not_judged (TH_STATUS_IO, error);
  return head->no_memory ? not_judged (TH_STATUS_NO_MEMORY, error) : status;
}

void
th_webp_head_clear (ThWebpHead *head)
{
  g_clear_pointer (&head->icc, g_free);
}

gboolean
th_webp_head_next (const ThWebpHead *head, ThInput *input, const ThLimits *limits, guint64 *offset,
                   ThWebpFrame *frame)
{
  const Walk walk = { .input = input, .limits = limits };
  Chunk chunk;

  for (guint i = 0; i < CHUNKS_MAX && read_chunk (input, *offset, head->end, &chunk); i++)
    {
      *offset = next_chunk (&chunk);
      if (chunk.tag == TAG ('A', 'N', 'M', 'F'))
        return take_frame (&walk, frame, &chunk, head->end, NULL) == TH_STATUS_OK
               && fits (frame, head->canvas);
    }
  return FALSE;
}

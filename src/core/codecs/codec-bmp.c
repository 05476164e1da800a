/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BMP of Windows and OS/2, row by row, which no maintained small library in Debian does. */
#include "config.h"

#include <string.h>

#include "core/th-codec.h"

#define FILE_HEADER_BYTES 14u
#define CORE_HEADER_BYTES 12u /* OS/2 1.x: sides of 16 bits, palette entries of 3 bytes */
#define HEAD_BYTES        (FILE_HEADER_BYTES + 124u)
#define MASKS_OFFSET      54u         /* within the larger headers, behind that of 40 bytes */
#define V3_HEADER_BYTES   56u         /* the first that has a mask for alpha */
#define PROFILE_EMBEDDED  0x4d424544u /* "MBED" */
#define ICC_MAX_BYTES     (4u * 1024u * 1024u)
#define BATCH_BYTES       (64u * 1024u) /* of rows that are read together */
#define SMALL_BYTES       4096u         /* an error, and what the heap rounds up */
/* Compressions: bit fields or OS/2's Huffman code, JPEG or OS/2's RLE24, and PNG. */
#define FIRST_FOREIGN 3u
#define LAST_FOREIGN  5u
/* After a count of 0; 0 is the end of a row, and more than these a number of pixels. */
#define ESCAPE_END  1u
#define ESCAPE_MOVE 2u

/* A way to keep pixels. */
typedef struct
{
  guint32 compression;
  guint bits;    /* of a pixel in the file */
  guint masks;   /* that the file has */
  gboolean runs; /* run lengths, of indexes */
} Layout;

static const Layout layouts[] = {
  { 0, 1, 0, FALSE },  { 0, 2, 0, FALSE },  { 0, 4, 0, FALSE },  { 0, 8, 0, FALSE },
  { 0, 16, 0, FALSE }, { 0, 24, 0, FALSE }, { 0, 32, 0, FALSE }, { 1, 8, 0, TRUE },
  { 2, 4, 0, TRUE },   { 3, 16, 3, FALSE }, { 3, 32, 3, FALSE }, { 6, 16, 4, FALSE },
  { 6, 32, 4, FALSE },
};

/* One sample of a pixel: table[(pixel & mask) >> shift]. */
typedef struct
{
  guint32 mask;
  guint shift;
  guint8 table[256];
} Channel;

typedef struct _BmpSession
{
  ThSession base;
  ThHeader header;
  const Layout *layout;
  guint32 header_bytes;
  guint32 pixels_said; /* where the file says that the pixels begin */
  guint32 colors_said;
  gboolean top_down;
  guint64 pixels;    /* offset of them */
  guint bits;        /* of a pixel once runs are undone */
  guint64 row_bytes; /* of those, with padding */
  guint32 batch;     /* rows that are read together */
  guint channels;    /* of the raster */
  void (*convert) (const struct _BmpSession *session, const guint8 *stored, guint8 *out);
  Channel channel[4]; /* red, green, blue, alpha */
  guint8 palette[256 * 3];
  guint8 *icc;
} BmpSession;

typedef struct
{
  BmpSession *session;
  guint64 offset; /* of the next byte of the data */
  guint8 *stored; /* unpacked rows */
  gsize filled;   /* bytes of them */
  guint8 *out;    /* one row of the raster */
  guint32 x;      /* of the next pixel of a run */
  guint32 skip;   /* rows to leave as they are */
  gboolean ended; /* by the mark for it */
} Decode;

static const char *const mime_types[] = { "image/bmp", "image/x-bmp", "image/x-ms-bmp", NULL };

/* The size of the second header is below 128. */
static const ThMagic magic[] = {
  { 0, 18, "BM\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    "\377\377\0\0\0\0\0\0\0\0\0\0\0\0\200\377\377\377" },
  { 0 },
};

static ThStatus
fail (const BmpSession *session, ThStatus status, GError **error, const char *what)
{
  if (th_input_failed (session->base.input))
    status = TH_STATUS_IO;
  g_set_error (error, TH_ERROR, th_status_to_error (status), "BMP: %s",
               what != NULL && status != TH_STATUS_IO ? what : th_status_describe (status));
  return status;
}

/* What the second header says of the pixels. Those of OS/2 2.x end after any field: what is missing
 * is 0. */
static void
read_fields (BmpSession *session, ThBytes info, guint32 *compression, guint16 *bits)
{
  guint16 sides[2] = { 0 };
  guint32 height = 0;

  if (info.size == CORE_HEADER_BYTES)
    {
      th_bytes_u16 (info, 4, FALSE, &sides[0]);
      th_bytes_u16 (info, 6, FALSE, &sides[1]);
      th_bytes_u16 (info, 10, FALSE, bits);
      session->header.size = (ThSize){ sides[0], sides[1] };
      return;
    }
  th_bytes_u32 (info, 4, FALSE, &session->header.size.width);
  th_bytes_u32 (info, 8, FALSE, &height);
  th_bytes_u16 (info, 14, FALSE, bits);
  th_bytes_u32 (info, 16, FALSE, compression);
  th_bytes_u32 (info, 32, FALSE, &session->colors_said);
  session->top_down = height > G_MAXINT32;
  session->header.size.height = session->top_down ? 0 - height : height;
}

static ThStatus
read_info (BmpSession *session, ThBytes info, const ThLimits *limits, GError **error)
{
  const ThSize *size = &session->header.size;
  guint32 compression = 0;
  guint16 bits = 0;
  ThStatus status;

  read_fields (session, info, &compression, &bits);
  for (gsize i = 0; i < G_N_ELEMENTS (layouts) && session->layout == NULL; i++)
    if (layouts[i].compression == compression && layouts[i].bits == bits)
      session->layout = &layouts[i];
  if (size->width > G_MAXINT32)
    return fail (session, TH_STATUS_CORRUPT, error, "the width is negative");
  status = th_limits_check_size (limits, size->width, size->height, error);
  if (status != TH_STATUS_OK)
    return status;
  if (session->layout == NULL && compression >= FIRST_FOREIGN && compression <= LAST_FOREIGN)
    return fail (session, TH_STATUS_NOT_MINE, error,
                 "what it holds is a JPEG or PNG, or packed in a way that only OS/2 had");
  if (session->layout == NULL)
    return fail (session, TH_STATUS_CORRUPT, error, "the way the pixels are kept is unknown");
  session->bits = session->layout->runs ? 8 : bits;
  session->row_bytes = ((guint64) size->width * session->bits + 31) / 32 * 4;
  session->batch = (guint32) CLAMP (BATCH_BYTES / session->row_bytes, 1, size->height);
  return TH_STATUS_OK;
}

/* Below 8 bits a sample is stretched, above the highest 8 count; without a mask it is 0. */
static void
channel_init (Channel *channel, guint32 mask)
{
  const guint lowest = (guint) __builtin_ctz (mask);
  const guint length = 32 - (guint) __builtin_clz (mask);

  channel->mask = mask;
  channel->shift = MAX (lowest + 8, length) - 8;
  for (guint32 i = 0, most = mask >> channel->shift; i <= most; i++)
    channel->table[i] = (guint8) ((i * 255 + most / 2) / most);
}

static void
convert_indexes (const BmpSession *session, const guint8 *stored, guint8 *out)
{
  const guint bits = session->bits;
  const guint most = (1u << bits) - 1;

  for (gsize x = 0; x < session->header.size.width; x++)
    {
      const guint index = stored[x * bits / 8] >> (8 - bits - x * bits % 8) & most;

      memcpy (out + x * 3, session->palette + index * 3, 3);
    }
}

static void
convert_bgr (const BmpSession *session, const guint8 *stored, guint8 *out)
{
  const gsize step = session->bits / 8;

  for (gsize x = 0; x < session->header.size.width; x++, stored += step, out += 3)
    memcpy (out, (guint8[]){ stored[2], stored[1], stored[0] }, 3);
}

static void
convert_masked (const BmpSession *session, const guint8 *stored, guint8 *out)
{
  const Channel *channel = session->channel;
  const gsize step = session->bits / 8;
  const guint channels = session->channels;

  for (gsize x = 0; x < session->header.size.width; x++, out += channels)
    {
      guint32 pixel = 0;

      memcpy (&pixel, stored + x * step, step);
      pixel = GUINT32_FROM_LE (pixel);
      for (guint c = 0; c < channels; c++)
        out[c] = channel[c].table[(pixel & channel[c].mask) >> channel[c].shift];
    }
}

static void
choose_convert (BmpSession *session, ThBytes head)
{
  const Layout *layout = session->layout;
  guint32 masks[4] = { 0x7c00, 0x3e0, 0x1f, 0 };

  for (guint i = 0; i < 3 && layout->masks > 0; i++)
    th_bytes_u32 (head, MASKS_OFFSET + 4 * i, FALSE, &masks[i]);
  if (layout->masks == 4 || (layout->masks == 3 && session->header_bytes >= V3_HEADER_BYTES))
    th_bytes_u32 (head, MASKS_OFFSET + 12, FALSE, &masks[3]);
  for (guint i = 0; i < 4; i++)
    if (masks[i] != 0)
      channel_init (&session->channel[i], masks[i]);
  session->channels = session->channel[3].mask != 0 ? 4 : 3;
  /* Without masks the fourth byte of 32 bits means nothing: most writers leave 0 there. */
  session->convert = session->bits <= 8                         ? convert_indexes
                     : layout->bits >= 24 && layout->masks == 0 ? convert_bgr
                                                                : convert_masked;
}

/* Entries that the file does not have are black. The offset of the pixels that it says is doubted
 * where it leads into the headers, and where it leads into the palette or beyond the end although
 * all rows are there right behind the palette. */
static void
read_palette (BmpSession *session)
{
  const guint64 size = th_input_size (session->base.input);
  const guint most = session->layout->bits <= 8 ? 1u << session->layout->bits : 0;
  const guint entry = session->header_bytes == CORE_HEADER_BYTES ? 3 : 4;
  const guint32 masks = session->layout->masks;
  const guint32 headers = FILE_HEADER_BYTES + session->header_bytes;
  const guint32 start = masks > 0 ? MAX (headers, MASKS_OFFSET + 4 * masks) : headers;
  guint colors = session->colors_said == 0 ? most : MIN (session->colors_said, most);
  const guint64 behind = start + (guint64) colors * entry;
  const guint64 end = behind + session->row_bytes * session->header.size.height;
  const gboolean complete = end <= size && !session->layout->runs;
  ThBytes bytes;

  session->pixels = session->pixels_said;
  if (session->pixels < start
      || (complete && (session->pixels < behind || session->pixels >= size)))
    session->pixels = behind;
  colors = (guint) MIN (colors, (session->pixels - start) / entry);
  bytes = th_input_peek (session->base.input, start, (gsize) colors * entry);
  for (guint i = 0; i < colors; i++)
    for (guint c = 0; c < 3; c++)
      th_bytes_u8 (bytes, (gsize) i * entry + 2 - c, &session->palette[i * 3 + c]);
}

/* A profile that does not lie wholly inside, or is linked by its path, is left out. */
static ThStatus
read_profile (BmpSession *session, ThBytes info, GError **error)
{
  ThInput *input = session->base.input;
  guint32 kind = 0, offset = 0, size = 0;
  guint64 start;

  if (!th_bytes_u32 (info, 56, FALSE, &kind) || kind != PROFILE_EMBEDDED
      || !th_bytes_u32 (info, 112, FALSE, &offset) || !th_bytes_u32 (info, 116, FALSE, &size))
    return TH_STATUS_OK;
  start = (guint64) FILE_HEADER_BYTES + offset;
  if (size == 0 || size > ICC_MAX_BYTES || start + size > th_input_size (input))
    return TH_STATUS_OK;
  session->icc = g_try_malloc (size);
  if (session->icc == NULL)
    return fail (session, TH_STATUS_NO_MEMORY, error, NULL);
  if (th_input_read (input, start, session->icc, size) != (gssize) size)
    return TH_STATUS_OK;
  session->header.icc = session->icc;
  session->header.icc_size = size;
  return TH_STATUS_OK;
}

static ThStatus
open_session (BmpSession *session, const ThLimits *limits, GError **error)
{
  guint8 head[HEAD_BYTES];
  const gssize got = th_input_read (session->base.input, 0, head, sizeof head);
  const ThBytes bytes = { head, (gsize) MAX (got, 0) };
  ThBytes info;
  ThStatus status;

  th_bytes_u32 (bytes, 10, FALSE, &session->pixels_said);
  if (!th_bytes_u32 (bytes, FILE_HEADER_BYTES, FALSE, &session->header_bytes)
      || session->header_bytes < CORE_HEADER_BYTES
      || !th_bytes_slice (bytes, FILE_HEADER_BYTES, session->header_bytes, &info))
    return fail (session, TH_STATUS_CORRUPT, error, "the header is cut or has an unknown size");
  status = read_info (session, info, limits, error);
  if (status != TH_STATUS_OK)
    return status;
  choose_convert (session, bytes);
  read_palette (session);
  status = read_profile (session, info, error);
  if (status == TH_STATUS_OK && th_input_failed (session->base.input))
    return fail (session, TH_STATUS_IO, error, NULL);
  session->header.has_alpha = session->channels == 4;
  return status;
}

static void
bmp_close (ThSession *base)
{
  g_free (((BmpSession *) base)->icc);
  g_free (base);
}

static ThStatus
bmp_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  BmpSession *session = g_new0 (BmpSession, 1);
  ThStatus status;

  session->base.input = input;
  session->header =
      (ThHeader){ .orientation = 1, .pages = 1, .frames = 1, .mime_type = mime_types[0] };
  status = open_session (session, limits, error);
  if (status == TH_STATUS_OK)
    *out = &session->base;
  else
    bmp_close (&session->base);
  return status;
}

static const ThHeader *
bmp_header (const ThSession *base)
{
  return &((const BmpSession *) base)->header;
}

static gboolean
bmp_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  const BmpSession *session = (const BmpSession *) base;
  const ThSize size = session->header.size;

  *plan = (ThPlan){
    .raster = { size.width, size.height, size.width, size.height, TH_COLOR_RGB,
                session->channels == 4 ? TH_ALPHA_STRAIGHT : TH_ALPHA_NONE, 8 },
    .bottom_up = !session->top_down,
    .peak_bytes = sizeof *session + SMALL_BYTES + session->header.icc_size
                  + session->row_bytes * session->batch + (guint64) size.width * session->channels,
  };
  return TRUE;
}

/* Row y of those that are not packed, or NULL; the padding of the last one may be missing. */
static const guint8 *
plain_row (Decode *decode, guint32 y)
{
  const BmpSession *session = decode->session;
  const gsize at = (gsize) (session->row_bytes * (y % session->batch));
  const guint64 used = ((guint64) session->header.size.width * session->bits + 7) / 8;

  if (y % session->batch == 0)
    {
      const guint32 n = MIN (session->batch, session->header.size.height - y);
      const gssize got = th_input_read (session->base.input, decode->offset, decode->stored,
                                        (gsize) (session->row_bytes * n));

      decode->filled = (gsize) MAX (got, 0);
      decode->offset += decode->filled;
    }
  return decode->filled >= at + used ? decode->stored + at : NULL;
}

static gboolean
take_pair (Decode *decode, guint8 *first, guint8 *second)
{
  const ThBytes bytes = th_input_peek (decode->session->base.input, decode->offset, 2);

  if (!th_bytes_u8 (bytes, 0, first) || !th_bytes_u8 (bytes, 1, second))
    return FALSE;
  decode->offset += 2;
  return TRUE;
}

/* n indexes, of which the period differ, packed in data; what goes beyond the row is lost. */
static void
put_indexes (Decode *decode, const guint8 *data, guint n, guint period)
{
  const gboolean halves = decode->session->layout->bits == 4;
  const guint32 room = decode->session->header.size.width - decode->x;
  const guint count = MIN (n, room);
  guint8 *out = decode->stored + decode->x;

  for (guint i = 0, k = 0; i < count; i++, k = k + 1 == period ? 0 : k + 1)
    out[i] = (guint8) (halves ? data[k / 2] >> (k % 2 == 0 ? 4 : 0) & 15 : data[k]);
  decode->x += count;
}

/* What follows a count of 0. Indexes that are there one by one fill up to two bytes. */
static gboolean
take_escape (Decode *decode, guint8 what, gboolean *row_ended)
{
  const guint32 room = decode->session->header.size.width - decode->x;
  const gsize size = ((gsize) what * decode->session->layout->bits + 7) / 8;
  guint8 right, down;
  ThBytes data;

  if (what < ESCAPE_MOVE)
    {
      decode->ended = what == ESCAPE_END;
      decode->x = 0;
      *row_ended = TRUE;
      return TRUE;
    }
  if (what == ESCAPE_MOVE && take_pair (decode, &right, &down))
    {
      decode->x += MIN (right, room);
      decode->skip = down;
      return TRUE;
    }
  data = th_input_peek (decode->session->base.input, decode->offset, size);
  if (what == ESCAPE_MOVE || !th_bytes_slice (data, 0, size, &data))
    return FALSE;
  put_indexes (decode, data.data, what, what);
  decode->offset += size + size % 2;
  return TRUE;
}

/* Undoes runs up to the end of a row; NULL where the data end before. Pixels that are left out have
 * the first colour of the palette: viewers differ, and that needs no alpha. */
static const guint8 *
unpack_row (Decode *decode)
{
  const guint period = decode->session->layout->bits == 4 ? 2 : 1;
  gboolean row_ended = FALSE, came = TRUE;
  guint8 count, what;

  memset (decode->stored, 0, (gsize) decode->session->row_bytes);
  decode->skip -= decode->skip > 0 ? 1 : 0;
  while (came && !row_ended && !decode->ended && decode->skip == 0)
    {
      came = take_pair (decode, &count, &what);
      if (came && count > 0)
        put_indexes (decode, &what, count, period);
      else if (came)
        came = take_escape (decode, what, &row_ended);
    }
  if (!came && decode->x < decode->session->header.size.width)
    return NULL;
  decode->x = came ? decode->x : 0;
  return decode->stored;
}

static ThStatus
run (Decode *decode, const ThPlan *plan, ThSink *sink, GError **error)
{
  const BmpSession *session = decode->session;
  const gsize stride = th_raster_row_bytes (&plan->raster);
  guint32 y;

  for (y = 0; y < plan->raster.height; y++)
    {
      const guint8 *row = session->layout->runs ? unpack_row (decode) : plain_row (decode, y);

      if (row == NULL)
        break;
      session->convert (session, row, decode->out);
      if (!sink->rows (sink, decode->out, stride, 1))
        return TH_STATUS_STOPPED;
    }
  if (y > 0 && (y == plan->raster.height || !th_input_failed (session->base.input)))
    return y == plan->raster.height ? TH_STATUS_OK : TH_STATUS_PARTIAL;
  return fail (session, TH_STATUS_CORRUPT, error, "the file ends before the first rows");
}

static ThStatus
bmp_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  BmpSession *session = (BmpSession *) base;
  g_autofree guint8 *stored = g_try_malloc_n (session->batch, (gsize) session->row_bytes);
  g_autofree guint8 *out = g_try_malloc (th_raster_row_bytes (&plan->raster));
  Decode decode = { .session = session, .offset = session->pixels, .stored = stored, .out = out };

  if (stored == NULL || out == NULL)
    return fail (session, TH_STATUS_NO_MEMORY, error, NULL);
  return run (&decode, plan, sink, error);
}

const ThCodec th_codec_bmp = {
  .abi = TH_CODEC_ABI,
  .name = "bmp",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = bmp_open,
  .header = bmp_header,
  .plan = bmp_plan,
  .decode = bmp_decode,
  .close = bmp_close,
};

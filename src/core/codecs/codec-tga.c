/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Truevision TGA, row by row. gdk-pixbuf 2.42 refuses 16 bits, swaps the colours of maps of 16
 * bits, and leaves the end of packed pictures as it found the memory. */
#include "config.h"

#include <string.h>

#include "core/th-codec.h"

#define HEAD_BYTES     18u
#define FOOTER_BYTES   26u
#define SIGNATURE_AT   8u
#define ALPHA_KIND_AT  494u /* within the extension */
#define ALPHA_BITS     0x0fu
#define RIGHT_TO_LEFT  0x10u
#define TOP_DOWN       0x20u
#define PACKED         8u /* the bit of the kind that says so */
#define RUN            0x80u
#define MAP_ENTRY_MOST 4u
#define SMALL_BYTES    4096u /* an error, and what the heap rounds up */

/* What the extension says of alpha. */
enum
{
  ALPHA_UNTOLD = -1,
  ALPHA_USEFUL = 3,
  ALPHA_MULTIPLIED = 4,
};

enum
{
  KIND_MAPPED = 1,
  KIND_COLORS = 2,
  KIND_GREY = 3,
};

typedef struct
{
  ThSession base;
  ThHeader header;
  guint kind;
  guint bits; /* of a pixel */
  gboolean packed, right_to_left, top_down;
  ThAlpha alpha;
  guint map_first, map_length, map_bits;
  guint64 map; /* offsets */
  guint64 pixels;
} TgaSession;

typedef struct
{
  const TgaSession *session;
  ThBytes view;   /* of the input, from offset */
  gsize at;       /* of the next byte within the view */
  guint64 offset; /* of the view */
  guint64 left;   /* pixels left of a packet */
  gboolean run;   /* the packet is of one pixel */
  guint bytes;    /* of a stored pixel */
  guint8 pixel[4];
  guint8 *map; /* RGBA, or NULL */
  guint8 *out; /* one row of the raster */
} Decode;

static const char *const mime_types[] = {
  "image/x-tga",       "image/tga",           "image/targa",
  "image/x-targa",     "image/x-icb",         "application/tga",
  "application/x-tga", "application/x-targa", NULL
};

/* Whether there is a map, which the kinds with one need, and what else has to be so: the bits of a
 * pixel, and that rows are not interleaved. */
#define ROW(map, map_mask, kind, bits)                                                             \
  {                                                                                                \
    1, 17, map kind "\0\0\0\0\0\0\0\0\0\0\0\0\0" bits "\0",                                        \
        map_mask "\377\0\0\0\0\0\0\0\0\0\0\0\0\0\377\300"                                          \
  }
#define MAPPED(kind, bits) ROW ("\1", "\377", kind, bits)
#define DIRECT(kind, bits) ROW ("\0", "\376", kind, bits)

static const ThMagic magic[] = {
  MAPPED ("\1", "\10"),
  MAPPED ("\1", "\20"),
  MAPPED ("\11", "\10"),
  MAPPED ("\11", "\20"),
  DIRECT ("\2", "\17"),
  DIRECT ("\2", "\20"),
  DIRECT ("\2", "\30"),
  DIRECT ("\2", "\40"),
  DIRECT ("\12", "\17"),
  DIRECT ("\12", "\20"),
  DIRECT ("\12", "\30"),
  DIRECT ("\12", "\40"),
  DIRECT ("\3", "\10"),
  DIRECT ("\3", "\20"),
  DIRECT ("\13", "\10"),
  DIRECT ("\13", "\20"),
  { 0 },
};

static ThStatus
fail (ThInput *input, ThStatus status, GError **error, const char *what)
{
  if (th_input_failed (input))
    status = TH_STATUS_IO;
  g_set_error (error, TH_ERROR, th_status_to_error (status), "TGA: %s",
               what != NULL && status != TH_STATUS_IO ? what : th_status_describe (status));
  return status;
}

static int
read_alpha_kind (ThInput *input)
{
  const guint64 size = th_input_size (input);
  ThBytes footer, mark;
  guint32 extension;
  guint8 kind;

  if (size < HEAD_BYTES + FOOTER_BYTES)
    return ALPHA_UNTOLD;
  footer = th_input_peek (input, size - FOOTER_BYTES, FOOTER_BYTES);
  if (!th_bytes_slice (footer, SIGNATURE_AT, FOOTER_BYTES - SIGNATURE_AT, &mark)
      || !th_bytes_starts_with (mark, "TRUEVISION-XFILE.", 18)
      || !th_bytes_u32 (footer, 0, FALSE, &extension) || extension == 0
      || !th_bytes_u8 (th_input_peek (input, (guint64) extension + ALPHA_KIND_AT, 1), 0, &kind))
    return ALPHA_UNTOLD;
  return kind;
}

/* 16 bits have a bit to spare, which hardly anybody means. */
static ThAlpha
find_alpha (const TgaSession *session, guint alpha_bits)
{
  const guint bits = session->kind == KIND_MAPPED ? session->map_bits : session->bits;
  const gboolean there = bits == 32 || (session->kind == KIND_GREY && bits == 16);
  const int kind = there ? read_alpha_kind (session->base.input) : ALPHA_UNTOLD;

  if (!there)
    return TH_ALPHA_NONE;
  if (kind == ALPHA_MULTIPLIED)
    return TH_ALPHA_PREMULTIPLIED;
  if (kind == ALPHA_UNTOLD)
    return alpha_bits > 0 ? TH_ALPHA_STRAIGHT : TH_ALPHA_NONE;
  return kind == ALPHA_USEFUL ? TH_ALPHA_STRAIGHT : TH_ALPHA_NONE;
}

static ThStatus
read_header (TgaSession *session, const ThLimits *limits, GError **error)
{
  ThInput *input = session->base.input;
  ThHeader *header = &session->header;
  guint8 head[HEAD_BYTES];

  if (th_input_read (input, 0, head, sizeof head) != sizeof head)
    return fail (input, TH_STATUS_CORRUPT, error, "the header is cut");
  session->kind = head[2] & ~PACKED;
  session->packed = (head[2] & PACKED) != 0;
  session->map_first = head[3] | (guint) head[4] << 8;
  session->map_length = head[1] != 0 ? head[5] | (guint) head[6] << 8 : 0;
  session->map_bits = head[7];
  session->bits = head[16];
  session->right_to_left = (head[17] & RIGHT_TO_LEFT) != 0;
  session->top_down = (head[17] & TOP_DOWN) != 0;
  session->map = HEAD_BYTES + head[0];
  session->pixels = session->map + (guint64) session->map_length * ((session->map_bits + 7u) / 8u);
  if (session->kind == KIND_MAPPED && session->map_bits != 15 && session->map_bits != 16
      && session->map_bits != 24 && session->map_bits != 32)
    return fail (input, TH_STATUS_CORRUPT, error, "the map is of no known kind");
  session->alpha = find_alpha (session, head[17] & ALPHA_BITS);
  *header = (ThHeader){
    .size = { head[12] | (guint32) head[13] << 8, head[14] | (guint32) head[15] << 8 },
    .orientation = 1,
    .has_alpha = session->alpha != TH_ALPHA_NONE,
    .pages = 1,
    .frames = 1,
    .mime_type = mime_types[0],
  };
  if (th_input_failed (input))
    return fail (input, TH_STATUS_IO, error, NULL);
  return th_limits_check_size (limits, header->size.width, header->size.height, error);
}

static void
tga_close (ThSession *base)
{
  g_free (base);
}

static ThStatus
tga_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  TgaSession *session = g_new0 (TgaSession, 1);
  ThStatus status;

  session->base.input = input;
  status = read_header (session, limits, error);
  if (status == TH_STATUS_OK)
    *out = &session->base;
  else
    tga_close (&session->base);
  return status;
}

static const ThHeader *
tga_header (const ThSession *base)
{
  return &((const TgaSession *) base)->header;
}

static gboolean
tga_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  const TgaSession *session = (const TgaSession *) base;
  const ThSize size = session->header.size;

  *plan = (ThPlan){
    .raster = { size.width, size.height, size.width, size.height,
                session->kind == KIND_GREY ? TH_COLOR_GREY : TH_COLOR_RGB, session->alpha, 8 },
    .bottom_up = !session->top_down,
    .peak_bytes = sizeof *session + SMALL_BYTES + (guint64) size.width * 4
                  + (guint64) session->map_length * (4 + MAP_ENTRY_MOST),
  };
  return TRUE;
}

/* At least wanted bytes in view, or FALSE at the end. */
static gboolean
have (Decode *decode, gsize wanted)
{
  if (decode->view.size - decode->at >= wanted)
    return TRUE;
  decode->offset += decode->at;
  decode->at = 0;
  decode->view = th_input_peek (decode->session->base.input, decode->offset, TH_INPUT_WINDOW);
  return decode->view.size >= wanted;
}

static gboolean
take_pixel (Decode *decode)
{
  if (!have (decode, decode->bytes))
    return FALSE;
  memcpy (decode->pixel, decode->view.data + decode->at, decode->bytes);
  decode->at += decode->bytes;
  return TRUE;
}

/* Sets pixel to the next one; packets may go over the ends of rows. */
static gboolean
next_pixel (Decode *decode)
{
  if (decode->left == 0)
    {
      if (!have (decode, 1))
        return FALSE;
      decode->run = (decode->view.data[decode->at] & RUN) != 0;
      decode->left = (decode->view.data[decode->at++] & ~RUN) + 1u;
      if (decode->run && !take_pixel (decode))
        return FALSE;
    }
  decode->left--;
  return decode->run || take_pixel (decode);
}

static void
expand_16 (const guint8 *stored, guint8 *rgba)
{
  const guint value = stored[0] | (guint) stored[1] << 8;

  for (guint c = 0; c < 3; c++)
    rgba[c] = (guint8) (((value >> (10 - 5 * c) & 31) * 255 + 15) / 31);
  rgba[3] = 255;
}

static void
expand (const guint8 *stored, guint bits, guint8 *rgba)
{
  if (bits <= 16)
    expand_16 (stored, rgba);
  else
    memcpy (rgba, (guint8[]){ stored[2], stored[1], stored[0], bits == 32 ? stored[3] : 255 }, 4);
}

/* Indexes without an entry are black, and where there is alpha, nothing. */
static void
look_up (const Decode *decode, guint8 *rgba)
{
  const TgaSession *session = decode->session;
  const guint index = decode->pixel[0] | (session->bits == 16 ? (guint) decode->pixel[1] << 8 : 0);

  if (index >= session->map_first && index - session->map_first < session->map_length)
    memcpy (rgba, decode->map + 4 * (gsize) (index - session->map_first), 4);
}

static void
put_pixel (const Decode *decode, guint8 *to, guint channels)
{
  const TgaSession *session = decode->session;
  guint8 rgba[4] = { 0 };

  if (session->kind == KIND_GREY)
    {
      memcpy (to, decode->pixel, channels);
      return;
    }
  if (session->kind == KIND_MAPPED)
    look_up (decode, rgba);
  else
    expand (decode->pixel, session->bits, rgba);
  memcpy (to, rgba, channels);
}

static gboolean
fill_row (Decode *decode, guint32 width, guint channels)
{
  const gboolean backwards = decode->session->right_to_left;

  for (guint32 x = 0; x < width; x++)
    {
      if (!next_pixel (decode))
        return FALSE;
      put_pixel (decode, decode->out + (gsize) (backwards ? width - 1 - x : x) * channels,
                 channels);
    }
  return TRUE;
}

/* Entries that are missing are as those beyond the map. */
static ThStatus
read_map (Decode *decode)
{
  const TgaSession *session = decode->session;
  const gsize entry = (session->map_bits + 7u) / 8u;
  const gsize n = session->map_length;
  g_autofree guint8 *stored = g_try_malloc_n (n + 1, entry);
  gssize got;

  decode->map = g_try_malloc0_n (n + 1, 4);
  if (stored == NULL || decode->map == NULL)
    return TH_STATUS_NO_MEMORY;
  got = th_input_read (session->base.input, session->map, stored, n * entry);
  for (gsize i = 0; got > 0 && i < (gsize) got / entry; i++)
    expand (stored + i * entry, session->map_bits, decode->map + i * 4);
  return got < 0 ? TH_STATUS_IO : TH_STATUS_OK;
}

static ThStatus
run (Decode *decode, const ThPlan *plan, ThSink *sink, GError **error)
{
  ThInput *input = decode->session->base.input;
  const guint channels = th_raster_channels (&plan->raster);
  guint32 y = 0;

  for (; y < plan->raster.height && fill_row (decode, plan->raster.width, channels); y++)
    if (!sink->rows (sink, decode->out, th_raster_row_bytes (&plan->raster), 1))
      return TH_STATUS_STOPPED;
  if (y > 0 && (y == plan->raster.height || !th_input_failed (input)))
    return y == plan->raster.height ? TH_STATUS_OK : TH_STATUS_PARTIAL;
  return fail (input, TH_STATUS_CORRUPT, error, "the file ends before the first row");
}

static ThStatus
tga_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  const TgaSession *session = (const TgaSession *) base;
  Decode decode = {
    .session = session,
    .offset = session->pixels,
    .left = session->packed ? 0 : G_MAXUINT64,
    .bytes = (session->bits + 7u) / 8u,
    .out = g_try_malloc (th_raster_row_bytes (&plan->raster)),
  };
  ThStatus status = decode.out != NULL ? TH_STATUS_OK : TH_STATUS_NO_MEMORY;

  if (status == TH_STATUS_OK && session->kind == KIND_MAPPED)
    status = read_map (&decode);
  if (status == TH_STATUS_OK)
    status = run (&decode, plan, sink, error);
  else
    fail (base->input, status, error, NULL);
  g_free (decode.out);
  g_free (decode.map);
  return status;
}

const ThCodec th_codec_tga = {
  .abi = TH_CODEC_ABI,
  .name = "tga",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = tga_open,
  .header = tga_header,
  .plan = tga_plan,
  .decode = tga_decode,
  .close = tga_close,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-png-rewrite.h"

#include <errno.h>
#include <libdeflate.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/th-bytes.h"
#include "base/th-error.h"
#include "base/th-flavor.h"
#include "cache/th-png-text.h"

#define SIGNATURE       "\x89PNG\r\n\x1a\n"
#define SIGNATURE_BYTES 8
#define CHUNK_OVERHEAD  12 /* length, type and CRC */

enum
{
  COLOR_GREY = 0,
  COLOR_RGB = 2,
  COLOR_PALETTE = 3,
  COLOR_GREY_ALPHA = 4,
  COLOR_RGBA = 6,
};

/* How far the walk has come: behind what. */
typedef enum
{
  AT_START,
  AT_HEADER,
  AT_PALETTE,
  AT_PIXELS,
  AT_TRAILER, /* a chunk that is left out came after the pixels */
  AT_END,
  ANYWHERE,
} Place;

#define BIT(place) (1u << (place))

/* Colour types and the depths that each may have, as a set of bits. */
static const struct
{
  guint8 color;
  guint32 depths;
} formats[] = {
  { COLOR_GREY, BIT (1) | BIT (2) | BIT (4) | BIT (8) | BIT (16) },
  { COLOR_RGB, BIT (8) | BIT (16) },
  { COLOR_PALETTE, BIT (1) | BIT (2) | BIT (4) | BIT (8) },
  { COLOR_GREY_ALPHA, BIT (8) | BIT (16) },
  { COLOR_RGBA, BIT (8) | BIT (16) },
};

typedef struct
{
  ThBytes whole; /* all of it */
  ThBytes type;
  ThBytes data;
} Chunk;

typedef struct
{
  Place place;
  guint32 seen; /* rules that were used */
  guint8 color;
  GByteArray *out;
} Walk;

typedef struct
{
  const char *type;
  guint32 least, most; /* bytes */
  guint32 from;        /* places where it may stand: none, where a file with it is refused */
  Place to;            /* ANYWHERE: as before */
  gboolean (*check) (ThBytes data, Walk *walk);
} Rule;

static gboolean
refuse (GError **error, const char *why)
{
  g_set_error (error, TH_ERROR, TH_ERROR_INVALID_FORMAT, "not a plain PNG file: %s", why);
  return FALSE;
}

static gboolean
next_chunk (ThBytes file, gsize offset, Chunk *chunk)
{
  ThBytes checked;
  guint32 length, crc;

  if (!th_bytes_u32 (file, offset, TRUE, &length) || length > G_MAXINT32
      || !th_bytes_slice (file, offset, CHUNK_OVERHEAD + (gsize) length, &chunk->whole)
      || !th_bytes_slice (chunk->whole, 4, 4, &chunk->type)
      || !th_bytes_slice (chunk->whole, 4, 4 + (gsize) length, &checked)
      || !th_bytes_slice (chunk->whole, 8, length, &chunk->data)
      || !th_bytes_u32 (chunk->whole, 8 + (gsize) length, TRUE, &crc))
    return FALSE;
  return crc == libdeflate_crc32 (0, checked.data, checked.size);
}

static gboolean
is_side (ThBytes header, gsize offset)
{
  guint32 side;

  return th_bytes_u32 (header, offset, TRUE, &side) && side >= 1
         && side <= th_flavor_box (TH_FLAVOR_XX_LARGE);
}

static gboolean
check_header (ThBytes header, Walk *walk)
{
  guint8 depth = header.data[8];
  guint8 color = header.data[9];

  if (!is_side (header, 0) || !is_side (header, 4) || header.data[10] != 0 || header.data[11] != 0
      || header.data[12] > 1 || depth > 16)
    return FALSE;
  walk->color = color;
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      if (formats[i].color == color)
        return (formats[i].depths & BIT (depth)) != 0;
    }
  return FALSE;
}

static gboolean
check_palette (ThBytes data, Walk *walk)
{
  return data.size % 3 == 0 && walk->color != COLOR_GREY && walk->color != COLOR_GREY_ALPHA;
}

static gboolean
check_transparency (ThBytes data, Walk *walk)
{
  switch (walk->color)
    {
    case COLOR_GREY:
      return data.size == 2;
    case COLOR_RGB:
      return data.size == 6;
    case COLOR_PALETTE:
      return walk->place == AT_PALETTE;
    default:
      return FALSE;
    }
}

static gboolean
check_pixels (ThBytes data, Walk *walk)
{
  return walk->color != COLOR_PALETTE || walk->place != AT_HEADER;
}

static const Rule rules[] = {
  { "IHDR", 13, 13, BIT (AT_START), AT_HEADER, check_header },
  { "sBIT", 1, 4, BIT (AT_HEADER), ANYWHERE, NULL },
  { "gAMA", 4, 4, BIT (AT_HEADER), ANYWHERE, NULL },
  { "cHRM", 32, 32, BIT (AT_HEADER), ANYWHERE, NULL },
  { "sRGB", 1, 1, BIT (AT_HEADER), ANYWHERE, NULL },
  { "iCCP", 0, 0, 0, ANYWHERE, NULL },
  { "PLTE", 3, 768, BIT (AT_HEADER), AT_PALETTE, check_palette },
  { "tRNS", 1, 256, BIT (AT_HEADER) | BIT (AT_PALETTE), ANYWHERE, check_transparency },
  { "IDAT", 0, G_MAXINT32, BIT (AT_HEADER) | BIT (AT_PALETTE) | BIT (AT_PIXELS), AT_PIXELS,
    check_pixels },
  { "IEND", 0, 0, BIT (AT_PIXELS) | BIT (AT_TRAILER), AT_END, NULL },
};

static const Rule *
find_rule (const Chunk *chunk, guint *index)
{
  for (*index = 0; *index < G_N_ELEMENTS (rules); (*index)++)
    {
      if (th_bytes_starts_with (chunk->type, rules[*index].type, 4))
        return &rules[*index];
    }
  return NULL;
}

static gboolean
is_type (ThBytes type)
{
  for (gsize i = 0; i < type.size; i++)
    {
      if (!g_ascii_isalpha (type.data[i]))
        return FALSE;
    }
  return TRUE;
}

/* A chunk that no rule speaks of is passed over, unless a decoder must know it. */
static gboolean
pass_over (const Chunk *chunk, Walk *walk, GError **error)
{
  if (!is_type (chunk->type) || g_ascii_isupper (chunk->type.data[0]))
    return refuse (error, "a chunk of an unknown type");
  if (walk->place == AT_START)
    return refuse (error, "it does not begin with IHDR");
  if (walk->place == AT_PIXELS)
    walk->place = AT_TRAILER;
  return TRUE;
}

static gboolean
take_chunk (const Chunk *chunk, Walk *walk, const ThPngTextEntry *entries, guint n_entries,
            GError **error)
{
  guint index;
  const Rule *rule = find_rule (chunk, &index);

  if (!rule)
    return pass_over (chunk, walk, error);
  if ((rule->from & BIT (walk->place)) == 0
      || ((walk->seen & BIT (index)) != 0 && rule->to != AT_PIXELS))
    return refuse (error, "a chunk in a place where it may not be");
  if (chunk->data.size < rule->least || chunk->data.size > rule->most
      || (rule->check && !rule->check (chunk->data, walk)))
    return refuse (error, "a chunk with a content that it may not have");
  walk->seen |= BIT (index);
  if (rule->to != ANYWHERE)
    walk->place = rule->to;
  g_byte_array_append (walk->out, chunk->whole.data, (guint) chunk->whole.size);
  if (rule->to == AT_HEADER)
    th_png_append_text (walk->out, entries, n_entries);
  return TRUE;
}

GBytes *
th_png_rewrite (const guint8 *data, gsize size, const ThPngTextEntry *entries, guint n_entries,
                GError **error)
{
  g_autoptr (GByteArray) out = NULL;
  ThBytes file = { data, size };
  Walk walk = { 0 };
  gsize offset = SIGNATURE_BYTES;

  if (size > TH_PNG_REWRITE_LIMIT || !th_bytes_starts_with (file, SIGNATURE, SIGNATURE_BYTES))
    {
      refuse (error, "too large, or another format");
      return NULL;
    }
  walk.out = out = g_byte_array_sized_new ((guint) size + 1024);
  g_byte_array_append (out, data, SIGNATURE_BYTES);
  while (walk.place != AT_END)
    {
      Chunk chunk;

      if (!next_chunk (file, offset, &chunk))
        refuse (error, "cut or damaged");
      else if (take_chunk (&chunk, &walk, entries, n_entries, error))
        {
          offset += chunk.whole.size;
          continue;
        }
      return NULL;
    }
  if (offset == size)
    return g_byte_array_free_to_bytes (g_steal_pointer (&out));
  refuse (error, "bytes behind its end");
  return NULL;
}

static gboolean
read_all (int fd, guint8 *buffer, gsize size)
{
  gsize done = 0;

  while (done < size)
    {
      ssize_t n = read (fd, buffer + done, size - done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      done += (gsize) n;
    }
  return TRUE;
}

static GBytes *
load_fd (int fd, GError **error)
{
  g_autofree guint8 *buffer = NULL;
  struct stat st;
  gsize size;

  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode) || st.st_size < SIGNATURE_BYTES
      || st.st_size > (off_t) TH_PNG_REWRITE_LIMIT)
    {
      refuse (error, "no regular file of a thumbnail's size");
      return NULL;
    }
  size = (gsize) st.st_size;
  buffer = g_try_malloc (size);
  if (buffer && read_all (fd, buffer, size))
    return g_bytes_new_take (g_steal_pointer (&buffer), size);
  refuse (error, "it could not be read");
  return NULL;
}

GBytes *
th_png_load (const char *path, GError **error)
{
  int fd = th_png_text_open (path, error);
  GBytes *bytes;

  if (fd < 0)
    return NULL;
  bytes = load_fd (fd, error);
  close (fd);
  return bytes;
}

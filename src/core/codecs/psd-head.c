/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/psd-head.h"

#define HEAD_BYTES     26u
#define MOST_CHANNELS  56u
#define MOST_RESOURCES 10000u
#define MOST_BLOCKS    1000u
#define RESOURCE_HEAD  6u  /* signature and number, before the name */
#define JPEG_HEAD      28u /* of the small picture, before the JPEG */
#define JPEG_KIND      1u
#define MOST_ICC       (4u * 1024u * 1024u)

/* Numbers of resources. */
enum
{
  RESOURCE_JPEG_SWAPPED = 1033,
  RESOURCE_JPEG = 1036,
  RESOURCE_ICC = 1039,
  RESOURCE_TRANSPARENT_INDEX = 1047,
  RESOURCE_VERSION = 1057,
};

static const struct
{
  ThPsdMode mode;
  guint colors;
  guint depths; /* the sum of those that there are */
} modes[] = {
  { TH_PSD_BITMAP, 1, 1 },        { TH_PSD_GREY, 1, 8 + 16 + 32 }, { TH_PSD_INDEXED, 1, 8 },
  { TH_PSD_RGB, 3, 8 + 16 + 32 }, { TH_PSD_CMYK, 4, 8 + 16 },      { TH_PSD_INKS, 4, 8 + 16 },
  { TH_PSD_DUOTONE, 1, 8 + 16 },  { TH_PSD_LAB, 3, 8 + 16 },
};

/* Keys of blocks whose size has 64 bits in a large file. */
static const char *const long_keys[] = { "LMsk", "Lr16", "Lr32", "Layr", "Mt16", "Mt32", "Mtrn",
                                         "Alph", "FMsk", "lnk2", "FEid", "FXid", "PxSD" };

typedef struct
{
  ThInput *input;
  ThPsdHead *head;
} Reader;

static gboolean
read_u32 (ThInput *input, guint64 offset, guint32 *value)
{
  return th_bytes_u32 (th_input_peek (input, offset, 4), 0, TRUE, value);
}

/* A size of 32 or 64 bits; *next is what follows. */
static gboolean
read_size (ThInput *input, guint64 offset, gboolean wide, guint64 *size, guint64 *next)
{
  guint32 high = 0, low;

  if (wide && !read_u32 (input, offset, &high))
    return FALSE;
  if (!read_u32 (input, offset + (wide ? 4 : 0), &low))
    return FALSE;
  *size = (guint64) high << 32 | low;
  *next = offset + (wide ? 8 : 4);
  return TRUE;
}

guint
th_psd_head_colors (const ThPsdHead *head)
{
  for (gsize i = 0; i < G_N_ELEMENTS (modes); i++)
    if (modes[i].mode == head->mode)
      return MIN (modes[i].colors, head->channels);
  return 0;
}

static gboolean
is_known (const ThPsdHead *head)
{
  for (gsize i = 0; i < G_N_ELEMENTS (modes); i++)
    if (modes[i].mode == head->mode)
      return (modes[i].depths & head->depth) != 0 && (head->depth & (head->depth - 1)) == 0
             && (head->mode == TH_PSD_INKS || head->channels >= modes[i].colors);
  return FALSE;
}

static const char *
read_numbers (const Reader *reader)
{
  const ThBytes bytes = th_input_peek (reader->input, 0, HEAD_BYTES);
  ThPsdHead *head = reader->head;
  guint16 version, channels, depth, mode;

  if (!th_bytes_u16 (bytes, 4, TRUE, &version) || !th_bytes_u16 (bytes, 12, TRUE, &channels)
      || !th_bytes_u32 (bytes, 14, TRUE, &head->size.height)
      || !th_bytes_u32 (bytes, 18, TRUE, &head->size.width)
      || !th_bytes_u16 (bytes, 22, TRUE, &depth) || !th_bytes_u16 (bytes, 24, TRUE, &mode))
    return "the header is cut";
  head->large = version == 2;
  head->channels = channels;
  head->depth = depth;
  head->mode = (ThPsdMode) mode;
  if (channels == 0 || channels > MOST_CHANNELS || !is_known (head))
    return "channels, depth and mode do not go together";
  return NULL;
}

static void
note_jpeg (const Reader *reader, ThPsdRange content, gboolean swapped)
{
  guint32 kind;

  if (content.size <= JPEG_HEAD || !read_u32 (reader->input, content.offset, &kind)
      || kind != JPEG_KIND || (swapped && reader->head->jpeg.size > 0 && !reader->head->swapped))
    return;
  reader->head->jpeg = (ThPsdRange){ content.offset + JPEG_HEAD, content.size - JPEG_HEAD };
  reader->head->swapped = swapped;
}

static void
note_resource (const Reader *reader, guint number, ThPsdRange content)
{
  ThPsdHead *head = reader->head;
  const ThBytes bytes = th_input_peek (reader->input, content.offset, 5);
  guint16 index;
  guint8 real;

  if (number == RESOURCE_JPEG || number == RESOURCE_JPEG_SWAPPED)
    note_jpeg (reader, content, number == RESOURCE_JPEG_SWAPPED);
  else if (number == RESOURCE_ICC && content.size <= MOST_ICC)
    head->icc = content;
  else if (number == RESOURCE_TRANSPARENT_INDEX && content.size >= 2
           && th_bytes_u16 (bytes, 0, TRUE, &index))
    head->transparent = index < TH_PSD_COLORS ? index : -1;
  else if (number == RESOURCE_VERSION && content.size >= 5 && th_bytes_u8 (bytes, 4, &real))
    head->merged = real != 0;
}

/* Whatever the signature: other programs write others. FALSE at the end. */
static gboolean
next_resource (const Reader *reader, guint64 *at, guint64 end)
{
  const ThBytes bytes = th_input_peek (reader->input, *at, RESOURCE_HEAD + 1);
  guint64 content;
  guint16 number;
  guint8 name;
  guint32 size;

  if (!th_bytes_u16 (bytes, 4, TRUE, &number) || !th_bytes_u8 (bytes, RESOURCE_HEAD, &name))
    return FALSE;
  content = *at + RESOURCE_HEAD + (name | 1u) + 1u;
  if (!read_u32 (reader->input, content, &size))
    return FALSE;
  content += 4;
  if (content > end || size > end - content)
    return FALSE;
  note_resource (reader, number, (ThPsdRange){ content, size });
  *at = content + size + (size & 1);
  return TRUE;
}

static void
read_resources (const Reader *reader, guint64 at, guint64 end)
{
  for (guint i = 0; i < MOST_RESOURCES && at < end; i++)
    if (!next_resource (reader, &at, end))
      return;
}

/* A negative count of layers: the merged picture has a transparency of its own. */
static void
note_layers (const Reader *reader, guint64 offset)
{
  guint16 count;

  if (th_bytes_u16 (th_input_peek (reader->input, offset, 2), 0, TRUE, &count) && count >= 0x8000)
    reader->head->transparent_channel = TRUE;
}

static gboolean
has_long_size (const Reader *reader, ThBytes key)
{
  for (gsize i = 0; i < G_N_ELEMENTS (long_keys); i++)
    if (th_bytes_starts_with (key, long_keys[i], 4))
      return reader->head->large;
  return FALSE;
}

/* Deep pictures keep their layers in a block. FALSE at the end. */
static gboolean
next_block (const Reader *reader, guint64 *at)
{
  const ThBytes bytes = th_input_peek (reader->input, *at, 8);
  guint64 size, content;
  gboolean layers, merged;
  ThBytes key;

  if (!th_bytes_slice (bytes, 4, 4, &key))
    return FALSE;
  layers = th_bytes_starts_with (key, "Lr16", 4) || th_bytes_starts_with (key, "Lr32", 4)
           || th_bytes_starts_with (key, "Layr", 4);
  merged = th_bytes_starts_with (key, "Mt", 2);
  if (!read_size (reader->input, *at + 8, has_long_size (reader, key), &size, &content))
    return FALSE;
  if (layers && size >= 2)
    note_layers (reader, content);
  if (merged)
    reader->head->transparent_channel = TRUE;
  return g_uint64_checked_add (at, content, size) && g_uint64_checked_add (at, *at, -size & 3);
}

static void
read_layers (const Reader *reader, guint64 at, guint64 end)
{
  guint64 size;

  if (!read_size (reader->input, at, reader->head->large, &size, &at))
    return;
  if (size >= 2)
    note_layers (reader, at);
  if (!g_uint64_checked_add (&at, at, size) || at >= end
      || !read_size (reader->input, at, FALSE, &size, &at) || !g_uint64_checked_add (&at, at, size))
    return;
  for (guint i = 0; i < MOST_BLOCKS && at < end; i++)
    if (!next_block (reader, &at))
      return;
}

/* One section after the other; what the file ends in is missing. */
static const char *
read_sections (const Reader *reader)
{
  ThInput *input = reader->input;
  ThPsdHead *head = reader->head;
  guint64 at = HEAD_BYTES, size;
  guint16 compression;

  if (!read_size (input, at, FALSE, &size, &at))
    return NULL;
  if (head->mode == TH_PSD_INDEXED
      && (size < TH_PSD_COLOR_BYTES
          || th_input_read (input, at, head->colors, TH_PSD_COLOR_BYTES) != TH_PSD_COLOR_BYTES))
    return "there is no table of colours";
  at += size;
  if (!read_size (input, at, FALSE, &size, &at))
    return NULL;
  read_resources (reader, at, at + size);
  at += size;
  if (!read_size (input, at, head->large, &size, &at))
    return NULL;
  if (!g_uint64_checked_add (&size, at, size) || size > th_input_size (input))
    return NULL;
  read_layers (reader, at, size);
  if (!th_bytes_u16 (th_input_peek (input, size, 2), 0, TRUE, &compression))
    return NULL;
  head->compression = compression;
  head->pixels = size + 2;
  return NULL;
}

ThStatus
th_psd_head_read (ThPsdHead *head, ThInput *input, const char **what)
{
  const Reader reader = { input, head };

  *head = (ThPsdHead){ .transparent = -1, .merged = TRUE, .pixels = th_input_size (input) };
  *what = read_numbers (&reader);
  if (*what == NULL)
    *what = read_sections (&reader);
  if (th_input_failed (input))
    return TH_STATUS_IO;
  return *what == NULL ? TH_STATUS_OK : TH_STATUS_CORRUPT;
}

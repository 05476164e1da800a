/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/tiff-overlay.h"

#include <string.h>
#include <tiffio.h>

/* What libtiff takes for a directory. */
#define ENTRIES_MAX 4096u
/* Values of other tags than those that are of use, larger ones are not read. */
#define VALUE_BYTES_MAX 1024u
/* Directories below the page that are looked at. */
#define SUBS_MAX 16u

/* Where numbers lie in the two kinds of file. */
typedef struct
{
  guint64 first; /* in the header: offset of the first directory */
  guint count;   /* bytes of a directory's number of entries */
  guint entry;   /* bytes of an entry: tag, type, count, value */
  guint word;    /* bytes of counts and offsets */
} Shape;

static const Shape classic = { 4, 2, 12, 4 };
static const Shape big = { 8, 8, 20, 8 };

typedef enum
{
  USE_NONE,
  USE_WHOLE,
  USE_LAZILY, /* libtiff reads no more of it than it needs */
  USE_SUBS,
} Use;

typedef struct
{
  guint tag;
  Use use;
} TagUse;

/* Tags that matter here and can have many values. */
static const TagUse uses[] = {
  { TIFFTAG_STRIPOFFSETS, USE_LAZILY },
  { TIFFTAG_STRIPBYTECOUNTS, USE_LAZILY },
  { TIFFTAG_TILEOFFSETS, USE_LAZILY },
  { TIFFTAG_TILEBYTECOUNTS, USE_LAZILY },
  { TIFFTAG_SUBIFD, USE_SUBS },
  { TIFFTAG_COLORMAP, USE_WHOLE },
  { TIFFTAG_JPEGTABLES, USE_WHOLE },
  { TIFFTAG_ICCPROFILE, USE_WHOLE },
  /* One value a sample. */
  { TIFFTAG_BITSPERSAMPLE, USE_WHOLE },
  { TIFFTAG_SAMPLEFORMAT, USE_WHOLE },
  { TIFFTAG_EXTRASAMPLES, USE_WHOLE },
  { TIFFTAG_MINSAMPLEVALUE, USE_WHOLE },
  { TIFFTAG_MAXSAMPLEVALUE, USE_WHOLE },
  { TIFFTAG_TRANSFERFUNCTION, USE_WHOLE },
};

/* Bytes of a value of each type from 0 on, BigTIFF's included. */
static const guint8 type_bytes[] = { 0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8 };

static const Shape *
shape_of (const ThTiffOverlay *overlay)
{
  return overlay->big ? &big : &classic;
}

static gboolean
read_word (const ThTiffOverlay *overlay, ThBytes bytes, gsize offset, guint size, guint64 *value)
{
  guint32 high = 0;
  guint32 low = 0;
  guint16 half;

  if (size == 2)
    {
      if (!th_bytes_u16 (bytes, offset, overlay->big_endian, &half))
        return FALSE;
      *value = half;
      return TRUE;
    }
  if (size == 8
      && !th_bytes_u32 (bytes, offset + (overlay->big_endian ? 0 : 4), overlay->big_endian, &high))
    return FALSE;
  if (!th_bytes_u32 (bytes, offset + (size == 8 && overlay->big_endian ? 4 : 0),
                     overlay->big_endian, &low))
    return FALSE;
  *value = (guint64) high << 32 | low;
  return TRUE;
}

static void
patch (ThTiffOverlay *overlay, guint64 offset, guint64 value)
{
  ThTiffPatch made = { .offset = offset, .size = (guint8) shape_of (overlay)->word };

  for (guint i = 0; i < made.size; i++)
    made.bytes[overlay->big_endian ? made.size - 1 - i : i] = (guint8) (value >> (8 * i));
  g_array_append_val (overlay->patches, made);
}

static Use
use_of (guint tag)
{
  for (gsize i = 0; i < G_N_ELEMENTS (uses); i++)
    if (uses[i].tag == tag)
      return uses[i].use;
  return USE_NONE;
}

/* Without values a tag is left out. */
static void
look_at_entry (ThTiffOverlay *overlay, ThBytes entry, guint64 offset)
{
  const Shape *shape = shape_of (overlay);
  guint64 count = 0;
  guint16 tag = 0;
  guint16 type = 0;
  guint64 bytes;
  Use use;

  th_bytes_u16 (entry, 0, overlay->big_endian, &tag);
  th_bytes_u16 (entry, 2, overlay->big_endian, &type);
  read_word (overlay, entry, 4, shape->word, &count);
  overlay->has_extra = overlay->has_extra || tag == TIFFTAG_EXTRASAMPLES;
  use = use_of (tag);
  if (use == USE_LAZILY)
    return;
  if (use == USE_SUBS && count > SUBS_MAX)
    patch (overlay, offset + 4, count = SUBS_MAX);
  if (!g_uint64_checked_mul (&bytes, count, type < sizeof type_bytes ? type_bytes[type] : 8))
    bytes = G_MAXUINT64;
  if (use == USE_NONE && bytes > VALUE_BYTES_MAX)
    patch (overlay, offset + 4, 0);
  else if (!g_uint64_checked_add (&overlay->tag_bytes, overlay->tag_bytes, bytes))
    overlay->tag_bytes = G_MAXUINT64 / 1024;
}

static gboolean
read_header (ThTiffOverlay *overlay, ThInput *input, guint64 *first)
{
  const ThBytes head = th_input_peek (input, 0, 16);
  guint16 version = 0;

  overlay->big_endian = th_bytes_starts_with (head, "MM", 2);
  if (!overlay->big_endian && !th_bytes_starts_with (head, "II", 2))
    return FALSE;
  if (!th_bytes_u16 (head, 2, overlay->big_endian, &version) || (version != 42 && version != 43))
    return FALSE;
  overlay->big = version == 43;
  return read_word (overlay, head, shape_of (overlay)->first, shape_of (overlay)->word, first);
}

/* The directory's entries; where it lies beyond the end or is too long libtiff will say so. */
static gboolean
read_directory (ThTiffOverlay *overlay, ThInput *input)
{
  const Shape *shape = shape_of (overlay);
  guint64 count;
  guint64 end;
  ThBytes bytes;

  if (overlay->directory > G_MAXINT64)
    return FALSE;
  bytes = th_input_peek (input, overlay->directory, shape->count);
  if (!read_word (overlay, bytes, 0, shape->count, &count) || count > ENTRIES_MAX)
    return FALSE;
  for (guint64 i = 0; i < count; i++)
    {
      const guint64 offset = overlay->directory + shape->count + i * shape->entry;

      bytes = th_input_peek (input, offset, shape->entry);
      if (bytes.size < shape->entry)
        return FALSE;
      look_at_entry (overlay, bytes, offset);
    }
  end = overlay->directory + shape->count + count * shape->entry;
  bytes = th_input_peek (input, end, shape->word);
  if (read_word (overlay, bytes, 0, shape->word, &overlay->next))
    patch (overlay, end, 0);
  return TRUE;
}

gboolean
th_tiff_overlay_init (ThTiffOverlay *overlay, ThInput *input, guint64 directory)
{
  guint64 first;

  *overlay = (ThTiffOverlay){ .patches = g_array_new (FALSE, FALSE, sizeof (ThTiffPatch)) };
  if (!read_header (overlay, input, &first))
    return FALSE;
  overlay->directory = directory != 0 ? directory : first;
  patch (overlay, shape_of (overlay)->first, overlay->directory);
  return read_directory (overlay, input);
}

void
th_tiff_overlay_clear (ThTiffOverlay *overlay)
{
  g_clear_pointer (&overlay->patches, g_array_unref);
}

static void
apply_one (const ThTiffPatch *one, guint64 offset, guint8 *bytes, gsize size)
{
  for (guint i = 0; i < one->size; i++)
    {
      const guint64 at = one->offset + i;

      if (at >= offset && at - offset < size)
        bytes[at - offset] = one->bytes[i];
    }
}

void
th_tiff_overlay_apply (const ThTiffOverlay *overlay, guint64 offset, guint8 *bytes, gsize size)
{
  for (guint i = 0; i < overlay->patches->len; i++)
    apply_one (&g_array_index (overlay->patches, ThTiffPatch, i), offset, bytes, size);
}

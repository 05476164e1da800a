/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-ifd.h"

#include <string.h>

/* TIFF 6.0, section 2: an 8-byte header, then directories of 12-byte entries. */
#define HEADER_BYTES 8
#define ENTRY_BYTES  12
#define PLACE        8 /* of the value, or of where it lies, in an entry */

typedef enum
{
  TYPE_BYTE = 1,
  TYPE_ASCII = 2,
  TYPE_SHORT = 3,
  TYPE_LONG = 4,
  TYPE_UNDEFINED = 7,
} Type;

/* Bytes of one value of each type from 0 on (TIFF 6.0, section 2, and IFD, which is a LONG). */
static const guint8 type_bytes[] = { 0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4 };

/* A view of just length bytes. */
static gboolean
view (const ThTiff *tiff, guint64 offset, gsize length, ThBytes *found)
{
  if (tiff->input == NULL)
    return offset <= tiff->bytes.size
           && th_bytes_slice (tiff->bytes, (gsize) offset, length, found);
  if (length > TH_INPUT_WINDOW || offset > G_MAXINT64 - tiff->base)
    return FALSE;
  return th_bytes_slice (th_input_peek (tiff->input, tiff->base + offset, length), 0, length,
                         found);
}

static gboolean
read_header (ThTiff *tiff)
{
  ThBytes header;

  if (!view (tiff, 0, HEADER_BYTES, &header))
    return FALSE;
  tiff->big_endian = th_bytes_starts_with (header, "MM\0*", 4);
  return (tiff->big_endian || th_bytes_starts_with (header, "II*\0", 4))
         && th_bytes_u32 (header, 4, tiff->big_endian, &tiff->first);
}

gboolean
th_tiff_init_bytes (ThTiff *tiff, ThBytes bytes)
{
  *tiff = (ThTiff){ .bytes = bytes };
  return read_header (tiff);
}

gboolean
th_tiff_init_input (ThTiff *tiff, ThInput *input, guint64 base)
{
  *tiff = (ThTiff){ .input = input, .base = base };
  return read_header (tiff);
}

/* Up to four bytes of values lie in the entry itself. */
static gboolean
read_entry (const ThTiff *tiff, guint64 offset, ThIfdEntry *entry)
{
  guint32 place = 0;
  gsize unit;
  ThBytes raw;

  if (!view (tiff, offset, PLACE, &raw) || !th_bytes_u16 (raw, 0, tiff->big_endian, &entry->tag)
      || !th_bytes_u16 (raw, 2, tiff->big_endian, &entry->type)
      || !th_bytes_u32 (raw, 4, tiff->big_endian, &entry->count))
    return FALSE;
  /* A block that ends within the last entry can still have a short value there. */
  if (view (tiff, offset + PLACE, sizeof place, &raw))
    (void) th_bytes_u32 (raw, 0, tiff->big_endian, &place);
  unit = entry->type < G_N_ELEMENTS (type_bytes) ? type_bytes[entry->type] : 0;
  entry->value = unit * (guint64) entry->count <= sizeof place ? offset + PLACE : place;
  return TRUE;
}

guint32
th_ifd_walk (const ThTiff *tiff, guint32 offset, ThIfdVisit visit, gpointer data)
{
  const guint64 first = (guint64) offset + 2;
  guint16 entries = 0;
  guint32 next = 0;
  ThBytes raw;

  if (!view (tiff, offset, 2, &raw) || !th_bytes_u16 (raw, 0, tiff->big_endian, &entries))
    return 0;
  for (guint i = 0; i < MIN (entries, TH_IFD_ENTRIES_MAX); i++)
    {
      ThIfdEntry entry;

      if (!read_entry (tiff, first + i * (guint64) ENTRY_BYTES, &entry))
        return 0;
      visit (tiff, &entry, data);
    }
  if (!view (tiff, first + entries * (guint64) ENTRY_BYTES, 4, &raw)
      || !th_bytes_u32 (raw, 0, tiff->big_endian, &next))
    return 0;
  return next;
}

gboolean
th_ifd_number (const ThTiff *tiff, const ThIfdEntry *entry, guint32 index, guint32 *value)
{
  gsize unit = entry->type == TYPE_LONG ? 4 : 2;
  guint16 narrow;
  ThBytes raw;

  if ((entry->type != TYPE_SHORT && entry->type != TYPE_LONG) || index >= entry->count
      || !view (tiff, entry->value + index * (guint64) unit, unit, &raw))
    return FALSE;
  if (entry->type == TYPE_LONG)
    return th_bytes_u32 (raw, 0, tiff->big_endian, value);
  if (!th_bytes_u16 (raw, 0, tiff->big_endian, &narrow))
    return FALSE;
  *value = narrow;
  return TRUE;
}

gsize
th_ifd_text (const ThTiff *tiff, const ThIfdEntry *entry, guint8 *text, gsize size)
{
  gsize length = MIN (size, entry->count);
  ThBytes raw;

  if ((entry->type != TYPE_BYTE && entry->type != TYPE_ASCII && entry->type != TYPE_UNDEFINED)
      || !view (tiff, entry->value, length, &raw))
    return 0;
  memcpy (text, raw.data, raw.size);
  return raw.size;
}

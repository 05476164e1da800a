/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-mpf.h"

#include "core/th-ifd.h"

#define TAG_ENTRIES 0xb002
#define ENTRY_BYTES 16u
/* In an entry's attributes: data format (0 is JPEG) and type. */
#define FORMAT_MASK 0x07000000u
#define TYPE_MASK   0x00ffffffu
#define TYPE_VGA    0x010001u
#define TYPE_HD     0x010002u

static const guint8 name[TH_JPEG_MPF_BASE] = { 'M', 'P', 'F', 0 };

typedef struct
{
  guint8 raw[TH_JPEG_MPF_MAX * ENTRY_BYTES];
  gsize size;
} Entries;

static void
visit (const ThTiff *tiff, const ThIfdEntry *entry, gpointer data)
{
  Entries *entries = data;

  if (entry->tag == TAG_ENTRIES)
    entries->size = th_ifd_text (tiff, entry, entries->raw, sizeof entries->raw);
}

static gboolean
is_preview (guint32 attributes)
{
  guint32 type = attributes & TYPE_MASK;

  return (attributes & FORMAT_MASK) == 0 && (type == TYPE_VGA || type == TYPE_HD);
}

guint
th_jpeg_mpf_read (ThBytes segment, ThJpegMpfEntry previews[TH_JPEG_MPF_MAX])
{
  Entries entries = { .size = 0 };
  ThBytes index, raw;
  ThTiff tiff;
  guint n = 0;

  if (!th_bytes_starts_with (segment, name, sizeof name)
      || !th_bytes_slice (segment, TH_JPEG_MPF_BASE, segment.size - TH_JPEG_MPF_BASE, &index)
      || !th_tiff_init_bytes (&tiff, index))
    return 0;
  (void) th_ifd_walk (&tiff, tiff.first, visit, &entries);
  raw = (ThBytes){ entries.raw, entries.size };
  for (gsize at = 0; at + ENTRY_BYTES <= raw.size; at += ENTRY_BYTES)
    {
      ThJpegMpfEntry *preview = &previews[n];
      guint32 attributes;

      if (th_bytes_u32 (raw, at, tiff.big_endian, &attributes) && is_preview (attributes)
          && th_bytes_u32 (raw, at + 4, tiff.big_endian, &preview->length)
          && th_bytes_u32 (raw, at + 8, tiff.big_endian, &preview->offset))
        n++;
    }
  return n;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-exif.h"

/* TIFF 6.0, section 2: an 8-byte header, then IFDs of 12-byte entries. */
#define IFD0_POINTER    4
#define ENTRY_BYTES     12
#define TAG_ORIENTATION 0x0112
#define TYPE_SHORT      3
#define TYPE_LONG       4

static const guint8 exif_prefix[6] = { 'E', 'x', 'i', 'f', 0, 0 };

static gboolean
read_byte_order (ThBytes tiff, gboolean *big_endian)
{
  *big_endian = th_bytes_starts_with (tiff, "MM\0*", 4);
  return *big_endian || th_bytes_starts_with (tiff, "II*\0", 4);
}

/* The value of an orientation entry: SHORT as the standard wants, or LONG, which some write. */
static guint32
entry_value (ThBytes tiff, gsize entry, gboolean big_endian)
{
  guint16 type = 0, narrow = 0;
  guint32 count = 0, wide = 0;

  if (!th_bytes_u16 (tiff, entry + 2, big_endian, &type)
      || !th_bytes_u32 (tiff, entry + 4, big_endian, &count) || count != 1)
    return 0;
  if (type == TYPE_SHORT && th_bytes_u16 (tiff, entry + 8, big_endian, &narrow))
    return narrow;
  if (type == TYPE_LONG && th_bytes_u32 (tiff, entry + 8, big_endian, &wide))
    return wide;
  return 0;
}

guint
th_exif_orientation (ThBytes tiff)
{
  gboolean big_endian;
  guint32 ifd;
  guint16 entries, tag;

  if (th_bytes_starts_with (tiff, exif_prefix, sizeof exif_prefix))
    (void) th_bytes_slice (tiff, sizeof exif_prefix, tiff.size - sizeof exif_prefix, &tiff);
  if (!read_byte_order (tiff, &big_endian) || !th_bytes_u32 (tiff, IFD0_POINTER, big_endian, &ifd)
      || !th_bytes_u16 (tiff, ifd, big_endian, &entries))
    return 1;
  for (gsize i = 0; i < entries; i++)
    {
      gsize entry = (gsize) ifd + 2 + i * ENTRY_BYTES;
      guint32 value;

      if (!th_bytes_u16 (tiff, entry, big_endian, &tag))
        return 1;
      if (tag != TAG_ORIENTATION)
        continue;
      value = entry_value (tiff, entry, big_endian);
      return value >= 1 && value <= 8 ? value : 1;
    }
  return 1;
}

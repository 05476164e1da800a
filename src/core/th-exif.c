/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-exif.h"

#include <string.h>

#include "core/th-ifd.h"

/* "YYYY:MM:DD HH:MM:SS" */
#define DATE_BYTES 19

typedef enum
{
  TAG_INTEROP_INDEX = 0x0001,
  TAG_ORIENTATION = 0x0112,
  TAG_DATE_CHANGED = 0x0132,
  TAG_JPEG_OFFSET = 0x0201,
  TAG_JPEG_LENGTH = 0x0202,
  TAG_EXIF_IFD = 0x8769,
  TAG_DATE_TAKEN = 0x9003,
  TAG_PIXEL_WIDTH = 0xa002,
  TAG_PIXEL_HEIGHT = 0xa003,
  TAG_INTEROP_IFD = 0xa005,
} Tag;

static const guint8 exif_prefix[6] = { 'E', 'x', 'i', 'f', 0, 0 };

/* What is collected on the way. */
typedef struct
{
  guint32 orientation;
  guint32 exif_ifd, interop_ifd;
  guint32 width, height;
  guint32 jpeg_offset, jpeg_length, jpeg_orientation;
  guint8 changed[DATE_BYTES], taken[DATE_BYTES];
  gsize changed_bytes, taken_bytes;
  guint8 interop[3];
} Found;

/* A number is worth something only where the entry has just one; the first entry of a tag counts.
 */
static void
take (const ThTiff *tiff, const ThIfdEntry *entry, guint32 *value)
{
  if (*value == 0 && entry->count == 1)
    (void) th_ifd_number (tiff, entry, 0, value);
}

static void
visit_ifd0 (const ThTiff *tiff, const ThIfdEntry *entry, gpointer data)
{
  Found *found = data;

  if (entry->tag == TAG_ORIENTATION)
    take (tiff, entry, &found->orientation);
  else if (entry->tag == TAG_EXIF_IFD)
    take (tiff, entry, &found->exif_ifd);
  else if (entry->tag == TAG_DATE_CHANGED)
    found->changed_bytes = th_ifd_text (tiff, entry, found->changed, DATE_BYTES);
}

static void
visit_ifd1 (const ThTiff *tiff, const ThIfdEntry *entry, gpointer data)
{
  Found *found = data;

  if (entry->tag == TAG_JPEG_OFFSET)
    take (tiff, entry, &found->jpeg_offset);
  else if (entry->tag == TAG_JPEG_LENGTH)
    take (tiff, entry, &found->jpeg_length);
  else if (entry->tag == TAG_ORIENTATION)
    take (tiff, entry, &found->jpeg_orientation);
}

static void
visit_exif (const ThTiff *tiff, const ThIfdEntry *entry, gpointer data)
{
  Found *found = data;

  if (entry->tag == TAG_PIXEL_WIDTH)
    take (tiff, entry, &found->width);
  else if (entry->tag == TAG_PIXEL_HEIGHT)
    take (tiff, entry, &found->height);
  else if (entry->tag == TAG_INTEROP_IFD)
    take (tiff, entry, &found->interop_ifd);
  else if (entry->tag == TAG_DATE_TAKEN)
    found->taken_bytes = th_ifd_text (tiff, entry, found->taken, DATE_BYTES);
}

static void
visit_interop (const ThTiff *tiff, const ThIfdEntry *entry, gpointer data)
{
  Found *found = data;

  if (entry->tag == TAG_INTEROP_INDEX)
    (void) th_ifd_text (tiff, entry, found->interop, sizeof found->interop);
}

static gboolean
open_block (ThBytes block, gsize *skipped, ThTiff *tiff)
{
  *skipped = th_bytes_starts_with (block, exif_prefix, sizeof exif_prefix) ? sizeof exif_prefix : 0;
  return th_bytes_slice (block, *skipped, block.size - *skipped, &block)
         && th_tiff_init_bytes (tiff, block);
}

static guint
orientation_of (guint32 value, guint otherwise)
{
  return value >= 1 && value <= 8 ? value : otherwise;
}

static void
place_preview (const ThTiff *tiff, const Found *found, gsize skipped, ThExif *exif)
{
  ThBytes inside;

  exif->preview_orientation = orientation_of (found->jpeg_orientation, 0);
  if (found->jpeg_length == 0
      || !th_bytes_slice (tiff->bytes, found->jpeg_offset, found->jpeg_length, &inside))
    return;
  exif->preview_offset = skipped + found->jpeg_offset;
  exif->preview_length = found->jpeg_length;
}

void
th_exif_read (ThBytes block, ThExif *exif)
{
  Found found = { 0 };
  gsize skipped;
  ThTiff tiff;
  guint32 next;

  *exif = (ThExif){ .orientation = 1 };
  if (!open_block (block, &skipped, &tiff))
    return;
  next = th_ifd_walk (&tiff, tiff.first, visit_ifd0, &found);
  if (next != 0)
    (void) th_ifd_walk (&tiff, next, visit_ifd1, &found);
  if (found.exif_ifd != 0)
    (void) th_ifd_walk (&tiff, found.exif_ifd, visit_exif, &found);
  if (found.interop_ifd != 0)
    (void) th_ifd_walk (&tiff, found.interop_ifd, visit_interop, &found);
  exif->orientation = orientation_of (found.orientation, 1);
  exif->width = found.width;
  exif->height = found.height;
  exif->changed = found.changed_bytes == DATE_BYTES && found.taken_bytes == DATE_BYTES
                  && memcmp (found.changed, found.taken, DATE_BYTES) != 0;
  exif->adobe_rgb = memcmp (found.interop, "R03", 3) == 0;
  place_preview (&tiff, &found, skipped, exif);
}

guint
th_exif_orientation (ThBytes block)
{
  ThExif exif;

  th_exif_read (block, &exif);
  return exif.orientation;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TIFF's directories of tagged values (IFDs), as in EXIF, in the index of a multi-picture JPEG, in
 * TIFF files and in RAW ones. Knows no tag.
 *
 * It follows no offset by itself: whoever asks for one directory after the other counts them, so
 * that loops cannot exist. */
#pragma once

#include "base/th-bytes.h"
#include "core/th-input.h"

/* Entries of one directory that are looked at; real ones have up to about 300. */
#define TH_IFD_ENTRIES_MAX 1024u

/* Offsets count from the byte-order mark. */
typedef struct
{
  ThBytes bytes;  /* all of it, where it is in memory */
  ThInput *input; /* else NULL: borrowed; what is read of it uses th_input_peek */
  guint64 base;   /* of the byte-order mark in input */
  gboolean big_endian;
  guint32 first; /* offset of the first directory */
} ThTiff;

typedef struct
{
  guint16 tag;
  guint16 type;
  guint32 count;
  guint64 value; /* offset of the first value */
} ThIfdEntry;

typedef void (*ThIfdVisit) (const ThTiff *tiff, const ThIfdEntry *entry, gpointer data);

/* Both FALSE where there is no TIFF header. */
gboolean th_tiff_init_bytes (ThTiff *tiff, ThBytes bytes);
gboolean th_tiff_init_input (ThTiff *tiff, ThInput *input, guint64 base);
/* Visits the entries of the directory at offset, those behind the first that does not lie inside
 * excepted. Returns the offset of the next directory, 0 where there is none. */
guint32 th_ifd_walk (const ThTiff *tiff, guint32 offset, ThIfdVisit visit, gpointer data);
/* One number of an entry: SHORT, or LONG, which some write in its place. */
gboolean th_ifd_number (const ThTiff *tiff, const ThIfdEntry *entry, guint32 index, guint32 *value);
/* Up to size bytes of an entry of single bytes (BYTE, ASCII, UNDEFINED); how many there were. */
gsize th_ifd_text (const ThTiff *tiff, const ThIfdEntry *entry, guint8 *text, gsize size);

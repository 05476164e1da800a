/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One plane of a Photoshop file's merged picture, row by row. Planes lie one after the other, so
 * that each has a buffer of its own. Knows no colours. */
#pragma once

#include "core/codecs/psd-head.h"

typedef enum
{
  TH_PSD_ROW_WHOLE,
  TH_PSD_ROW_DIRTY,   /* what is missing of it is 0 */
  TH_PSD_ROW_MISSING, /* the file ends, or cannot be read */
} ThPsdRow;

#define TH_PSD_PLANE_COUNTS 256u

typedef struct
{
  ThInput *input;
  gsize row_bytes;
  gboolean packed;
  guint64 rows;   /* that are left */
  guint64 offset; /* of what comes behind the buffer */
  guint8 *buffer; /* owned */
  gsize at, filled, room;
  guint64 table;     /* of lengths: offset of the next one that is not in counts */
  guint count_bytes; /* of a length */
  guint count, n_counts;
  guint8 counts[TH_PSD_PLANE_COUNTS * 4];
} ThPsdPlane;

/* Bytes of a row of one plane as stored, before packing. */
gsize th_psd_row_bytes (const ThPsdHead *head);
/* Where the planes begin, n of them and what follows the last; lengths are summed up. FALSE where
 * the file ends before the last one does. Offsets beyond a gap in the table are the file's end. */
gboolean th_psd_find_planes (const ThPsdHead *head, ThInput *input, guint64 *offsets, guint n);
/* Most memory that one takes beside itself. */
gsize th_psd_plane_room (const ThPsdHead *head);
/* FALSE where memory is short. */
gboolean th_psd_plane_init (ThPsdPlane *plane, const ThPsdHead *head, ThInput *input, guint index,
                            guint64 offset);
void th_psd_plane_clear (ThPsdPlane *plane);
/* The next row, of th_psd_row_bytes. */
ThPsdRow th_psd_plane_row (ThPsdPlane *plane, guint8 *row);

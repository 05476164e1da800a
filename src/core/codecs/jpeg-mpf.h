/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The index of a multi-picture file (CIPA DC-007), with which many cameras point to a larger
 * preview behind the main picture. Knows neither the file nor its pictures. */
#pragma once

#include "base/th-bytes.h"

/* Pictures of one file that are looked at; real files have two to four. */
#define TH_JPEG_MPF_MAX 8u

typedef struct
{
  guint32 offset; /* from the byte-order mark of the index */
  guint32 length;
} ThJpegMpfEntry;

/* Offset of the byte-order mark in the segment. */
#define TH_JPEG_MPF_BASE 4u

/* segment is the content of an APP2. How many of its pictures call themselves previews ("large
 * thumbnail") of the main one; others are depth maps, gain maps or further views. 0 where the
 * segment is something else. */
guint th_jpeg_mpf_read (ThBytes segment, ThJpegMpfEntry previews[TH_JPEG_MPF_MAX]);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the suite compares: pictures of 8-bit RGBA, ours and those of a reference. */
#pragma once

#include "base/th-bytes.h"
#include "base/th-error.h"
#include "base/th-fit.h"

typedef struct
{
  ThSize size;
  guint32 first;   /* row that came, from the top */
  guint32 rows;    /* that came; the rest is zero */
  ThStatus status; /* of our decode */
  char codec[8];   /* ours */
  guint8 *rgba;
} Picture;

Picture *picture_new (ThSize size);
void picture_free (Picture *picture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Picture, picture_free)

/* Decodes by our codec with the full size as the target, and checks what the contract says about
 * rows, statuses and memory. The picture has no rows where the data were refused. */
Picture *picture_decode (ThBytes data);
/* Decodes for a box as large as so many pixels, and gives the raster that comes of it. */
Picture *picture_shrink (ThBytes data, guint32 box);
/* Decodes by the library's plainest interface; NULL where there is none for the codec, or it
 * refuses. */
Picture *picture_reference (const char *codec, ThBytes data);
/* Greatest difference of two samples, of visible pixels and of alpha, in the rows that a has. */
guint picture_difference (const Picture *a, const Picture *b);
/* Mean difference of all samples in the rows that a has. */
double picture_mean_difference (const Picture *a, const Picture *b);

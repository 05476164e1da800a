/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The container of a WebP: where the data of its first picture lie, and what is said about it.
 * Reads chunk headers and the first bytes of the picture; knows nothing of pixels. */
#pragma once

#include "base/th-error.h"
#include "base/th-fit.h"
#include "base/th-limits.h"
#include "core/th-input.h"

/* A chunk, its own header included, as far as the file goes. */
typedef struct
{
  guint64 offset;
  guint64 size; /* 0 where there is none */
} ThWebpSpan;

typedef struct
{
  ThSize canvas;
  ThSize frame; /* the first picture: the whole canvas unless the file is animated */
  guint32 x, y; /* where it lies on the canvas */
  gboolean animated;
  gboolean lossless;
  gboolean alpha;          /* of the picture itself */
  guint32 partitions;      /* of a lossy picture */
  guint32 first_partition; /* bytes of the one with the modes */
  ThWebpSpan alpha_data;
  ThWebpSpan data;
  guint orientation; /* EXIF */
  guint8 *icc;       /* owned, or NULL */
  gsize icc_size;
  gboolean no_memory; /* for the profile */
} ThWebpHead;

/* No work in proportion to the picture. The head is zeroed first, and has to be cleared whatever
 * came out. OK, CORRUPT, TOO_LARGE, NO_CONTENT, NO_MEMORY, IO. */
ThStatus th_webp_head_read (ThWebpHead *head, ThInput *input, const ThLimits *limits,
                            GError **error);
void th_webp_head_clear (ThWebpHead *head);

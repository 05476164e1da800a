/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The container of a WebP: where the data of its pictures lie, and what is said about them. Reads
 * chunk headers and the first bytes of pictures; knows nothing of pixels. */
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

/* One picture of the file. */
typedef struct
{
  ThSize size;
  guint32 x, y; /* where it lies on the canvas */
  gboolean lossless;
  gboolean alpha;          /* of the picture itself */
  guint32 partitions;      /* of a lossy picture */
  guint32 first_partition; /* bytes of the one with the modes */
  ThWebpSpan alpha_data;
  ThWebpSpan data;
  gboolean replaces; /* what lies below it, instead of being blended with that */
  gboolean clears;   /* its place, before the next frame is drawn */
} ThWebpFrame;

typedef struct
{
  ThSize canvas;
  ThWebpFrame frame; /* the first: the whole canvas unless the file is animated */
  gboolean animated;
  guint64 next;      /* in an animation: behind the first frame */
  guint64 end;       /* of the container, or of the file */
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
/* The next frame of an animation, from *offset on, which is moved behind it; head->next is that of
 * the second. FALSE where none follows that is within the limits and on the canvas. */
gboolean th_webp_head_next (const ThWebpHead *head, ThInput *input, const ThLimits *limits,
                            guint64 *offset, ThWebpFrame *frame);

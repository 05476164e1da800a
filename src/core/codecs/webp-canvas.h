/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of an animated WebP drawn one over the other, until they show something. Knows nothing of
 * targets. */
#pragma once

#include "core/codecs/webp-head.h"
#include "core/th-blank.h"
#include "core/th-sink.h"

/* The frames of which one may be shown, as their container has them. */
typedef struct
{
  ThSize canvas;
  guint n; /* at least 1 */
  ThWebpFrame frames[TH_BLANK_FRAMES];
} ThWebpFrames;

/* Reads chunk headers only. */
void th_webp_frames_read (ThWebpFrames *frames, const ThWebpHead *head, ThInput *input,
                          const ThLimits *limits);
/* Whether some canvas may have transparency. */
gboolean th_webp_frames_have_alpha (const ThWebpFrames *frames);

/* libwebp's own memory for a frame that is decoded to rows of width pixels: measured under a limit
 * on data, see tests/codecs. */
guint64 th_webp_frame_bytes (const ThWebpFrame *frame, guint32 width);
/* Most that th_webp_canvas_push allocates at any moment. */
guint64 th_webp_canvas_bytes (const ThWebpFrames *frames, const ThRaster *raster);
/* Pushes the canvas that is to be shown where the first frame shows nothing but the pixel first
 * (RGBA): raster is RGB or RGBA of 8 bits, no larger than the canvas. OK, PARTIAL where the file
 * ends within that frame, STOPPED, IO, NO_MEMORY; error is set on the last two. */
ThStatus th_webp_canvas_push (const ThWebpFrames *frames, ThInput *input, const guint8 first[4],
                              const ThRaster *raster, ThSink *sink, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of a GIF drawn one over the other, until they show something. Knows no sinks. */
#pragma once

#include "core/codecs/gif-file.h"

/* Pixels of a canvas, beyond which an animation is shown by its first frame: 128 MiB while frames
 * are drawn, and a tenth of a second for each. */
#define TH_GIF_CANVAS_PIXELS (16u * 1024u * 1024u)

/* *needed: the first frame of several shows no picture (core/th-blank.h), so that others have to be
 * looked at. Reads it until that is clear, with a line of memory. OK, NO_MEMORY, IO. */
ThStatus th_gif_canvas_is_needed (ThInput *input, ThSize canvas, gboolean *needed, GError **error);
/* Most that th_gif_canvas_draw allocates, beside giflib. */
guint64 th_gif_canvas_bytes (ThSize canvas);
/* The canvas that is to be shown (RGBA, straight, 4 × width bytes a row), which the caller frees:
 * OK or PARTIAL, where the file ends within the frame. NO_CONTENT: the first frame is as good as
 * the others. NO_MEMORY, IO. error is set on the last two. */
ThStatus th_gif_canvas_draw (ThInput *input, ThSize canvas, guint8 **pixels, GError **error);

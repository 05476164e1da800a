/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of a GIF drawn one over the other, until they show something. Knows no sinks. */
#pragma once

#include "core/codecs/gif-file.h"
#include "core/th-blank.h"

/* *needed: the first frame of several shows no picture (core/th-blank.h), so that others have to be
 * looked at. Reads it until that is clear, with a line of memory. OK, NO_MEMORY, IO. */
ThStatus th_gif_canvas_is_needed (ThInput *input, ThSize canvas, gboolean *needed, GError **error);
/* Most that th_gif_canvas_draw allocates, beside giflib. */
guint64 th_gif_canvas_bytes (ThSize canvas);
/* The canvas that is to be shown (RGBA, straight, 4 × width bytes a row), which the caller frees:
 * OK or PARTIAL, where the file ends within the frame. NO_CONTENT: the first frame is as good as
 * the others. NO_MEMORY, IO. error is set on the last two. */
ThStatus th_gif_canvas_draw (ThInput *input, ThSize canvas, guint8 **pixels, GError **error);

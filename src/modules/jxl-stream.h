/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libjxl's decoder fed from ThInput, one window at a time, on this thread alone. Knows no pixels.
 */
#pragma once

#include <jxl/decode.h>

#include "core/th-input.h"

typedef struct
{
  JxlDecoder *decoder;
  ThInput *input; /* borrowed */
  guint64 offset; /* of the bytes that the decoder has */
  gsize given;    /* how many */
} ThJxlStream;

/* Subscribes to events. FALSE without memory. */
gboolean th_jxl_stream_init (ThJxlStream *stream, ThInput *input, int events);
/* The next event, feeding the decoder as it goes; JXL_DEC_NEED_MORE_INPUT: the file has ended. */
JxlDecoderStatus th_jxl_stream_next (ThJxlStream *stream);
/* To be called before others read the input between two events; offset is then what comes next. */
void th_jxl_stream_pause (ThJxlStream *stream);
void th_jxl_stream_clear (ThJxlStream *stream);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/jxl-stream.h"

gboolean
th_jxl_stream_init (ThJxlStream *stream, ThInput *input, int events)
{
  *stream = (ThJxlStream){ .decoder = JxlDecoderCreate (NULL), .input = input };
  return stream->decoder != NULL
         && JxlDecoderSubscribeEvents (stream->decoder, events) == JXL_DEC_SUCCESS
         && JxlDecoderSetKeepOrientation (stream->decoder, JXL_TRUE) == JXL_DEC_SUCCESS;
}

void
th_jxl_stream_pause (ThJxlStream *stream)
{
  if (stream->given > 0)
    stream->offset += stream->given - JxlDecoderReleaseInput (stream->decoder);
  stream->given = 0;
}

/* FALSE where there is nothing that the decoder has not seen. */
static gboolean
feed (ThJxlStream *stream)
{
  const guint64 before = stream->offset;
  const gsize given = stream->given;
  ThBytes bytes;

  th_jxl_stream_pause (stream);
  bytes = th_input_peek (stream->input, stream->offset, TH_INPUT_WINDOW);
  if (bytes.size == 0 || (given > 0 && stream->offset == before && bytes.size <= given))
    return FALSE;
  stream->given = bytes.size;
  return JxlDecoderSetInput (stream->decoder, bytes.data, bytes.size) == JXL_DEC_SUCCESS;
}

JxlDecoderStatus
th_jxl_stream_next (ThJxlStream *stream)
{
  JxlDecoderStatus status;

  if (stream->given == 0 && !feed (stream))
    return JXL_DEC_NEED_MORE_INPUT;
  status = JxlDecoderProcessInput (stream->decoder);
  while (status == JXL_DEC_NEED_MORE_INPUT && feed (stream))
    status = JxlDecoderProcessInput (stream->decoder);
  return status;
}

void
th_jxl_stream_clear (ThJxlStream *stream)
{
  g_clear_pointer (&stream->decoder, JxlDecoderDestroy);
}

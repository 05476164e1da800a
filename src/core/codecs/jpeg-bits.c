/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-bits.h"

ThJpegBitsIn
th_jpeg_bits_start (ThInput *input, guint64 offset, guint64 end)
{
  return (ThJpegBitsIn){ .input = input, .offset = offset, .end = end };
}

guint64
th_jpeg_bits_tell (const ThJpegBitsIn *in)
{
  return in->offset - (guint64) (in->stop - in->next);
}

/* The window from the next byte on, two at least where there are so many. */
static void
look_further (ThJpegBitsIn *in)
{
  guint64 place = th_jpeg_bits_tell (in);
  ThBytes window = { NULL, 0 };

  if (place < in->end)
    window = th_input_peek (in->input, place, 2);
  window.size = (gsize) MIN (window.size, in->end - MIN (place, in->end));
  in->next = window.data;
  in->stop = window.data + window.size;
  in->offset = place + window.size;
}

static void
take (ThJpegBitsIn *in, guint8 byte, guint length)
{
  in->bits |= (guint64) byte << (56 - in->count);
  in->count += 8;
  in->next += length;
}

void
th_jpeg_bits_fill_slowly (ThJpegBitsIn *in)
{
  while (in->count <= 56 && !in->ended)
    {
      if (in->stop - in->next < 2)
        look_further (in);
      if (in->next < in->stop && in->next[0] != 0xff)
        take (in, in->next[0], 1);
      else if (in->stop - in->next < 2)
        in->ended = TRUE;
      else if (in->next[1] == 0)
        take (in, 0xff, 2);
      else if (in->next[1] == 0xff)
        in->next++; /* a fill byte */
      else
        in->ended = TRUE;
    }
}

static void
put_byte (ThJpegBitsOut *out)
{
  guint8 byte = (guint8) (out->bits >> 56);

  out->bytes[out->size++] = byte;
  if (byte == 0xff)
    out->bytes[out->size++] = 0;
  out->bits <<= 8;
  out->count -= MIN (out->count, 8u);
}

void
th_jpeg_bits_stuff (ThJpegBitsOut *out)
{
  for (guint i = 0; i < sizeof (guint32); i++)
    put_byte (out);
}

void
th_jpeg_bits_pad (ThJpegBitsOut *out)
{
  while (out->count > 0)
    put_byte (out);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bits of a baseline scan, in and out: stuffed zeros are taken away and put in (T.81, B.1.1.5),
 * and reading stops at a marker. Knows no codes.
 *
 * What is inline is handed local variables only, which so can be registers; what is not gets copies
 * of them. */
#pragma once

#include <string.h>

#include "core/th-input.h"

typedef struct
{
  ThInput *input;     /* borrowed */
  const guint8 *next; /* in the input's window */
  const guint8 *stop;
  guint64 offset; /* of stop, in the input */
  guint64 end;    /* nothing from there on is read */
  guint64 bits;   /* the next one on top; zeros follow the last */
  guint count;    /* of them that are of the file */
  gboolean ended; /* at a marker or the end: no more will come */
} ThJpegBitsIn;

typedef struct
{
  guint8 *bytes;
  gsize size;
  guint64 bits; /* not yet bytes, the first one on top */
  guint count;  /* below 32 between calls */
} ThJpegBitsOut;

ThJpegBitsIn th_jpeg_bits_start (ThInput *input, guint64 offset, guint64 end);
/* Offset of the first byte that has not become bits. */
guint64 th_jpeg_bits_tell (const ThJpegBitsIn *in);
/* At least 32 bits, or all until the marker: byte by byte, and over the end of the window. */
void th_jpeg_bits_fill_slowly (ThJpegBitsIn *in);
/* Puts out four bytes of which one is 0xff. */
void th_jpeg_bits_stuff (ThJpegBitsOut *out);
/* Fills the last byte up with zeros, which libjpeg takes for data that are missing. */
void th_jpeg_bits_pad (ThJpegBitsOut *out);

/* Not 0 where one of the four bytes is 0xff. */
static inline guint32
th_jpeg_bits_ff (guint32 four)
{
  return (~four - 0x01010101u) & four & 0x80808080u;
}

/* Afterwards there are at least 32 bits, or all that there are until a marker. */
static inline void
th_jpeg_bits_fill (ThJpegBitsIn *in)
{
  guint32 four = 0xffffffff;

  if (in->count >= 32)
    return;
  if (in->stop - in->next >= 4)
    memcpy (&four, in->next, sizeof four);
  four = GUINT32_FROM_BE (four);
  if (G_UNLIKELY (th_jpeg_bits_ff (four) != 0))
    {
      ThJpegBitsIn copy = *in;

      th_jpeg_bits_fill_slowly (&copy);
      *in = copy;
      return;
    }
  in->bits |= (guint64) four << (32 - in->count);
  in->count += 32;
  in->next += sizeof four;
}

/* n at most 32 and at most in->count. */
static inline void
th_jpeg_bits_drop (ThJpegBitsIn *in, guint n)
{
  in->bits <<= n;
  in->count -= n;
}

/* The n uppermost of bits; n from 1 to 32. There must be room for eight bytes. */
static inline void
th_jpeg_bits_put (ThJpegBitsOut *out, guint64 bits, guint n)
{
  guint32 four;

  out->bits |= bits >> (64 - n) << (64 - out->count - n);
  out->count += n;
  if (out->count < 32)
    return;
  four = (guint32) (out->bits >> 32);
  if (G_UNLIKELY (th_jpeg_bits_ff (four) != 0))
    {
      ThJpegBitsOut copy = *out;

      th_jpeg_bits_stuff (&copy);
      *out = copy;
      return;
    }
  four = GUINT32_TO_BE (four);
  memcpy (out->bytes + out->size, &four, sizeof four);
  out->size += sizeof four;
  out->bits <<= 32;
  out->count -= 32;
}

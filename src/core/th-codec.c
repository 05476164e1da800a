/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-codec.h"

/* Bytes that a magic may look at. */
#define SNIFF_BYTES 64

static gboolean
matches (const ThMagic *magic, ThBytes head)
{
  ThBytes part;

  if (!th_bytes_slice (head, magic->offset, magic->length, &part))
    return FALSE;
  for (guint32 i = 0; i < magic->length; i++)
    {
      guint8 mask = magic->mask != NULL ? (guint8) magic->mask[i] : 0xff;

      if ((part.data[i] & mask) != (guint8) magic->bytes[i])
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_of (const ThCodec *codec, ThBytes head)
{
  if (codec->magic == NULL)
    return head.size > 0;
  for (const ThMagic *magic = codec->magic; magic->length > 0; magic++)
    if (matches (magic, head))
      return TRUE;
  return FALSE;
}

const ThCodec *
th_codec_sniff (ThInput *input)
{
  ThBytes head = th_input_peek (input, 0, SNIFF_BYTES);

  for (guint i = 0; th_codecs[i] != NULL; i++)
    if (is_of (th_codecs[i], head))
      return th_codecs[i];
  return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "preview-jxl.h"

#include <jxl/decode.h>
#include <string.h>

#include "jxl-bits.h"
#include "jxl-maker.h"

static const JxlMaker maker = { "preview", 8 };

/* From the first byte of the only frame on. */
static void
append_frame (GByteArray *data, const Picture *picture)
{
  const JxlMakerFrame frame = { .picture = picture };
  g_autoptr (GByteArray) whole = g_byte_array_new ();
  JxlDecoder *decoder = JxlDecoderCreate (NULL);
  gsize left;

  jxl_maker_run (&maker, picture->size, &frame, 1, NULL, whole);
  g_assert_cmpint (JxlDecoderSubscribeEvents (decoder, JXL_DEC_COLOR_ENCODING), ==,
                   JXL_DEC_SUCCESS);
  g_assert_cmpint (JxlDecoderSetInput (decoder, whole->data, whole->len), ==, JXL_DEC_SUCCESS);
  g_assert_cmpint (JxlDecoderProcessInput (decoder), ==, JXL_DEC_COLOR_ENCODING);
  left = JxlDecoderReleaseInput (decoder);
  g_byte_array_append (data, whole->data + whole->len - left, (guint) left);
  JxlDecoderDestroy (decoder);
}

static void
put_head (GByteArray *data, ThSize full, ThSize preview)
{
  JxlBits bits = { data, 0 };

  g_byte_array_append (data, (const guint8 *) "\xff\x0a", 2);
  jxl_bits_put_size (&bits, full);
  jxl_bits_put (&bits, 0, 1); /* not all is as presumed */
  jxl_bits_put (&bits, 1, 1); /* what is rare follows */
  jxl_bits_put (&bits, 0, 3); /* not turned */
  jxl_bits_put (&bits, 0, 1); /* no other size to be shown at */
  jxl_bits_put (&bits, 1, 1); /* a preview, whose sides are no multiples of 8 */
  jxl_bits_put (&bits, 0, 1);
  jxl_bits_put (&bits, 1, 2); /* 8 bits, from 65 on */
  jxl_bits_put (&bits, preview.height - 65, 8);
  jxl_bits_put (&bits, 0, 3);
  jxl_bits_put (&bits, 1, 2);
  jxl_bits_put (&bits, preview.width - 65, 8);
  jxl_bits_put (&bits, 0, 1); /* no animation */
  jxl_bits_put (&bits, 0, 3); /* whole numbers of 8 bits */
  jxl_bits_put (&bits, 1, 1); /* 16 bits hold what is coded */
  jxl_bits_put (&bits, 0, 2); /* no other channels */
  jxl_bits_put (&bits, 0, 1); /* not XYB */
  jxl_bits_put (&bits, 1, 1); /* sRGB */
  jxl_bits_put (&bits, 1, 1); /* brightness as presumed */
  jxl_bits_put (&bits, 0, 2); /* no extensions */
  jxl_bits_put (&bits, 1, 1); /* plain upsampling */
}

void
preview_jxl (GByteArray *data, const Picture *picture, const Picture *preview)
{
  put_head (data, picture->size, preview->size);
  append_frame (data, preview);
  append_frame (data, picture);
}

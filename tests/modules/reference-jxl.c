/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libjxl given the whole file at once, and asked for RGBA, as the reference. */
#include "config.h"

#include <jxl/decode.h>

#include "codecs/picture.h"

/* To the end of the first frame. */
static Picture *
decode (JxlDecoder *decoder)
{
  const JxlPixelFormat format = { 4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0 };
  g_autoptr (Picture) picture = NULL;
  JxlBasicInfo info;

  for (;;)
    switch ((guint) JxlDecoderProcessInput (decoder))
      {
      case JXL_DEC_BASIC_INFO:
        if (JxlDecoderGetBasicInfo (decoder, &info) != JXL_DEC_SUCCESS)
          return NULL;
        picture = picture_new ((ThSize){ info.xsize, info.ysize });
        break;
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
        if (JxlDecoderSetImageOutBuffer (decoder, &format, picture->rgba,
                                         (gsize) info.xsize * info.ysize * 4)
            != JXL_DEC_SUCCESS)
          return NULL;
        break;
      case JXL_DEC_FULL_IMAGE:
        return g_steal_pointer (&picture);
      default:
        return NULL;
      }
}

Picture *
picture_reference (const char *codec, ThBytes data)
{
  JxlDecoder *decoder = JxlDecoderCreate (NULL);
  Picture *picture = NULL;

  if (JxlDecoderSubscribeEvents (decoder, JXL_DEC_BASIC_INFO | JXL_DEC_FULL_IMAGE)
          == JXL_DEC_SUCCESS
      && JxlDecoderSetKeepOrientation (decoder, JXL_TRUE) == JXL_DEC_SUCCESS
      && JxlDecoderSetInput (decoder, data.data, data.size) == JXL_DEC_SUCCESS)
    picture = decode (decoder);
  JxlDecoderDestroy (decoder);
  return picture;
}

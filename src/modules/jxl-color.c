/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/jxl-color.h"

#define MAX_ICC_BYTES (16u * 1024u * 1024u)

static const struct
{
  JxlTransferFunction function;
  ThTransfer transfer;
  double gamma;
} transfers[] = {
  { JXL_TRANSFER_FUNCTION_709, TH_TRANSFER_SRGB, 0 },
  { JXL_TRANSFER_FUNCTION_LINEAR, TH_TRANSFER_GAMMA, 1 },
  { JXL_TRANSFER_FUNCTION_SRGB, TH_TRANSFER_SRGB, 0 },
  { JXL_TRANSFER_FUNCTION_PQ, TH_TRANSFER_PQ, 0 },
  { JXL_TRANSFER_FUNCTION_DCI, TH_TRANSFER_GAMMA, 2.6 },
  { JXL_TRANSFER_FUNCTION_HLG, TH_TRANSFER_HLG, 0 },
};

static gboolean
set_transfer (const JxlColorEncoding *encoding, ThColorSpace *space)
{
  /* libjxl's exponent leads from light to the coded value. */
  if (encoding->transfer_function == JXL_TRANSFER_FUNCTION_GAMMA && encoding->gamma > 0)
    {
      space->transfer = TH_TRANSFER_GAMMA;
      space->gamma = 1 / encoding->gamma;
      return TRUE;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (transfers); i++)
    if (transfers[i].function == encoding->transfer_function)
      {
        space->transfer = transfers[i].transfer;
        space->gamma = transfers[i].gamma;
        return TRUE;
      }
  return FALSE;
}

gboolean
th_jxl_color_space (const JxlDecoder *decoder, ThColorSpace *space)
{
  const JxlColorProfileTarget data = JXL_COLOR_PROFILE_TARGET_DATA;
  ThColorSpace told = { .given = TRUE };
  JxlColorEncoding encoding;

  if (JxlDecoderGetColorAsEncodedProfile (decoder, NULL, data, &encoding) != JXL_DEC_SUCCESS
      || (encoding.color_space != JXL_COLOR_SPACE_RGB
          && encoding.color_space != JXL_COLOR_SPACE_GRAY)
      || !set_transfer (&encoding, &told))
    return FALSE;
  told.white = (ThChroma){ encoding.white_point_xy[0], encoding.white_point_xy[1] };
  told.red = (ThChroma){ encoding.primaries_red_xy[0], encoding.primaries_red_xy[1] };
  told.green = (ThChroma){ encoding.primaries_green_xy[0], encoding.primaries_green_xy[1] };
  told.blue = (ThChroma){ encoding.primaries_blue_xy[0], encoding.primaries_blue_xy[1] };
  *space = told;
  return TRUE;
}

guint8 *
th_jxl_color_profile (const JxlDecoder *decoder, gsize *size)
{
  const JxlColorProfileTarget data = JXL_COLOR_PROFILE_TARGET_DATA;
  g_autofree guint8 *profile = NULL;

  *size = 0;
  if (JxlDecoderGetICCProfileSize (decoder, NULL, data, size) == JXL_DEC_SUCCESS && *size > 0
      && *size <= MAX_ICC_BYTES)
    profile = g_try_malloc (*size);
  if (profile == NULL
      || JxlDecoderGetColorAsICCProfile (decoder, NULL, data, profile, *size) != JXL_DEC_SUCCESS)
    {
      *size = 0;
      return NULL;
    }
  return g_steal_pointer (&profile);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "jxl-maker.h"

#include <jxl/decode.h>
#include <string.h>

#define TICKS 10u

static void
succeed (JxlEncoderStatus status)
{
  g_assert_cmpint (status, ==, JXL_ENC_SUCCESS);
}

static guint
channels_of (const JxlMaker *maker)
{
  return (maker->grey ? 1 : 3) + (maker->alpha ? 1 : 0);
}

static void
set_extra_channels (JxlEncoder *encoder, const JxlMaker *maker)
{
  const guint first = maker->alpha ? 1 : 0;

  for (guint i = 0; i < maker->black + maker->more; i++)
    {
      const JxlExtraChannelType type = i < maker->black ? JXL_CHANNEL_BLACK : JXL_CHANNEL_DEPTH;
      JxlExtraChannelInfo info;

      JxlEncoderInitExtraChannelInfo (type, &info);
      info.bits_per_sample = maker->bits;
      succeed (JxlEncoderSetExtraChannelInfo (encoder, first + i, &info));
    }
}

static void
set_colors (JxlEncoder *encoder, const JxlMaker *maker)
{
  JxlColorEncoding plain;

  if (maker->icc != NULL)
    {
      succeed (JxlEncoderSetICCProfile (encoder, maker->icc->data, maker->icc->len));
      return;
    }
  JxlColorEncodingSetToSRGB (&plain, maker->grey);
  succeed (JxlEncoderSetColorEncoding (encoder, maker->colored ? &maker->colors : &plain));
}

static void
set_info (JxlEncoder *encoder, const JxlMaker *maker, ThSize size)
{
  JxlBasicInfo info;

  JxlEncoderInitBasicInfo (&info);
  info.xsize = size.width;
  info.ysize = size.height;
  info.bits_per_sample = maker->bits;
  info.exponent_bits_per_sample = maker->exponent;
  info.num_color_channels = maker->grey ? 1 : 3;
  info.num_extra_channels = (maker->alpha ? 1 : 0) + maker->black + maker->more;
  info.alpha_bits = maker->alpha ? maker->bits : 0;
  info.alpha_exponent_bits = maker->alpha ? maker->exponent : 0;
  info.alpha_premultiplied = maker->premultiplied;
  info.uses_original_profile = maker->distance == 0;
  info.orientation = (JxlOrientation) MAX (maker->orientation, 1);
  info.have_animation = maker->animated;
  info.animation.tps_numerator = TICKS;
  info.animation.tps_denominator = 1;
  succeed (JxlEncoderUseContainer (encoder, maker->container));
  if (maker->black > 0 || maker->more > 4 || maker->bits > 16)
    succeed (JxlEncoderSetCodestreamLevel (encoder, 10));
  succeed (JxlEncoderSetBasicInfo (encoder, &info));
  set_extra_channels (encoder, maker);
  set_colors (encoder, maker);
}

static JxlEncoderFrameSettings *
settings_of (JxlEncoder *encoder, const JxlMaker *maker)
{
  JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate (encoder, NULL);

  succeed (JxlEncoderFrameSettingsSetOption (settings, JXL_ENC_FRAME_SETTING_EFFORT, 3));
  if (maker->distance == 0)
    succeed (JxlEncoderSetFrameLossless (settings, JXL_TRUE));
  else
    succeed (JxlEncoderSetFrameDistance (settings, maker->distance));
  if (maker->noise > 0)
    succeed (JxlEncoderFrameSettingsSetFloatOption (settings, JXL_ENC_FRAME_SETTING_PHOTON_NOISE,
                                                    maker->noise));
  for (guint i = 0; i < JXL_MAKER_OPTIONS && maker->options[i].value != 0; i++)
    succeed (
        JxlEncoderFrameSettingsSetOption (settings, maker->options[i].id, maker->options[i].value));
  return settings;
}

static void
set_frame (JxlEncoderFrameSettings *settings, const JxlMaker *maker, const JxlMakerFrame *frame,
           ThSize size)
{
  const ThSize own = frame->picture->size;
  JxlFrameHeader header;

  JxlEncoderInitFrameHeader (&header);
  header.duration = maker->animated ? 1 : 0;
  header.layer_info.have_crop = own.width != size.width || own.height != size.height;
  header.layer_info.crop_x0 = frame->x;
  header.layer_info.crop_y0 = frame->y;
  header.layer_info.xsize = own.width;
  header.layer_info.ysize = own.height;
  header.layer_info.save_as_reference = 1;
  header.layer_info.blend_info.source = 1;
  if (frame->blended)
    header.layer_info.blend_info.blendmode = JXL_BLEND_BLEND;
  succeed (JxlEncoderSetFrameHeader (settings, &header));
  if (maker->alpha)
    succeed (JxlEncoderSetExtraChannelBlendInfo (settings, 0, &header.layer_info.blend_info));
}

/* As good as a float of half the bits holds it, which the encoder asks for. */
static float
shortened (const JxlMaker *maker, float value)
{
  guint32 bits;

  if (maker->exponent == 0 || maker->bits > 16)
    return value;
  memcpy (&bits, &value, sizeof bits);
  bits &= ~0x1fffu;
  memcpy (&value, &bits, sizeof bits);
  return value;
}

/* Floats from 0 to 1, the channels of a pixel together. */
static float *
samples_of (const JxlMaker *maker, const Picture *picture, gsize *size)
{
  const guint channels = channels_of (maker);
  const gsize n = (gsize) picture->size.width * picture->size.height;
  float *samples = g_new (float, n *channels);

  for (gsize i = 0; i < n; i++)
    for (guint c = 0; c < channels; c++)
      {
        const guint from = maker->alpha && c == channels - 1 ? 3 : c;

        samples[i * channels + c] = shortened (maker, (float) picture->rgba[i * 4 + from] / 255.0f);
      }
  *size = n * channels * sizeof *samples;
  return samples;
}

/* Black is alpha's samples; the others are empty. */
static void
add_extra_channels (JxlEncoderFrameSettings *settings, const JxlMaker *maker,
                    const Picture *picture)
{
  const JxlPixelFormat format = { 1, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0 };
  const gsize n = (gsize) picture->size.width * picture->size.height;
  g_autofree guint8 *samples = g_malloc0 (n);
  const guint first = maker->alpha ? 1 : 0;

  for (guint i = 0; i < maker->black + maker->more; i++)
    {
      for (gsize k = 0; k < n; k++)
        samples[k] = i < maker->black ? picture->rgba[k * 4 + 3] : 0;
      succeed (JxlEncoderSetExtraChannelBuffer (settings, &format, samples, n, first + i));
    }
}

static void
finish (JxlEncoder *encoder, GByteArray *data)
{
  guint8 part[4096];
  JxlEncoderStatus status = JXL_ENC_NEED_MORE_OUTPUT;

  while (status == JXL_ENC_NEED_MORE_OUTPUT)
    {
      guint8 *next = part;
      gsize room = sizeof part;

      status = JxlEncoderProcessOutput (encoder, &next, &room);
      g_byte_array_append (data, part, (guint) (next - part));
    }
  succeed (status);
}

void
jxl_maker_run (const JxlMaker *maker, ThSize size, const JxlMakerFrame *frames, guint n_frames,
               const JxlMakerBox *box, GByteArray *data)
{
  JxlEncoder *encoder = JxlEncoderCreate (NULL);
  const JxlPixelFormat format = { channels_of (maker), JXL_TYPE_FLOAT, JXL_NATIVE_ENDIAN, 0 };

  if (box != NULL)
    succeed (JxlEncoderUseBoxes (encoder));
  set_info (encoder, maker, size);
  if (box != NULL)
    succeed (JxlEncoderAddBox (encoder, box->type, box->data, box->size, box->compressed));
  for (guint i = 0; i < n_frames; i++)
    {
      JxlEncoderFrameSettings *settings = settings_of (encoder, maker);
      gsize bytes;
      g_autofree float *samples = samples_of (maker, frames[i].picture, &bytes);

      set_frame (settings, maker, &frames[i], size);
      succeed (JxlEncoderAddImageFrame (settings, &format, samples, bytes));
      add_extra_channels (settings, maker, frames[i].picture);
    }
  JxlEncoderCloseInput (encoder);
  finish (encoder, data);
  JxlEncoderDestroy (encoder);
}

GByteArray *
jxl_maker_profile (const JxlColorEncoding *colors)
{
  const JxlColorProfileTarget original = JXL_COLOR_PROFILE_TARGET_ORIGINAL;
  const JxlMaker maker = { .bits = 8,
                           .colored = TRUE,
                           .colors = *colors,
                           .grey = colors->color_space == JXL_COLOR_SPACE_GRAY };
  g_autoptr (Picture) dot = picture_new ((ThSize){ 1, 1 });
  const JxlMakerFrame frame = { .picture = dot };
  g_autoptr (GByteArray) data = g_byte_array_new ();
  GByteArray *profile = g_byte_array_new ();
  JxlDecoder *decoder = JxlDecoderCreate (NULL);
  gsize size;

  jxl_maker_run (&maker, dot->size, &frame, 1, NULL, data);
  g_assert_cmpint (JxlDecoderSubscribeEvents (decoder, JXL_DEC_COLOR_ENCODING), ==,
                   JXL_DEC_SUCCESS);
  g_assert_cmpint (JxlDecoderSetInput (decoder, data->data, data->len), ==, JXL_DEC_SUCCESS);
  g_assert_cmpint (JxlDecoderProcessInput (decoder), ==, JXL_DEC_COLOR_ENCODING);
  g_assert_cmpint (JxlDecoderGetICCProfileSize (decoder, NULL, original, &size), ==,
                   JXL_DEC_SUCCESS);
  g_byte_array_set_size (profile, (guint) size);
  g_assert_cmpint (JxlDecoderGetColorAsICCProfile (decoder, NULL, original, profile->data, size),
                   ==, JXL_DEC_SUCCESS);
  JxlDecoderDestroy (decoder);
  return profile;
}

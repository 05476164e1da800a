/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/jxl-frame.h"

/* Values of frame_type. */
enum
{
  FRAME_REGULAR,
  FRAME_LF,
  FRAME_REFERENCE,
  FRAME_SKIP_PROGRESSIVE,
};

/* Of the frame's flags. */
#define FLAG_NOISE    1u
#define FLAG_LF_FRAME 32u
#define MAX_PASSES    11u

typedef struct
{
  ThBytes data;
  gsize at; /* in bits */
  gboolean ended;
} Bits;

static guint
take (Bits *bits, guint n)
{
  guint value = 0;

  if (bits->at + n > bits->data.size * 8)
    {
      bits->ended = TRUE;
      return 0;
    }
  for (guint i = 0; i < n; i++, bits->at++)
    value |= (guint) (bits->data.data[bits->at / 8] >> bits->at % 8 & 1) << i;
  return value;
}

/* U64 of the standard. No flag that counts here lies above the lowest 12 bits. */
static guint
take_flags (Bits *bits)
{
  guint value, shift;

  switch (take (bits, 2))
    {
    case 0:
      return 0;
    case 1:
      return 1 + take (bits, 4);
    case 2:
      return 17 + take (bits, 8);
    default:
      value = take (bits, 12);
    }
  for (shift = 12; take (bits, 1) == 1; shift += 8)
    {
      if (shift >= 60)
        {
          take (bits, 4);
          break;
        }
      take (bits, 8);
    }
  return value;
}

static guint
take_passes (Bits *bits)
{
  const guint choice = take (bits, 2);
  const guint passes = choice < 3 ? choice + 1 : take (bits, 3) + 4;
  guint steps;

  if (passes == 1)
    return passes;
  /* The sizes at which some of them would do. */
  steps = take (bits, 2);
  if (steps == 3)
    steps += take (bits, 1);
  take (bits, 2 * (passes - 1) + 2 * steps);
  for (guint i = 0; i < steps; i++)
    if (take (bits, 2) == 3)
      take (bits, 3);
  return passes;
}

/* A frame of another size than the picture, or one that is blended, is not alone. */
static gboolean
take_more (Bits *bits, const JxlBasicInfo *info)
{
  if (info->have_animation || take (bits, 1) == 1)
    return TRUE;
  for (guint i = 0; i <= info->num_extra_channels && !bits->ended; i++)
    if (take (bits, 2) != 0)
      return TRUE;
  return take (bits, 1) == 0;
}

ThJxlFrame
th_jxl_frame_read (ThBytes data, const JxlBasicInfo *info)
{
  static const ThJxlFrame plain = { .blocks = TRUE, .passes = 1, .group = 256 };
  static const ThJxlFrame worst = {
    .samples = TRUE, .blocks = TRUE, .noise = TRUE, .passes = MAX_PASSES, .group = 1024
  };
  /* Small pictures of the lowest frequencies come before blocks, of which nothing is known yet. */
  static const ThJxlFrame after_lf = {
    .blocks = TRUE, .noise = TRUE, .passes = MAX_PASSES, .group = 256
  };
  Bits bits = { .data = data };
  ThJxlFrame frame = plain;
  guint type, flags;

  /* Of the frame after a preview nothing is known yet. */
  if (info->have_preview)
    return worst;
  if (take (&bits, 1) == 1)
    return plain;
  type = take (&bits, 2);
  if (type == FRAME_LF && !bits.ended)
    return after_lf;
  frame.samples = take (&bits, 1) == 1;
  frame.blocks = !frame.samples;
  flags = take_flags (&bits);
  frame.noise = (flags & FLAG_NOISE) != 0;
  /* Chroma of YCbCr, which can be subsampled. */
  if (info->uses_original_profile && take (&bits, 1) == 1 && (flags & FLAG_LF_FRAME) == 0)
    take (&bits, 6);
  /* Upsampling of the colours and of each extra channel. */
  if ((flags & FLAG_LF_FRAME) == 0)
    for (guint i = 0; i <= info->num_extra_channels && !bits.ended; i++)
      take (&bits, 2);
  if (frame.samples)
    frame.group = 128u << take (&bits, 2);
  else if (!info->uses_original_profile)
    take (&bits, 6);
  if (type == FRAME_REFERENCE)
    return worst;
  frame.passes = take_passes (&bits);
  frame.more = take_more (&bits, info);
  return bits.ended ? worst : frame;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the header of a JPEG XL frame says of the memory that the frame takes (ISO 18181-1, annex
 * C), which libjxl does not tell. Knows no pixels. */
#pragma once

#include <jxl/codestream_header.h>

#include "base/th-bytes.h"

/* Enough of a frame for its header but where there are a hundred channels. */
#define TH_JXL_FRAME_BYTES 64u

typedef struct
{
  gboolean samples; /* may be kept as they are coded */
  gboolean blocks;  /* of 8×8 may be kept as coefficients */
  gboolean noise;   /* is added, from planes of its own */
  guint passes;     /* coefficients are kept from one to the next */
  guint group;      /* side of the squares that are decoded at a time, in samples */
  gboolean more;    /* frames follow that are drawn onto this one */
} ThJxlFrame;

/* data: from the first byte of the frame. What cannot be told counts as what takes most. */
ThJxlFrame th_jxl_frame_read (ThBytes data, const JxlBasicInfo *info);

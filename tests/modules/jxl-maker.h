/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JPEG XL pictures by libjxl's encoder, of what was drawn in 8-bit RGBA. */
#pragma once

#include <jxl/encode.h>

#include "codecs/picture.h"

#define JXL_MAKER_OPTIONS 4

typedef struct
{
  JxlEncoderFrameSettingId id;
  gint64 value;
} JxlMakerOption;

typedef struct
{
  const char *name;
  guint bits;     /* of a sample */
  guint exponent; /* bits of it, for samples that are floats */
  gboolean grey;  /* red counts */
  gboolean alpha;
  gboolean premultiplied; /* what is given is */
  guint black;            /* 1: a channel of it, from alpha's samples */
  guint more;             /* other channels, of nothing */
  float distance;         /* 0: without loss */
  float noise;            /* ISO number of a film */
  guint mean;             /* largest mean difference, for the pictures with loss */
  guint orientation;
  gboolean animated;
  gboolean container;
  JxlColorEncoding colors;                   /* color_space of a default one: sRGB */
  gboolean colored;                          /* colors counts */
  const GByteArray *icc;                     /* in place of them */
  JxlMakerOption options[JXL_MAKER_OPTIONS]; /* ends with one whose value is 0 */
} JxlMaker;

/* What lies beside the picture. */
typedef struct
{
  const char *type;
  const guint8 *data;
  gsize size;
  gboolean compressed;
} JxlMakerBox;

/* A frame, where it lies. */
typedef struct
{
  const Picture *picture;
  gint32 x, y;
  gboolean blended; /* onto what was there before */
} JxlMakerFrame;

/* box may be NULL. */
void jxl_maker_run (const JxlMaker *maker, ThSize size, const JxlMakerFrame *frames, guint n_frames,
                    const JxlMakerBox *box, GByteArray *data);
/* The profile that libjxl makes of such colours. */
GByteArray *jxl_maker_profile (const JxlColorEncoding *colors);

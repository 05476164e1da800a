/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The colour stage: from what came out of the shrinker to 8-bit sRGB. It runs on small pictures
 * only, after shrinking: averaging coded values is what every program does that people compare us
 * with. Knows no file format. */
#pragma once

#include "base/th-bytes.h"
#include "base/th-image.h"
#include "core/th-color-space.h"
#include "core/th-sink.h"

typedef struct _ThColor ThColor;
/* The colours of profiles that were met before, so that a folder of one camera's pictures
 * evaluates its profile once. A few entries of bounded size; not for several threads. */
typedef struct _ThColorCache ThColorCache;

/* What is known of a picture's colours; a profile that can be used goes before the space. */
typedef struct
{
  ThColorModel model;
  gboolean has_alpha; /* straight */
  gboolean deep;      /* 16-bit samples can be had; see th_color_bits */
  ThColorSpace space;
  ThBytes icc;    /* data NULL where there is none; need not outlive the call */
  guint64 pixels; /* that will come, about: whether making ready for many is worth it */
} ThColorSource;

/* Call it before a process is locked down. */
ThColorCache *th_color_cache_new (void);
void th_color_cache_free (ThColorCache *cache);

/* How to bring these colours to sRGB; cache may be NULL. NULL where memory is short. A profile that
 * is damaged, of another class or of other colours than the samples is ignored, never fatal; one
 * that is as good as sRGB costs nothing. Tables of a profile count in their perceptual version,
 * with black-point compensation. Without any of it samples are sRGB and its grey, and ink is the
 * plain product of what each one lets through. */
ThColor *th_color_new (const ThColorSource *source, ThColorCache *cache);
void th_color_free (ThColor *color);
/* Channels of a pixel that comes out: 3, or 4 with alpha. */
guint th_color_channels (const ThColor *color);
/* Bits of a sample that goes in: 16 only where they can be had and tell more than 8 do. */
guint th_color_bits (const ThColor *color);
/* TRUE where samples are taken for what they are. */
gboolean th_color_is_plain (const ThColor *color);
/* Allocated memory. */
gsize th_color_bytes (const ThColor *color);
/* One row: width pixels of interleaved samples of th_color_bits in, th_color_channels bytes a pixel
 * out. */
void th_color_row (const ThColor *color, const void *in, guint32 width, guint8 *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThColor, th_color_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThColorCache, th_color_cache_free)

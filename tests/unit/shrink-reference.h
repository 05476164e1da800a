/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A Lanczos3 straight from its definition: slow, in double precision and over the whole picture,
 * to hold the streaming shrinker against. Also makes the pictures to try it on. */
#pragma once

#include "base/th-fit.h"
#include "core/th-sink.h"

/* A raster and its rows without padding. */
typedef struct
{
  ThRaster raster;
  guint8 *data;
} Picture;

Picture picture_new (guint32 width, guint32 height, ThColorModel color, ThAlpha alpha, guint8 bits);
void picture_clear (Picture *picture);
/* Value of a sample from 0 to 1. */
double picture_get (const Picture *picture, guint32 x, guint32 y, guint c);
void picture_set (Picture *picture, guint32 x, guint32 y, guint c, double value);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Picture, picture_clear)

/* Channels interleaved, values 0 to 255, clamped; straight alpha. Free with g_free. */
double *reference_shrink (const Picture *picture, ThSize size);

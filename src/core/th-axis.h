/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One side of a picture on its way through the shrinker: whole pixels, of which the last may count
 * only in part. */
#pragma once

#include <glib.h>

typedef struct
{
  guint32 pixels;
  double exact; /* pixels - 1 < exact <= pixels */
} ThAxis;

/* What the last pixel counts: more than 0, at most 1. */
double th_axis_last_share (ThAxis axis);
/* The axis after averaging every factor pixels. */
ThAxis th_axis_boxed (ThAxis axis, guint32 factor);

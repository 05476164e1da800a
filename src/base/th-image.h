/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A finished small picture in memory that somebody else owns. */
#pragma once

#include <glib.h>

#include "base/th-fit.h"

/* 8-bit sRGB, straight alpha. */
typedef struct
{
  ThSize size;
  guint channels; /* 3 RGB, 4 RGBA */
  gsize stride;   /* bytes, at least width × channels */
  guint8 *data;
} ThImage;

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bits of a JPEG XL header, the lowest ones first. */
#pragma once

#include <glib.h>

#include "base/th-fit.h"

typedef struct
{
  GByteArray *data;
  guint at; /* bits of the last byte that are taken; 0: none is begun */
} JxlBits;

void jxl_bits_put (JxlBits *bits, guint64 value, guint n);
/* Of the picture, in the longest way to say it. */
void jxl_bits_put_size (JxlBits *bits, ThSize size);

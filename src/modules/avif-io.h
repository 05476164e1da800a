/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What libavif reads through: an input, by offset and length. Knows no picture. */
#pragma once

#include <avif/avif.h>

#include "core/th-input.h"

typedef struct
{
  avifIO io;
  ThInput *input; /* borrowed */
  guint8 *buffer; /* what was read last */
  gsize capacity;
} ThAvifIo;

/* io stays where it is as long as libavif has it. */
void th_avif_io_init (ThAvifIo *io, ThInput *input);
void th_avif_io_clear (ThAvifIo *io);

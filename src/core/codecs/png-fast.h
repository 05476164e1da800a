/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of a PNG by ISA-L's inflate and filters of our own: 3 times libpng's speed on plain
 * rows. It judges nothing: at the first thing that is not as it should be it stops, and libpng
 * decides. */
#pragma once

#include "core/codecs/png-head.h"

typedef struct _ThPngFast ThPngFast;

/* NULL where the picture is not of its kind, memory is short, or it is not built. */
ThPngFast *th_png_fast_new (const ThPngHead *head, ThInput *input);
void th_png_fast_free (ThPngFast *fast);
/* 0 where th_png_fast_new would return NULL anyway. */
guint64 th_png_fast_bytes (const ThPngHead *head);
/* The next row, valid until the next call, or NULL: then nothing follows. */
const guint8 *th_png_fast_next (ThPngFast *fast);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where ISA-L is missing. */
#include "config.h"

#include "core/codecs/png-fast.h"

ThPngFast *
th_png_fast_new (const ThPngHead *head, ThInput *input)
{
  return NULL;
}

void
th_png_fast_free (ThPngFast *fast)
{
}

guint64
th_png_fast_bytes (const ThPngHead *head)
{
  return 0;
}

const guint8 *
th_png_fast_next (ThPngFast *fast)
{
  return NULL;
}

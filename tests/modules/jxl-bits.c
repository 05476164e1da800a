/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "jxl-bits.h"

void
jxl_bits_put (JxlBits *bits, guint64 value, guint n)
{
  static const guint8 nothing;

  for (guint i = 0; i < n; i++)
    {
      if (bits->at == 0)
        g_byte_array_append (bits->data, &nothing, 1);
      bits->data->data[bits->data->len - 1] |= (guint8) ((value >> i & 1) << bits->at);
      bits->at = (bits->at + 1) % 8;
    }
}

void
jxl_bits_put_size (JxlBits *bits, ThSize size)
{
  jxl_bits_put (bits, 0, 1); /* no multiple of 8 up to 256 */
  jxl_bits_put (bits, 3, 2); /* 30 bits follow */
  jxl_bits_put (bits, size.height - 1, 30);
  jxl_bits_put (bits, 0, 3); /* no ratio */
  jxl_bits_put (bits, 3, 2);
  jxl_bits_put (bits, size.width - 1, 30);
}

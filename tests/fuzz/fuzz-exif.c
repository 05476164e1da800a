/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The EXIF reader on any bytes. */
#include "config.h"

#include "core/th-exif.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  ThExif exif;

  th_exif_read ((ThBytes){ data, size }, &exif);
  g_assert_cmpuint (exif.orientation, >=, 1);
  g_assert_cmpuint (exif.orientation, <=, 8);
  g_assert_cmpuint (exif.preview_orientation, <=, 8);
  g_assert_cmpuint (exif.preview_offset, <=, size);
  g_assert_cmpuint (exif.preview_length, <=, size - exif.preview_offset);
  return 0;
}

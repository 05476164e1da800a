/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The EXIF reader on any bytes. */
#include "config.h"

#include "core/th-exif.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  guint orientation = th_exif_orientation ((ThBytes){ data, size });

  g_assert_cmpuint (orientation, >=, 1);
  g_assert_cmpuint (orientation, <=, 8);
  return 0;
}

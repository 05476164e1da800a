/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "growing-jpeg.h"

GByteArray *
growing_jpeg (void)
{
  return NULL;
}

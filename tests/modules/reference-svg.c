/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* There is no second way to render: what is drawn is what is compared with. */
#include "config.h"

#include "codecs/picture.h"

Picture *
picture_reference (const char *codec, ThBytes data)
{
  return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A JPEG XL picture with a preview frame, which libjxl reads but does not write: put together from
 * frames that it wrote for others. */
#pragma once

#include "codecs/picture.h"

/* The preview's sides are from 65 to 320. */
void preview_jxl (GByteArray *data, const Picture *picture, const Picture *preview);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What colours libjxl hands out. Knows no pixels. */
#pragma once

#include <jxl/decode.h>

#include "core/th-color-space.h"

/* From the event of the colour encoding on. FALSE, and space is left alone, where they are told by
 * a profile. */
gboolean th_jxl_color_space (const JxlDecoder *decoder, ThColorSpace *space);
/* The profile, or NULL where there is none or it is unreasonably long. */
guint8 *th_jxl_color_profile (const JxlDecoder *decoder, gsize *size);

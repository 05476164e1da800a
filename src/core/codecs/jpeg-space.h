/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of libjpeg's colour spaces the core can show, and as what it is to put them out. */
#pragma once

#include <stdio.h>

#include <jpeglib.h>

#include "core/th-sink.h"

/* FALSE where nobody knows what the components mean. */
gboolean th_jpeg_space_color (J_COLOR_SPACE stored, ThColorModel *color);
J_COLOR_SPACE th_jpeg_space_output (ThColorModel color);

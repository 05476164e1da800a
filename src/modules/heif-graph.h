/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which pictures of a HEIF file are drawn from which others. Knows no picture itself. */
#pragma once

#include "core/th-input.h"

/* FALSE where one is drawn from itself, or from others many layers deep or more often than any
 * honest file does: libheif follows them until its stack or somebody's patience ends. What cannot
 * be read is left to libheif. */
gboolean th_heif_graph_is_sound (ThInput *input);

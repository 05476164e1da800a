/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What libheif reads through: an input, at a position of its own. Knows no picture. */
#pragma once

#include <libheif/heif.h>

#include "core/th-input.h"

typedef struct
{
  ThInput *input; /* borrowed */
  guint64 position;
} ThHeifIo;

/* The user data is a ThHeifIo that stays where it is. */
extern const struct heif_reader th_heif_reader;

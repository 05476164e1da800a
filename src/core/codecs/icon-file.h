/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An icon file: one thing in several sizes, of which the one that serves is open. Knows nothing of
 * how such a file lists its pictures, and only of PNG how one is kept. */
#pragma once

#include "core/codecs/icon-set.h"
#include "core/th-part.h"

/* The layout of one that is PNG; the others are the format's own, and come out with alpha. */
#define TH_ICON_PNG G_MAXUINT

/* Bytes of a PNG that th_icon_is_png wants to see. */
#define TH_ICON_PNG_HEAD 24u

/* The first member of a format's session. */
typedef struct
{
  ThSession base;
  ThHeader header; /* of the open one, but the size of the largest */
  ThLimits limits;
  ThIconSet set;
  ThIcon open;
  ThPart part; /* where another codec reads it */
} ThIconFile;

/* Opens a picture whose layout is the format's own. OK, or why not; error is set then. */
typedef ThStatus (*ThIconOpen) (ThIconFile *file, const ThIcon *icon, GError **error);

/* Sets layout, depth and size where it is PNG. */
gboolean th_icon_is_png (ThBytes head, ThIcon *icon);
/* Opens the best one of the set, which is not empty, that can be; those better ones that cannot are
 * forgotten. */
ThStatus th_icon_file_open (ThIconFile *file, ThIconOpen open, GError **error);
/* Opens the one that serves target; the largest where that cannot be opened after all. */
gboolean th_icon_file_choose (ThIconFile *file, ThIconOpen open, ThSize target);

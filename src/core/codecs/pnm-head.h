/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands before the pixels of a PNM, and numbers written in figures. Knows nothing of rows. */
#pragma once

#include "base/th-error.h"
#include "base/th-fit.h"
#include "core/codecs/text.h"
#include "core/th-sink.h"

typedef struct
{
  guint kind; /* 1 to 7: the figure behind the P */
  ThSize size;
  ThColorModel color;
  gboolean has_alpha;
  gboolean figures; /* samples are written in figures, not packed */
  gboolean bitmap;  /* of bits, of which 1 is black */
  guint most;       /* the largest value of a sample: 1 to 65535 */
  guint64 pixels;   /* where they begin */
} ThPnmHead;

/* OK, NOT_MINE, CORRUPT: then trouble is set to a static text, or not. */
ThStatus th_pnm_head_read (ThPnmHead *head, ThInput *input, const char **trouble);
/* The next number, or figure 0 or 1; white space and comments before it are skipped. FALSE where
 * there is none, or it is beyond 2^32 - 1. */
gboolean th_pnm_text_number (ThText *text, guint32 *value);
gboolean th_pnm_text_bit (ThText *text, guint32 *value);

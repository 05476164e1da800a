/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A whole picture that lies within another file, read by whichever codec of the table knows it.
 * Knows nothing of what it lies in. */
#pragma once

#include "core/th-codec.h"

typedef struct
{
  ThInput *input; /* owned */
  const ThCodec *codec;
  ThSession *session;
} ThPart;

/* Takes input, which may be NULL where memory was short. OK, or why not, and then nothing is open;
 * what would be read by outer is NOT_MINE, so that no picture lies in itself. error is set on all
 * but OK. */
ThStatus th_part_open (ThPart *part, ThInput *input, const ThCodec *outer, const ThLimits *limits,
                       GError **error);
void th_part_clear (ThPart *part);
/* A copy of what the picture says of itself, for as long as it is open. */
ThHeader th_part_header (const ThPart *part);
/* The codec's plan, with the memory that the part itself takes. */
gboolean th_part_plan (const ThPart *part, const ThSize *targets, guint n_targets, ThPlan *plan);
ThStatus th_part_decode (const ThPart *part, const ThPlan *plan, ThSink *sink, GError **error);

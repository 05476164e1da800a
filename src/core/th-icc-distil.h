/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is worth reading of an ICC profile: a new, small profile with a header of our own and only
 * those tags that bring its colours to another space, each of a known type and shape. Knows nothing
 * of what the numbers in them mean. A colour library so never sees tags that it would have to
 * parse without need, and two profiles that differ by a name or a date become the same. */
#pragma once

#include "base/th-bytes.h"
#include "core/th-sink.h"

/* Real ones take 0.5 KB to 3 MiB (presses with large tables for several intents). */
#define TH_ICC_MAX_BYTES (4u * 1024u * 1024u)

/* NULL where there is nothing to go by: it is damaged or too large, its class is not that of a
 * device or a colour space, its colours are not those of model, or a table claims to be larger than
 * the bytes that there are. *size is 0 then. Where memory is
 * short it is NULL too, and *size what there was not enough for. */
guint8 *th_icc_distil (ThBytes profile, ThColorModel model, gsize *size);

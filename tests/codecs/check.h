/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every picture of the suite goes through, whatever its format. */
#pragma once

#include "base/th-bytes.h"
#include "base/th-error.h"
#include "base/th-fit.h"

/* Renders for several sets of boxes and checks sizes and errors: all sets end alike. full is set
 * where there are pixels. */
ThStatus check_render (ThBytes data, ThSize *full);
/* At most about wanted prefixes, evenly spread: each gives pixels or a clean refusal. */
void check_prefixes (ThBytes data, guint wanted);
/* A sink that says stop is asked for nothing more. */
void check_stop (ThBytes data);

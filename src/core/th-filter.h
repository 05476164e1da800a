/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The weights of a Lanczos3 along one side. Knows no samples. */
#pragma once

#include "core/th-arena.h"
#include "core/th-axis.h"
#include "core/th-kernels.h"

/* Takes memory from the arena for n_out outputs of axis and, unless that measures, computes the
 * weights: kernel times what a pixel counts, of exact sum, outputs in order of their first. */
void th_filter_init (ThFilter *filter, ThArena *arena, ThAxis axis, guint32 n_out);

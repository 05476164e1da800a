/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For processors without a make of their own. */
#include "config.h"

#include "core/th-kernels.h"

const ThKernels *
th_kernels_best (void)
{
  return &th_kernels_plain;
}

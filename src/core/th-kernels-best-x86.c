/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-kernels-avx2.h"

const ThKernels *
th_kernels_best (void)
{
  __builtin_cpu_init ();
  return __builtin_cpu_supports ("avx2") ? &th_kernels_avx2 : &th_kernels_plain;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shrinker's inner loops for x86 processors with AVX2; only th_kernels_best may decide. */
#pragma once

#include "core/th-kernels.h"

extern const ThKernels th_kernels_avx2;

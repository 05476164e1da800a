/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sandbox/th-seccomp.h"

const ThSyscall th_seccomp_more[] = { { TH_SYSCALLS_END } };

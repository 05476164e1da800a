/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a fuzz target defines and what runs it: libFuzzer, or fuzz-main.c where no engine is linked.
 */
#pragma once

#include <glib.h>

/* Takes any bytes; aborts on a fault. Always 0. */
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

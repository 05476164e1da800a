/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine's part in the main context: hands out events a few at a time, and looks after what is
 * due. */
#pragma once

#include "engine/th-engine-private.h"

/* Attached to the thread's default main context; the caller destroys and unrefs it. */
GSource *th_deliver_source_new (ThEngine *engine);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calling a specialised thumbnailer on the bus and waiting for what it says. */
#pragma once

#include <gio/gio.h>

#include "engine/th-specialist-call.h"

/* A ThSpecialistCaller's call; data is the GDBusConnection. From any thread but that of the main
 * context. */
gboolean th_specialist_bus_call (const ThSpecialist *specialist, const ThSpecialistAsk *ask,
                                 gpointer data, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The object org.freedesktop.thumbnails.thimble.Service1: what the engine counts, as a dictionary,
 * and what only thimblectl asks of it. */
#pragma once

#include <gio/gio.h>

#include "engine/th-engine.h"
#include "service/th-idle.h"

typedef struct _ThServiceIface ThServiceIface;

/* Exports the object. engine and idle are borrowed. */
ThServiceIface *th_service_iface_new (GDBusConnection *connection, ThEngine *engine, ThIdle *idle,
                                      GError **error);
/* After the engine, which ends what has not been answered. */
void th_service_iface_free (ThServiceIface *iface);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThServiceIface, th_service_iface_free)

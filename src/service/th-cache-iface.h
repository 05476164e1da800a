/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The object org.freedesktop.thumbnails.Cache1: bus calls to the engine, answered when they are
 * done. Knows no file and no thumbnail. */
#pragma once

#include <gio/gio.h>

#include "engine/th-engine.h"
#include "service/th-idle.h"

typedef struct _ThCacheIface ThCacheIface;

/* Exports the object. idle is held by every call until it is answered. Both are borrowed; the
 * engine must be freed before the result is, as it answers what is under way. */
ThCacheIface *th_cache_iface_new (GDBusConnection *connection, ThEngine *engine, ThIdle *idle,
                                  GError **error);
void th_cache_iface_free (ThCacheIface *iface);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThCacheIface, th_cache_iface_free)

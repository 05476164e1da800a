/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The object org.freedesktop.thumbnails.Manager1: who registers as a specialised thumbnailer, for
 * as long as it is on the bus. Calls none of them. */
#pragma once

#include <gio/gio.h>

#include "engine/th-specialists.h"
#include "service/th-idle.h"

typedef struct _ThManagerIface ThManagerIface;

/* Exports the object. specialists and idle are borrowed. */
ThManagerIface *th_manager_iface_new (GDBusConnection *connection, ThSpecialists *specialists,
                                      ThIdle *idle, GError **error);
void th_manager_iface_free (ThManagerIface *iface);
/* Those that have registered keep the service no longer: another one takes over. */
void th_manager_iface_let_go (ThManagerIface *iface);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThManagerIface, th_manager_iface_free)

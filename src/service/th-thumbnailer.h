/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The object org.freedesktop.thumbnails.Thumbnailer1: bus calls to the engine, its events to
 * signals. Knows no file and no picture. */
#pragma once

#include <gio/gio.h>

#include "engine/th-engine.h"
#include "service/th-idle.h"

typedef struct _ThThumbnailer ThThumbnailer;

/* Exports the object. idle is touched by every call, held by every request, and borrowed. */
ThThumbnailer *th_thumbnailer_new (GDBusConnection *connection, const ThEngineOptions *options,
                                   ThIdle *idle, GError **error);
/* outdated is called once another version has been installed, which should take over. */
void th_thumbnailer_watch_upgrade (ThThumbnailer *thumbnailer, void (*outdated) (gpointer data),
                                   gpointer data);
void th_thumbnailer_free (ThThumbnailer *thumbnailer);

/* For what else the bus asks of it. */
ThEngine *th_thumbnailer_engine (ThThumbnailer *thumbnailer);
/* Gives all requests up: each gets its Finished. */
void th_thumbnailer_dequeue_all (ThThumbnailer *thumbnailer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThThumbnailer, th_thumbnailer_free)

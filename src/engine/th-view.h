/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures to be shown in place of being stored: decoded by locked-down workers like any other.
 * Knows no cache. */
#pragma once

#include "engine/th-engine.h"
#include "wire/th-exchange.h"

/* The picture of a file, a thumbnail for example, at most so many pixels wide and high. Waits for
 * it; not from the main context of the events while requests are queued. FALSE: no picture. */
gboolean th_view_file (ThEngine *engine, const char *path, guint32 box, ThDecoded *decoded,
                       GError **error);
/* Whether th_view_svg can do anything here. */
gboolean th_view_has_svg (ThEngine *engine);
/* The same of an SVG in memory, its larger side as large as the box. */
gboolean th_view_svg (ThEngine *engine, const char *svg, guint32 box, ThDecoded *decoded,
                      GError **error);

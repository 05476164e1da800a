/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at a path, and opening it. Every call may wait for somebody else's server. */
#pragma once

#include "reader/th-finding.h"

/* Adds to finding what lies there, without ever acting on a device or FIFO. */
gboolean th_look_path (ThFinding *finding, const char *path, ThFindingCare care, GError **error);
/* Opens what was found for reading, and finding becomes its state then. -1: as th_open_regular. */
int th_look_path_open (ThFinding *finding, GError **error);

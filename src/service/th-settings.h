/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The group [service] of thimble.conf. Knows no other group. */
#pragma once

#include <glib.h>

typedef struct
{
  guint idle_seconds; /* without a call or request until the service leaves; 0: never */
} ThSettings;

/* Reads $XDG_CONFIG_HOME/thimble/thimble.conf, else the first in $XDG_CONFIG_DIRS, over the
 * defaults. A value that makes no sense is reported and the default kept; FALSE only where a file
 * exists and cannot be parsed. */
gboolean th_settings_load (ThSettings *settings, GError **error);

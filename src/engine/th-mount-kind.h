/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the type and source of a mount say about how it behaves. Knows no table of mounts. */
#pragma once

#include <glib.h>

/* Answers at once. Anything unknown does not. */
gboolean th_mount_kind_is_local (const char *type);
/* Reading a file fetches it from a paid or slow far store. */
gboolean th_mount_kind_is_cloud (const char *type, const char *source);
/* Shows in the clear what is kept encrypted, as gocryptfs does. */
gboolean th_mount_kind_is_encrypted (const char *type, const char *source);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What lies where nobody may answer: network and FUSE mounts, and what only GVfs reaches. All that
 * lies on one of them has one name. Touches nothing. */
#pragma once

#include "engine/th-mounts.h"
#include "engine/th-scheduler.h"

/* "sftp://host", from a URI that GVfs may serve; NULL for all others. Caller frees. */
char *th_apart_of_uri (const char *uri);
/* Of a mount that is apart; NULL of others. Caller frees. */
char *th_apart_of_mount (const ThMount *mount);
/* Whether GVfs fetches files of this URI's kind from a far store. */
gboolean th_apart_is_cloud (const char *uri);
/* A key for a URI whose file nobody has looked at, and whether one is of that kind. */
ThFileKey th_apart_key (const char *uri);
gboolean th_apart_is_key (const ThFileKey *key);

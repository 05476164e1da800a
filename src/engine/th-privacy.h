/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Places of which nothing is kept on disk: what an encrypted folder shows in the clear, unless the
 * cache lies there too. Touches nothing that lies there. */
#pragma once

#include "cache/th-cache.h"
#include "engine/th-mounts.h"

/* NULL where what lies on this mount may have thumbnails, else why it may not. Caller frees. */
char *th_privacy_forbid (ThMounts *mounts, const ThMount *mount, const ThCache *cache);

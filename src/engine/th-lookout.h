/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at files for the cache: what may not answer is left to readers. Opens nothing. */
#pragma once

#include "cache/th-look.h"
#include "engine/th-mounts.h"
#include "engine/th-readers.h"
#include "engine/th-silence.h"

/* All borrowed. */
typedef struct
{
  ThMounts *mounts;
  ThReaders *readers;
  ThSilence *silence;
} ThLookout;

/* A ThLooker's look; data is a ThLookout. Whoever does not answer is not asked again for a while.
 */
ThLook th_lookout_look (const char *where, ThStamp *stamp, struct stat *st, gpointer data);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the file that a thumbnail was made of is gone for good, or only out of reach. Knows no
 * thumbnail but what it says. Where in doubt it is not gone.
 *
 * Gone is a file: that is not where its URI leads, symlinks followed; on a mount that is there,
 * local, and of a disk that stays in the machine; not below /media, /mnt, /run and their like, nor
 * below a mount point of fstab that nothing is mounted at. Nothing is touched elsewhere. And one of
 *
 *   its folder is there, has other files in it, and was changed since the thumbnail was made, as it
 *   was when the file left it. The folder that a medium was mounted at has not.
 *
 *   the nearest folder above that is there was changed since then, and is the user's own; the file
 *   lay on a file system for disks of Linux, by the inode in our stamp: not on a stick, a server or
 *   in a vault whose mount point is empty or gone, too.
 *
 * A folder that the file system encrypts, and may have locked, hides what is in it; unless the
 * cache lies in one, too. Nothing at all is gone where the cache lies on a network: others see it
 * who have other files. */
#pragma once

#include "cache/th-cache.h"
#include "cache/th-sweep.h"

typedef struct
{
  const char *mountinfo; /* NULL: the kernel's */
  const char *fstab;     /* NULL: /etc/fstab */
  const char *devices;   /* NULL: /sys/dev/block */
} ThOrphansTables;

typedef struct _ThOrphans ThOrphans;

/* cache is borrowed. tables: for tests, or NULL. */
ThOrphans *th_orphans_new (const ThCache *cache, const ThOrphansTables *tables);
void th_orphans_free (ThOrphans *orphans);
/* ThSweepOptions.is_gone. */
gboolean th_orphans_is_gone (const ThSweepSource *source, gpointer orphans);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThOrphans, th_orphans_free)

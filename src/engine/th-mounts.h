/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which mount a path leads to, and its manners, from /proc/self/mountinfo alone: nothing is ever
 * touched that lies on a mount that might not answer. Knows no file. */
#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct
{
  gatomicrefcount refs;
  guint32 id;         /* of mountinfo */
  dev_t device;       /* of mountinfo; not what stat says on btrfs */
  char *point;        /* absolute */
  char *type;         /* "ext4", "fuse.sshfs" */
  char *source;       /* "/dev/sda1", "host:/export" */
  gboolean apart;     /* may never answer: network, FUSE, autofs, anything unknown */
  gboolean cloud;     /* reading a file fetches it from a paid or slow far store */
  gboolean encrypted; /* shows in the clear what is kept encrypted */
} ThMount;

ThMount *th_mount_ref (ThMount *mount);
void th_mount_unref (ThMount *mount);

typedef struct _ThMounts ThMounts;

/* mountinfo: NULL: /proc/self/mountinfo. home: the mount that this path lies on is never apart, for
 * without it nothing works anyhow (the cache root); may be NULL. Follows changes of the table by
 * itself; safe from several threads. */
ThMounts *th_mounts_new (const char *mountinfo, const char *home);
void th_mounts_free (ThMounts *mounts);

/* The mount that path, absolute, leads to, symlinks followed. Where a symlink leads into an apart
 * mount the answer is that mount, untouched; where it leads on by a link of /proc to what a process
 * has open, or beyond what a path can name, it is the mount of that link, taken for apart. Where
 * the table was never read: a mount that is not apart, with an empty point. Caller unrefs; never
 * NULL.
 */
ThMount *th_mounts_find (ThMounts *mounts, const char *path);
/* The same, and where path leads, without symlinks, as it was found on the way: *real_path becomes
 * NULL where that is path itself, and where it is not known because the mount is apart. The caller
 * frees it. */
ThMount *th_mounts_resolve (ThMounts *mounts, const char *path, char **real_path);
/* Whether path, absolute, may be on or below the mount at point. By its spelling, then by where
 * symlinks lead. */
gboolean th_mounts_leads_below (ThMounts *mounts, const char *path, const char *point);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThMount, th_mount_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThMounts, th_mounts_free)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which state of a source a thumbnail shows: more than the standard's seconds and size, so that a
 * file replaced by another of equal mtime and size, or saved twice in one second, is noticed. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

/* Our own text key: "v1 SECONDS.NANOSECONDS SIZE INODE". Nine digits of nanoseconds are added to
 * the seconds, also to negative ones. INODE is - where it is not stable. */
#define TH_STAMP_KEY "X-Thimble::Stamp"

typedef struct
{
  gint64 mtime;     /* seconds since 1970, may be negative */
  guint32 mtime_ns; /* 0 to 999 999 999 */
  guint64 size;     /* bytes */
  guint64 inode;    /* 0 where the file system does not keep it (vfat, FUSE, network) */
} ThStamp;

/* From fstat of an open descriptor; its file system (fstatfs) decides whether the inode counts. st
 * may be NULL. */
gboolean th_stamp_from_fd (int fd, ThStamp *stamp, struct stat *st, GError **error);
/* The same by path, following symlinks, without opening (never touches a device or FIFO). */
gboolean th_stamp_from_path (const char *path, ThStamp *stamp, struct stat *st, GError **error);
/* The same in one system call instead of four, only for th_cache_lookup: the inode is set also
 * where it does not count. Never written: whether it counts is known from the stored stamp. */
gboolean th_stamp_for_lookup (const char *path, ThStamp *stamp, struct stat *st, GError **error);
/* Whether the inode of what is open counts: fstatfs, which asks the server of a network mount. */
gboolean th_stamp_inode_lasts (int fd);
/* Caller frees. */
char *th_stamp_to_text (const ThStamp *stamp);
/* FALSE for any other spelling than that of th_stamp_to_text. */
gboolean th_stamp_from_text (const char *text, ThStamp *stamp);
/* An inode of 0 equals any. */
gboolean th_stamp_equal (const ThStamp *a, const ThStamp *b);

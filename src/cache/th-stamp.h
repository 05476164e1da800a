/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which state of a source a thumbnail shows: more than the standard's seconds and size, so that a
 * file replaced by another of equal mtime and size, or saved twice in one second, is noticed. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

/* Our own text key: "v1 SECONDS.NANOSECONDS SIZE INODE", INODE is - where it is not stable. */
#define TH_STAMP_KEY "X-Thimble::Stamp"

typedef struct
{
  gint64 mtime;     /* seconds since 1970, may be negative */
  guint32 mtime_ns; /* 0 to 999 999 999 */
  guint64 size;     /* bytes */
  guint64 inode;    /* 0 where the file system does not keep it (vfat, FUSE, network) */
} ThStamp;

/* From fstat of an open descriptor; its file system (fstatfs) decides whether the inode counts. */
gboolean th_stamp_from_fd (int fd, ThStamp *stamp, struct stat *st, GError **error);
/* The same by path, following symlinks, without opening (never touches a device or FIFO). */
gboolean th_stamp_from_path (const char *path, ThStamp *stamp, struct stat *st, GError **error);
char *th_stamp_to_text (const ThStamp *stamp);
gboolean th_stamp_from_text (const char *text, ThStamp *stamp);
gboolean th_stamp_equal (const ThStamp *a, const ThStamp *b);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cache/th-decimal.h"

/* File systems whose inode numbers outlive unmounting. vfat, exfat and FUSE make them up per mount,
 * network file systems may. */
static const guint32 lasting_inodes[] = {
  EXT4_SUPER_MAGIC, /* also ext2 and ext3 */
  XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, TMPFS_MAGIC,
};

gboolean
th_stamp_inode_lasts (int fd)
{
  struct statfs fs;

  if (fstatfs (fd, &fs) != 0)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (lasting_inodes); i++)
    {
      if ((guint32) fs.f_type == lasting_inodes[i])
        return TRUE;
    }
  return FALSE;
}

static void
fill (ThStamp *stamp, const struct stat *st)
{
  *stamp = (ThStamp){
    .mtime = st->st_mtim.tv_sec,
    .mtime_ns = (guint32) st->st_mtim.tv_nsec,
    .size = (guint64) st->st_size,
    .inode = st->st_ino,
  };
}

static gboolean
fail (GError **error, const char *what)
{
  int code = errno;
  g_autofree char *shown = g_filename_display_name (what);

  g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (code), "%s: %s", shown,
               g_strerror (code));
  return FALSE;
}

gboolean
th_stamp_from_fd (int fd, ThStamp *stamp, struct stat *st, GError **error)
{
  struct stat own;

  if (fstat (fd, &own) != 0)
    return fail (error, "Could not look at the file");
  fill (stamp, &own);
  if (!th_stamp_inode_lasts (fd))
    stamp->inode = 0;
  if (st)
    *st = own;
  return TRUE;
}

gboolean
th_stamp_from_path (const char *path, ThStamp *stamp, struct stat *st, GError **error)
{
  int fd = open (path, O_PATH | O_CLOEXEC);
  gboolean known;

  if (fd < 0)
    return fail (error, path);
  known = th_stamp_from_fd (fd, stamp, st, error);
  close (fd);
  return known;
}

gboolean
th_stamp_for_lookup (const char *path, ThStamp *stamp, struct stat *st, GError **error)
{
  struct stat own;

  if (stat (path, &own) != 0)
    return fail (error, path);
  fill (stamp, &own);
  if (st)
    *st = own;
  return TRUE;
}

char *
th_stamp_to_text (const ThStamp *stamp)
{
  g_autofree char *inode = NULL;

  if (stamp->inode != 0)
    inode = g_strdup_printf ("%" G_GUINT64_FORMAT, stamp->inode);
  return g_strdup_printf ("v1 %" G_GINT64_FORMAT ".%09" G_GUINT32_FORMAT " %" G_GUINT64_FORMAT
                          " %s",
                          stamp->mtime, stamp->mtime_ns, stamp->size, inode ? inode : "-");
}

static gboolean
skip (const char **cursor, const char *literal)
{
  if (!g_str_has_prefix (*cursor, literal))
    return FALSE;
  *cursor += strlen (literal);
  return TRUE;
}

gboolean
th_stamp_from_text (const char *text, ThStamp *stamp)
{
  const char *at = text;
  const char *fraction;
  ThStamp read = { 0 };

  if (!skip (&at, "v1 ") || !th_decimal_i64 (&at, &read.mtime) || !skip (&at, "."))
    return FALSE;
  fraction = at;
  if (!th_decimal_fraction (&at, &read.mtime_ns) || at - fraction != 9)
    return FALSE;
  if (!skip (&at, " ") || !th_decimal_u64 (&at, &read.size) || !skip (&at, " "))
    return FALSE;
  if (!skip (&at, "-") && (!th_decimal_u64 (&at, &read.inode) || read.inode == 0))
    return FALSE;
  if (*at != '\0')
    return FALSE;
  *stamp = read;
  return TRUE;
}

gboolean
th_stamp_equal (const ThStamp *a, const ThStamp *b)
{
  return a->mtime == b->mtime && a->mtime_ns == b->mtime_ns && a->size == b->size
         && (a->inode == 0 || b->inode == 0 || a->inode == b->inode);
}

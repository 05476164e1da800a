/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-orphans.h"

#include <fcntl.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/th-look.h"
#include "cache/th-uri.h"
#include "engine/th-mount-kind.h"
#include "engine/th-mounts.h"
#include "engine/th-removable.h"

#define FSTAB "/etc/fstab"
/* A line with two paths of the greatest length. */
#define MAX_LINE 16384

/* Where media come and go, and what the kernel makes up. */
static const char *const passing[] = {
  "/media", "/mnt", "/run", "/var/run", "/Volumes", "/proc", "/sys", "/dev",
};

struct _ThOrphans
{
  const ThCache *cache;
  ThMounts *mounts;
  GPtrArray *points; /* of fstab, but for the root */
  char *devices;
  gboolean shared;    /* the cache, with other machines */
  gboolean encrypted; /* the cache, by the file system */
  dev_t home;         /* its device */
  dev_t asked;        /* the last that was asked about, and the answer */
  gboolean removable;
};

static gboolean
lies_in (const char *path, const char *folder)
{
  gsize length = strlen (folder);

  return strncmp (path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static GPtrArray *
read_points (const char *fstab)
{
  GPtrArray *points = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *line = g_malloc (MAX_LINE);
  FILE *file = setmntent (fstab, "re");
  struct mntent entry;

  while (file && getmntent_r (file, &entry, line, MAX_LINE))
    {
      char *point = entry.mnt_dir[0] == '/' ? g_canonicalize_filename (entry.mnt_dir, "/") : NULL;

      if (point && strcmp (point, "/") != 0)
        g_ptr_array_add (points, point);
      else
        g_free (point);
    }
  if (file)
    endmntent (file);
  return points;
}

/* A folder of fscrypt shows other names while it is locked. */
static gboolean
is_encrypted (const char *path)
{
  struct statx stx;

  return statx (AT_FDCWD, path, 0, STATX_TYPE, &stx) == 0
         && (stx.stx_attributes & STATX_ATTR_ENCRYPTED) != 0;
}

ThOrphans *
th_orphans_new (const ThCache *cache, const ThOrphansTables *tables)
{
  const ThOrphansTables usual = { 0 };
  ThOrphans *orphans = g_new0 (ThOrphans, 1);
  g_autoptr (ThMount) home = NULL;

  tables = tables ? tables : &usual;
  orphans->cache = cache;
  orphans->mounts = th_mounts_new (tables->mountinfo, NULL);
  orphans->points = read_points (tables->fstab ? tables->fstab : FSTAB);
  orphans->devices = g_strdup (tables->devices);
  home = th_mounts_find (orphans->mounts, th_cache_root (cache));
  orphans->shared = home->apart || home->point[0] == '\0' || !th_mount_kind_is_local (home->type);
  orphans->home = home->device;
  orphans->encrypted = !orphans->shared && is_encrypted (th_cache_root (cache));
  return orphans;
}

void
th_orphans_free (ThOrphans *orphans)
{
  th_mounts_free (orphans->mounts);
  g_ptr_array_unref (orphans->points);
  g_free (orphans->devices);
  g_free (orphans);
}

/* That of btrfs is not that of its disk, which is where it was mounted from. */
static gboolean
ask_removable (const ThOrphans *orphans, const ThMount *mount)
{
  struct stat st;

  if (mount->source[0] != '/')
    return FALSE;
  if (!g_str_has_prefix (mount->source, "/dev/") || stat (mount->source, &st) != 0
      || !S_ISBLK (st.st_mode))
    return th_removable (orphans->devices, mount->device);
  return th_removable (orphans->devices, st.st_rdev);
}

static gboolean
is_removable (ThOrphans *orphans, const ThMount *mount)
{
  if (mount->device == orphans->home)
    return FALSE;
  if (mount->device != orphans->asked)
    orphans->removable = ask_removable (orphans, mount);
  orphans->asked = mount->device;
  return orphans->removable;
}

static gboolean
may_pass (const ThOrphans *orphans, const char *path, const ThMount *mount)
{
  for (gsize i = 0; i < G_N_ELEMENTS (passing); i++)
    if (lies_in (path, passing[i]))
      return TRUE;
  for (guint i = 0; i < orphans->points->len; i++)
    if (lies_in (path, orphans->points->pdata[i])
        && !lies_in (mount->point, orphans->points->pdata[i]))
      return TRUE;
  return FALSE;
}

static gboolean
is_empty (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  return dir == NULL || g_dir_read_name (dir) == NULL;
}

static gboolean
lay_on_disk (const ThSweepSource *source)
{
  const char *text = th_png_text_get (source->text, TH_STAMP_KEY);
  ThStamp stamp;

  return text && th_stamp_from_text (text, &stamp) && stamp.inode != 0;
}

/* path is on a mount that answers. */
static gboolean
has_left (const ThOrphans *orphans, const char *path, const ThSweepSource *source)
{
  g_autofree char *above = NULL;
  ThStamp stamp;
  struct stat st;
  gboolean parent;

  if (th_look (NULL, path, &stamp, &st) != TH_LOOK_MISSING)
    return FALSE;
  above = th_look_above (NULL, path, &st, &parent);
  /* Whole seconds are what all file systems keep. */
  if (!S_ISDIR (st.st_mode) || st.st_mtim.tv_sec < source->made
      || (is_encrypted (above) && !orphans->encrypted))
    return FALSE;
  return (parent && !is_empty (above)) || (st.st_uid == geteuid () && lay_on_disk (source));
}

gboolean
th_orphans_is_gone (const ThSweepSource *source, gpointer data)
{
  ThOrphans *orphans = data;
  g_autofree char *path = th_uri_to_path (source->uri, NULL);
  g_autofree char *real_path = NULL;
  g_autoptr (ThMount) mount = NULL;

  if (!path || orphans->shared)
    return FALSE;
  mount = th_mounts_resolve (orphans->mounts, path, &real_path);
  if (mount->apart || mount->point[0] == '\0' || !th_mount_kind_is_local (mount->type)
      || may_pass (orphans, path, mount) || (real_path && may_pass (orphans, real_path, mount))
      || is_removable (orphans, mount))
    return FALSE;
  return has_left (orphans, real_path ? real_path : path, source);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MOUNTINFO "/proc/self/mountinfo"
/* As many as the kernel follows. */
#define MAX_LINKS 40u
/* What a folder's path leads to is believed for so long: the time of a few looks at files of one
 * folder. Whoever retargets a link at the wrong moment is not noticed without it either, for what
 * was looked up is used only afterwards. */
#define MEMORY (100 * G_TIME_SPAN_MILLISECOND)

/* File systems of this machine's own memory and disks: what they do not have they say at once. All
 * others may be somebody else's. */
static const char *const local_types[] = {
  "ext2",     "ext3",   "ext4",      "xfs",      "btrfs",     "f2fs",       "bcachefs",
  "zfs",      "jfs",    "reiserfs",  "nilfs2",   "vfat",      "msdos",      "exfat",
  "ntfs",     "ntfs3",  "hfs",       "hfsplus",  "apfs",      "udf",        "iso9660",
  "squashfs", "erofs",  "romfs",     "cramfs",   "minix",     "ufs",        "affs",
  "tmpfs",    "ramfs",  "rootfs",    "devtmpfs", "overlay",   "aufs",       "proc",
  "sysfs",    "devpts", "mqueue",    "cgroup",   "cgroup2",   "debugfs",    "tracefs",
  "configfs", "bpf",    "pstore",    "efivarfs", "hugetlbfs", "securityfs", "binfmt_misc",
  "fusectl",  "nsfs",   "selinuxfs", NULL,
};

/* Subtypes of FUSE, as these programs set them, whose files lie with a provider and are fetched
 * when they are read. */
static const char *const cloud_types[] = {
  "fuse.rclone",
  "fuse.onedriver",
  "fuse.google-drive-ocamlfuse",
  "fuse.s3fs",
  "fuse.goofys",
  "fuse.geesefs",
  "fuse.gcsfuse",
  "fuse.mountpoint-s3",
  "fuse.blobfuse",
  "fuse.blobfuse2",
  "fuse.mega",
  "fuse.pCloud.fs",
  "fuse.megafs",
  "fuse.acd_cli",
  "fuse.icloud",
  NULL,
};

struct _ThMounts
{
  char *file;
  char *home;
  int fd; /* of /proc/self/mountinfo, to hear of changes; -1: file is looked at instead */

  GMutex lock;
  GHashTable *by_point; /* point → ThMount */
  struct stat seen;     /* of file, where fd is -1 */
  gboolean loaded;
  char *folder; /* what was resolved last, at; where that leads */
  char *real_folder;
  gint64 folder_at;
};

ThMount *
th_mount_ref (ThMount *mount)
{
  g_atomic_ref_count_inc (&mount->refs);
  return mount;
}

void
th_mount_unref (ThMount *mount)
{
  if (!g_atomic_ref_count_dec (&mount->refs))
    return;
  g_free (mount->point);
  g_free (mount->type);
  g_free (mount->source);
  g_free (mount);
}

static ThMount *
mount_new (const char *point, const char *type, const char *source)
{
  ThMount *mount = g_new0 (ThMount, 1);

  g_atomic_ref_count_init (&mount->refs);
  mount->point = g_strcompress (point);
  mount->type = g_strcompress (type);
  mount->source = g_strcompress (source);
  return mount;
}

/* davfs2 is a plain "fuse" on the address of its server. */
static gboolean
is_cloud (const ThMount *mount)
{
  return g_strv_contains (cloud_types, mount->type)
         || (g_str_equal (mount->type, "fuse") && g_str_has_prefix (mount->source, "http"));
}

/* "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG...] - TYPE SOURCE OPTIONS", proc(5). NULL: it is
 * no such line. */
static ThMount *
parse_line (const char *line)
{
  g_auto (GStrv) fields = g_strsplit (line, " ", -1);
  guint n = g_strv_length (fields);
  guint64 id = 0, major = 0, minor = 0;
  g_auto (GStrv) device = NULL;
  ThMount *mount;
  guint dash = 6;

  while (dash < n && !g_str_equal (fields[dash], "-"))
    dash++;
  if (dash + 2 >= n || !g_ascii_string_to_unsigned (fields[0], 10, 0, G_MAXUINT32, &id, NULL))
    return NULL;
  device = g_strsplit (fields[2], ":", 2);
  if (g_strv_length (device) != 2
      || !g_ascii_string_to_unsigned (device[0], 10, 0, G_MAXUINT32, &major, NULL)
      || !g_ascii_string_to_unsigned (device[1], 10, 0, G_MAXUINT32, &minor, NULL))
    return NULL;
  mount = mount_new (fields[4], fields[dash + 1], fields[dash + 2]);
  mount->id = (guint32) id;
  mount->device = makedev ((guint) major, (guint) minor);
  mount->apart = !g_strv_contains (local_types, mount->type);
  mount->cloud = mount->apart && is_cloud (mount);
  return mount;
}

/* The last mount on a point lies on top. */
static void
parse (ThMounts *mounts, char *text)
{
  char *line = text;

  while (line != NULL && *line != '\0')
    {
      char *end = strchr (line, '\n');
      ThMount *mount;

      if (end != NULL)
        *end++ = '\0';
      mount = parse_line (line);
      if (mount != NULL)
        g_hash_table_replace (mounts->by_point, mount->point, mount);
      line = end;
    }
}

/* The mount of the longest point that path, without symlinks, lies on; borrowed; NULL: none. */
static ThMount *
look_up (const ThMounts *mounts, const char *path)
{
  g_autofree char *prefix = g_strdup (path);
  ThMount *mount;
  char *slash;

  while ((slash = strrchr (prefix, '/')) != NULL && slash != prefix)
    {
      mount = g_hash_table_lookup (mounts->by_point, prefix);
      if (mount != NULL)
        return mount;
      *slash = '\0';
    }
  mount = g_hash_table_lookup (mounts->by_point, prefix);
  return mount != NULL ? mount : g_hash_table_lookup (mounts->by_point, "/");
}

/* A path that is being resolved. */
typedef struct
{
  const ThMounts *mounts;
  GString *real;    /* what is known to hold no symlink; "" is the root */
  GQueue ahead;     /* components that are still to come, owned */
  guint links;      /* that were followed */
  gboolean through; /* apart mounts are no obstacle */
} Walk;

static void
push_components (Walk *walk, const char *path)
{
  g_autofree char **parts = g_strsplit (path, "/", -1);

  for (guint i = g_strv_length (parts); i-- > 0;)
    g_queue_push_head (&walk->ahead, parts[i]);
}

static void
go_up (GString *real)
{
  const char *slash = strrchr (real->str, '/');

  g_string_truncate (real, slash != NULL ? (gsize) (slash - real->str) : 0);
}

/* FALSE: here it ends. */
static gboolean
follow_link (Walk *walk, gsize before)
{
  char target[PATH_MAX];
  gssize n = readlink (walk->real->str, target, sizeof target - 1);

  if (n < 0)
    return errno == EINVAL;
  if (++walk->links > MAX_LINKS)
    return FALSE;
  target[n] = '\0';
  g_string_truncate (walk->real, target[0] == '/' ? 0 : before);
  push_components (walk, target);
  return TRUE;
}

/* FALSE: the rest is not to be looked at. */
static gboolean
step (Walk *walk, const char *name)
{
  gsize before = walk->real->len;
  const ThMount *mount;

  if (name[0] == '\0' || g_str_equal (name, "."))
    return TRUE;
  if (g_str_equal (name, ".."))
    {
      go_up (walk->real);
      return TRUE;
    }
  g_string_append_printf (walk->real, "/%s", name);
  mount = look_up (walk->mounts, walk->real->str);
  if (mount != NULL && mount->apart && !walk->through)
    return FALSE;
  return follow_link (walk, before);
}

/* Resolves what was pushed, up to where it must not be touched or is not there. TRUE: all of it. */
static gboolean
resolve (Walk *walk)
{
  gboolean on = TRUE;
  char *name;

  while (on && (name = g_queue_pop_head (&walk->ahead)) != NULL)
    {
      on = step (walk, name);
      g_free (name);
    }
  g_queue_clear_full (&walk->ahead, g_free);
  return on;
}

static char *
resolve_path (const ThMounts *mounts, const char *path, gboolean through, gboolean *whole)
{
  Walk walk = { .mounts = mounts, .real = g_string_new (NULL), .through = through };

  push_components (&walk, path);
  *whole = resolve (&walk);
  return g_string_free (walk.real, FALSE);
}

/* Without what it lies on nothing works: that may be what it likes. */
static void
trust_home (ThMounts *mounts)
{
  g_autofree char *real = NULL;
  gboolean whole;
  ThMount *mount;

  if (mounts->home == NULL)
    return;
  real = resolve_path (mounts, mounts->home, TRUE, &whole);
  mount = look_up (mounts, real);
  if (mount != NULL)
    mount->apart = FALSE;
}

static gboolean
has_changed (ThMounts *mounts)
{
  struct pollfd poller = { .fd = mounts->fd, .events = POLLPRI };
  struct stat now = { 0 };
  gboolean same;

  if (mounts->fd >= 0)
    return poll (&poller, 1, 0) > 0 || !mounts->loaded;
  if (stat (mounts->file, &now) != 0)
    now = (struct stat){ 0 };
  same = now.st_ino == mounts->seen.st_ino && now.st_size == mounts->seen.st_size
         && now.st_mtim.tv_sec == mounts->seen.st_mtim.tv_sec
         && now.st_mtim.tv_nsec == mounts->seen.st_mtim.tv_nsec;
  mounts->seen = now;
  return !same || !mounts->loaded;
}

/* Under the lock. A table that cannot be read is an empty one. */
static void
refresh (ThMounts *mounts)
{
  g_autofree char *text = NULL;

  if (!has_changed (mounts))
    return;
  mounts->loaded = TRUE;
  g_hash_table_remove_all (mounts->by_point);
  g_clear_pointer (&mounts->folder, g_free);
  if (g_file_get_contents (mounts->file, &text, NULL, NULL))
    parse (mounts, text);
  trust_home (mounts);
}

ThMounts *
th_mounts_new (const char *mountinfo, const char *home)
{
  ThMounts *mounts = g_new0 (ThMounts, 1);

  mounts->file = g_strdup (mountinfo != NULL ? mountinfo : MOUNTINFO);
  mounts->home = g_strdup (home);
  mounts->fd = mountinfo == NULL ? open (MOUNTINFO, O_RDONLY | O_CLOEXEC) : -1;
  g_mutex_init (&mounts->lock);
  mounts->by_point =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) th_mount_unref);
  return mounts;
}

void
th_mounts_free (ThMounts *mounts)
{
  if (mounts->fd >= 0)
    close (mounts->fd);
  g_hash_table_unref (mounts->by_point);
  g_mutex_clear (&mounts->lock);
  g_free (mounts->folder);
  g_free (mounts->real_folder);
  g_free (mounts->file);
  g_free (mounts->home);
  g_free (mounts);
}

/* Most paths lie in the folder of the one before. FALSE: the folder itself is not to be looked at;
 * real_folder is as far as it could be. */
static gboolean
resolve_folder (ThMounts *mounts, const char *folder)
{
  gint64 now = g_get_monotonic_time ();
  gboolean whole;

  if (mounts->folder != NULL && now - mounts->folder_at < MEMORY
      && g_str_equal (mounts->folder, folder))
    return TRUE;
  g_clear_pointer (&mounts->folder, g_free);
  g_clear_pointer (&mounts->real_folder, g_free);
  mounts->real_folder = resolve_path (mounts, folder, FALSE, &whole);
  if (!whole)
    return FALSE;
  mounts->folder = g_strdup (folder);
  mounts->folder_at = now;
  return TRUE;
}

/* Under the lock; the caller frees. */
static char *
find_real (ThMounts *mounts, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  Walk walk = { .mounts = mounts };

  if (!resolve_folder (mounts, folder))
    return g_strdup (mounts->real_folder);
  walk.real = g_string_new (mounts->real_folder);
  push_components (&walk, name);
  resolve (&walk);
  return g_string_free (walk.real, FALSE);
}

ThMount *
th_mounts_find (ThMounts *mounts, const char *path)
{
  g_autofree char *real = NULL;
  ThMount *mount;

  g_mutex_lock (&mounts->lock);
  refresh (mounts);
  real = find_real (mounts, path);
  mount = look_up (mounts, real);
  mount = mount != NULL ? th_mount_ref (mount) : mount_new ("", "", "");
  g_mutex_unlock (&mounts->lock);
  return mount;
}

static gboolean
lies_below (const char *path, const char *point)
{
  gsize n = strlen (point);

  while (n > 0 && point[n - 1] == '/')
    n--;
  return strncmp (path, point, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

gboolean
th_mounts_leads_below (ThMounts *mounts, const char *path, const char *point)
{
  g_autoptr (ThMount) mount = NULL;

  if (lies_below (path, point))
    return TRUE;
  mount = th_mounts_find (mounts, path);
  return mount->point[0] != '\0' && lies_below (mount->point, point);
}

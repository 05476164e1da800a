/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which files are gone, and which are only out of reach. */
#include "config.h"

#include "engine/th-orphans.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cache/th-uri.h"
#include "engine/th-removable.h"
#include "mounts-world.h"

#define MADE 1700000000

typedef struct
{
  MountsWorld mounts;
  ThCache *cache;
  char *fstab;
  char *devices;
  ThOrphans *orphans;
  ThPngText *on_disk; /* what thumbnails say whose files had an inode that counts */
  ThPngText *elsewhere;
} Orphanage;

static ThPngText *
make_text (guint64 inode)
{
  guint8 pixel[3] = { 0 };
  g_autoptr (ThPngBody) body = th_png_encode (&(ThImage){ { 1, 1 }, 3, 3, pixel });
  ThThumbnailInfo info = { .uri = "file:///a",
                           .mime_type = "image/png",
                           .stamp = { .mtime = 1, .inode = inode } };
  g_autoptr (GBytes) bytes = th_thumbnail_file (body, &info, "test");
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  ThPngText *text = th_png_text_parse (data, size, NULL);

  g_assert_nonnull (text);
  return text;
}

static void
start (Orphanage *orphanage)
{
  const ThOrphansTables tables = { orphanage->mounts.table, orphanage->fstab, orphanage->devices };

  g_clear_pointer (&orphanage->orphans, th_orphans_free);
  orphanage->orphans = th_orphans_new (orphanage->cache, &tables);
}

static void
write_fstab (Orphanage *orphanage, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "TMP", -1);
  g_autofree char *filled = g_strjoinv (orphanage->mounts.tmp, parts);

  g_assert_true (g_file_set_contents (orphanage->fstab, filled, -1, NULL));
}

/* A device of /sys, as a link from its numbers. */
static void
add_device (Orphanage *orphanage, const char *numbers, const char *place)
{
  g_autofree char *target = g_strconcat ("/sys/devices", place, NULL);
  g_autofree char *link = g_strconcat ("/sys/block/", numbers, NULL);
  g_autofree char *path = mounts_world_at (&orphanage->mounts, link);

  mounts_world_folder (&orphanage->mounts, target);
  g_unlink (path);
  mounts_world_link (&orphanage->mounts, link, target);
}

static void
set_up (Orphanage *orphanage, gconstpointer unused)
{
  g_autofree char *root = NULL;

  mounts_world_set_up (&orphanage->mounts, NULL);
  mounts_world_folder (&orphanage->mounts, "/home/cache");
  mounts_world_folder (&orphanage->mounts, "/sys/block");
  root = mounts_world_at (&orphanage->mounts, "/home/cache");
  orphanage->cache = th_cache_new (root, "test");
  orphanage->fstab = mounts_world_at (&orphanage->mounts, "/fstab");
  orphanage->devices = mounts_world_at (&orphanage->mounts, "/sys/block");
  orphanage->on_disk = make_text (7);
  orphanage->elsewhere = make_text (0);
  write_fstab (orphanage, "# nothing\n");
  add_device (orphanage, "8:2", "/pci0/ata1/block/sdb");
  start (orphanage);
}

static void
tear_down (Orphanage *orphanage, gconstpointer unused)
{
  th_orphans_free (orphanage->orphans);
  th_cache_free (orphanage->cache);
  th_png_text_free (orphanage->on_disk);
  th_png_text_free (orphanage->elsewhere);
  g_free (orphanage->fstab);
  g_free (orphanage->devices);
  mounts_world_tear_down (&orphanage->mounts, NULL);
}

/* A folder, with other files in it or not, that was changed so long after the thumbnails were made.
 */
static void
folder (Orphanage *orphanage, const char *name, gboolean others, gint64 later)
{
  const struct timespec times[2] = { { MADE + later, 0 }, { MADE + later, 0 } };
  g_autofree char *path = mounts_world_at (&orphanage->mounts, name);
  g_autofree char *other = g_build_filename (path, "other", NULL);

  mounts_world_folder (&orphanage->mounts, name);
  if (others)
    g_assert_true (g_file_set_contents (other, "x", 1, NULL));
  else
    g_unlink (other);
  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
}

static gboolean
uri_is_gone (Orphanage *orphanage, const char *uri, gboolean on_disk)
{
  const ThSweepSource source = { uri, on_disk ? orphanage->on_disk : orphanage->elsewhere, MADE };

  return th_orphans_is_gone (&source, orphanage->orphans);
}

static gboolean
is_gone (Orphanage *orphanage, const char *name, gboolean on_disk)
{
  g_autofree char *path = mounts_world_at (&orphanage->mounts, name);
  g_autofree char *uri = th_uri_from_path (path);

  g_test_message ("%s", name);
  return uri_is_gone (orphanage, uri, on_disk);
}

static void
test_deleted_file (Orphanage *orphanage, gconstpointer unused)
{
  folder (orphanage, "/home/pictures", TRUE, 5);
  g_assert_true (is_gone (orphanage, "/home/pictures/a.png", TRUE));
  g_assert_true (is_gone (orphanage, "/home/pictures/a.png", FALSE));
  g_assert_false (is_gone (orphanage, "/home/pictures/other", TRUE));
  /* In the same second, which may be before or after. */
  folder (orphanage, "/home/pictures", TRUE, 0);
  g_assert_true (is_gone (orphanage, "/home/pictures/a.png", FALSE));
}

/* What was not changed has lost no file: others are in its place. */
static void
test_folder_as_it_was (Orphanage *orphanage, gconstpointer unused)
{
  folder (orphanage, "/home/pictures", TRUE, -1);
  g_assert_false (is_gone (orphanage, "/home/pictures/a.png", TRUE));
  folder (orphanage, "/home/pictures", FALSE, -1);
  g_assert_false (is_gone (orphanage, "/home/pictures/a.png", TRUE));
}

static void
test_emptied_folder (Orphanage *orphanage, gconstpointer unused)
{
  folder (orphanage, "/home/downloads", FALSE, 5);
  g_assert_true (is_gone (orphanage, "/home/downloads/a.png", TRUE));
  g_assert_false (is_gone (orphanage, "/home/downloads/a.png", FALSE));
}

static void
test_deleted_tree (Orphanage *orphanage, gconstpointer unused)
{
  folder (orphanage, "/home/pictures", TRUE, 5);
  g_assert_true (is_gone (orphanage, "/home/pictures/2019/summer/a.png", TRUE));
  g_assert_false (is_gone (orphanage, "/home/pictures/2019/summer/a.png", FALSE));
  folder (orphanage, "/home/pictures", TRUE, -1);
  g_assert_false (is_gone (orphanage, "/home/pictures/2019/summer/a.png", TRUE));
}

/* A file where the folder was. */
static void
test_no_folder (Orphanage *orphanage, gconstpointer unused)
{
  folder (orphanage, "/home/pictures", TRUE, 5);
  g_assert_false (is_gone (orphanage, "/home/pictures/other/a.png", TRUE));
}

static void
test_dead_mount (Orphanage *orphanage, gconstpointer unused)
{
  folder (orphanage, "/dead/deep", TRUE, 5);
  mounts_world_link (&orphanage->mounts, "/home/link", "/dead/deep");
  g_assert_false (is_gone (orphanage, "/dead/deep/a.png", TRUE));
  g_assert_false (is_gone (orphanage, "/home/link/a.png", TRUE));
  g_assert_false (is_gone (orphanage, "/local/nfs/a.png", TRUE));
  g_assert_false (is_gone (orphanage, "/auto/other/a.png", TRUE));
}

/* The folder that a vault, a share or a stick was mounted at. */
static void
test_unmounted (Orphanage *orphanage, gconstpointer unused)
{
  folder (orphanage, "/dead", FALSE, -1000);
  folder (orphanage, "/local", FALSE, -1000);
  mounts_world_table (&orphanage->mounts,
                      "20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n");
  g_assert_false (is_gone (orphanage, "/dead/deep/a.png", FALSE));
  g_assert_false (is_gone (orphanage, "/dead/a.png", FALSE));
  g_assert_false (is_gone (orphanage, "/local/a.png", TRUE));
  /* Removed when it was unmounted, as by a script. */
  folder (orphanage, "/home", TRUE, 5);
  g_assert_false (is_gone (orphanage, "/home/vault/a.png", FALSE));
  g_assert_false (is_gone (orphanage, "/home/vault/deep/a.png", FALSE));
}

static void
test_fstab (Orphanage *orphanage, gconstpointer unused)
{
  folder (orphanage, "/home/disk", TRUE, 5);
  folder (orphanage, "/local", TRUE, 5);
  write_fstab (orphanage, "LABEL=x TMP/home/disk ext4 noauto,user 0 0\n"
                          "/dev/b TMP/local xfs defaults 0 0\n"
                          "/dev/root / ext4 defaults 0 1\nbroken\n/dev/c none swap sw 0 0\n");
  start (orphanage);
  mounts_world_link (&orphanage->mounts, "/home/link", "/home/disk");
  g_assert_false (is_gone (orphanage, "/home/disk/a.png", TRUE));
  g_assert_false (is_gone (orphanage, "/home/link/a.png", TRUE));
  g_assert_true (is_gone (orphanage, "/local/a.png", TRUE));
}

static void
test_media (Orphanage *orphanage, gconstpointer unused)
{
  static const char *const uris[] = {
    "file:///media/somebody/STICK/a.png",
    "file:///run/media/somebody/STICK/a.png",
    "file:///mnt/usb/a.png",
    "file:///run/user/1000/gvfs/sftp:host=x/a.png",
    "file:///run/user/1000/doc/0123/a.png",
    "file:///proc/1/a.png",
    "file://other/home/a.png",
    "sftp://host/home/a.png",
    "trash:///a.png",
    "./a.png",
    "",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (uris); i++)
    g_assert_false (uri_is_gone (orphanage, uris[i], TRUE));
}

static void
set_removable (Orphanage *orphanage, const char *place, const char *text)
{
  g_autofree char *name = g_strconcat ("/sys/devices", place, "/removable", NULL);
  g_autofree char *path = mounts_world_at (&orphanage->mounts, name);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
test_removable (Orphanage *orphanage, gconstpointer unused)
{
  folder (orphanage, "/local", TRUE, 5);
  g_assert_true (is_gone (orphanage, "/local/a.png", TRUE));
  add_device (orphanage, "8:2", "/pci0/usb1/1-1/block/sdb/sdb1");
  start (orphanage);
  g_assert_false (is_gone (orphanage, "/local/a.png", TRUE));
  add_device (orphanage, "8:2", "/pci0/ata1/block/sdb/sdb1");
  start (orphanage);
  g_assert_true (is_gone (orphanage, "/local/a.png", TRUE));
  set_removable (orphanage, "/pci0/ata1/block/sdb", "1\n");
  start (orphanage);
  g_assert_false (is_gone (orphanage, "/local/a.png", TRUE));
}

static void
test_devices (Orphanage *orphanage, gconstpointer unused)
{
  const char *devices = orphanage->devices;

  g_assert_false (th_removable (devices, makedev (8, 2)));
  g_assert_true (th_removable (devices, makedev (8, 99)));
  add_device (orphanage, "7:0", "/virtual/block/loop0");
  g_assert_true (th_removable (devices, makedev (7, 0)));
  add_device (orphanage, "179:1", "/platform/mmc_host/mmc0/block/mmcblk0/mmcblk0p1");
  g_assert_true (th_removable (devices, makedev (179, 1)));
  /* Encrypted, on a stick. */
  add_device (orphanage, "253:0", "/virtual/block/dm-0");
  g_assert_false (th_removable (devices, makedev (253, 0)));
  mounts_world_folder (&orphanage->mounts, "/sys/devices/virtual/block/dm-0/slaves");
  mounts_world_folder (&orphanage->mounts, "/sys/devices/pci0/usb1/block/sdc");
  mounts_world_link (&orphanage->mounts, "/sys/devices/virtual/block/dm-0/slaves/sdc",
                     "/sys/devices/pci0/usb1/block/sdc");
  g_assert_true (th_removable (devices, makedev (253, 0)));
  /* On itself, which is nonsense. */
  add_device (orphanage, "253:1", "/virtual/block/dm-1");
  mounts_world_folder (&orphanage->mounts, "/sys/devices/virtual/block/dm-1/slaves");
  mounts_world_link (&orphanage->mounts, "/sys/devices/virtual/block/dm-1/slaves/dm-1",
                     "/sys/devices/virtual/block/dm-1");
  g_assert_true (th_removable (devices, makedev (253, 1)));
}

/* Other machines see the cache too, and have other files. */
static void
test_shared_cache (Orphanage *orphanage, gconstpointer unused)
{
  folder (orphanage, "/home/pictures", TRUE, 5);
  mounts_world_table (&orphanage->mounts, "20 1 8:1 / / rw - ext4 /dev/root rw\n"
                                          "21 20 0:40 / TMP/home/cache rw - nfs4 host:/home rw\n");
  start (orphanage);
  g_assert_false (is_gone (orphanage, "/home/pictures/a.png", TRUE));
}

static void
test_no_table (Orphanage *orphanage, gconstpointer unused)
{
  folder (orphanage, "/home/pictures", TRUE, 5);
  g_assert_cmpint (g_unlink (orphanage->mounts.table), ==, 0);
  start (orphanage);
  g_assert_false (is_gone (orphanage, "/home/pictures/a.png", TRUE));
}

/* A dangling link whose target was deleted, and one to a stick. */
static void
test_links (Orphanage *orphanage, gconstpointer unused)
{
  g_autofree char *stick = mounts_world_at (&orphanage->mounts, "/home/links/stick.png");

  folder (orphanage, "/home/pictures", TRUE, 5);
  folder (orphanage, "/home/links", TRUE, 5);
  mounts_world_link (&orphanage->mounts, "/home/links/a.png", "/home/pictures/a.png");
  g_assert_cmpint (symlink ("/media/somebody/STICK/a.png", stick), ==, 0);
  g_assert_true (is_gone (orphanage, "/home/links/a.png", FALSE));
  g_assert_false (is_gone (orphanage, "/home/links/stick.png", FALSE));
}

#define ADD(path, test) g_test_add ("/orphans/" path, Orphanage, NULL, set_up, test, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("deleted-file", test_deleted_file);
  ADD ("folder-as-it-was", test_folder_as_it_was);
  ADD ("emptied-folder", test_emptied_folder);
  ADD ("deleted-tree", test_deleted_tree);
  ADD ("no-folder", test_no_folder);
  ADD ("dead-mount", test_dead_mount);
  ADD ("unmounted", test_unmounted);
  ADD ("fstab", test_fstab);
  ADD ("media", test_media);
  ADD ("removable", test_removable);
  ADD ("devices", test_devices);
  ADD ("shared-cache", test_shared_cache);
  ADD ("no-table", test_no_table);
  ADD ("links", test_links);
  return g_test_run ();
}

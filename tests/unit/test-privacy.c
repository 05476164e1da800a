/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Of which mounts nothing is kept. */
#include "config.h"

#include "engine/th-privacy.h"

#include <string.h>

#include "mounts-world.h"

/* What a cache in this folder of the world may hold of a file in that one. */
static char *
ask (const MountsWorld *world, const char *cache_root, const char *file)
{
  g_autofree char *root = mounts_world_at (world, cache_root);
  g_autofree char *path = mounts_world_at (world, file);
  g_autoptr (ThCache) cache = th_cache_new (root, "test");
  g_autoptr (ThMounts) mounts = th_mounts_new (world->table, root);
  g_autoptr (ThMount) mount = th_mounts_find (mounts, path);

  return th_privacy_forbid (mounts, mount, cache);
}

static void
mount_as (MountsWorld *world, const char *type, const char *source)
{
  g_autofree char *table = g_strdup_printf ("2 2 0:3 / / rw - ext4 /dev/a rw\n"
                                            "3 2 0:4 / TMP/dead rw - %s %s rw\n",
                                            type, source);

  mounts_world_table (world, table);
}

static void
test_kinds (MountsWorld *world, gconstpointer unused)
{
  static const struct
  {
    const char *type, *source, *named; /* NULL: may be kept */
  } kinds[] = {
    { "fuse.gocryptfs", "/home/u/.vault", "gocryptfs" },
    { "fuse.cryfs", "cryfs@/home/u/.vault", "cryfs" },
    { "fuse.encfs", "encfs", "encfs" },
    { "fuse.securefs", "securefs", "securefs" },
    { "fuse", "securefs", "securefs" },
    { "fuse", "encfs", "encfs" },
    { "fuse.cryptomator", "x", "cryptomator" },
    { "fuse", "Cryptomator", "Cryptomator" },
    { "ecryptfs", "/home/.ecryptfs/u/.Private", "ecryptfs" },
    { "ext4", "/dev/mapper/veracrypt1", "veracrypt1" },
    { "ext4", "/dev/mapper/zuluCrypt-1000-NAAN-x", "zuluCrypt" },
    { "ext4", "/dev/mapper/luks-1234", NULL },
    { "ext4", "/dev/sda1", NULL },
    { "fuse.sshfs", "host:", NULL },
    { "fuse.sshfs", "/encfs", NULL },
    { "fuse.rclone", "crypt:", NULL },
    { "tmpfs", "tmpfs", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *why = NULL;

      mount_as (world, kinds[i].type, kinds[i].source);
      why = ask (world, "/local/cache", "/dead/deep/a.jpg");
      g_test_message ("%s %s: %s", kinds[i].type, kinds[i].source, why != NULL ? why : "");
      g_assert_cmpint (why != NULL, ==, kinds[i].named != NULL);
      if (why != NULL)
        g_assert_nonnull (strstr (why, kinds[i].named));
      g_clear_pointer (&why, g_free);
      why = ask (world, "/local/cache", "/local/a.jpg");
      g_assert_null (why);
    }
}

/* Where the cache lies there too, it is as secret as the pictures. */
static void
test_cache_inside (MountsWorld *world, gconstpointer unused)
{
  g_autofree char *inside = NULL, *by_link = NULL, *deeper = NULL;

  mount_as (world, "fuse.gocryptfs", "/x");
  mounts_world_link (world, "/local/to-vault", "/dead/deep");
  inside = ask (world, "/dead/.cache/thumbnails", "/dead/a.jpg");
  g_assert_null (inside);
  by_link = ask (world, "/local/to-vault/thumbnails", "/dead/a.jpg");
  g_assert_null (by_link);
  mounts_world_table (world, "2 2 0:3 / / rw - ext4 /dev/a rw\n"
                             "3 2 0:4 / TMP/dead rw - fuse.gocryptfs /x rw\n"
                             "4 3 0:5 / TMP/dead/deep rw - fuse.gocryptfs /y rw\n");
  deeper = ask (world, "/dead/.cache/thumbnails", "/dead/deep/a.jpg");
  g_assert_nonnull (deeper);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  mounts_world_add ("/privacy/kinds", test_kinds);
  mounts_world_add ("/privacy/cache-inside", test_cache_inside);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <glib/gstdio.h>
#include <sys/sysmacros.h>

#include "mounts-world.h"

#define N_MANY 10000u

static void
test_fields (MountsWorld *world, gconstpointer unused)
{
  g_autofree char *path = mounts_world_at (world, "/dead/a.png");
  g_autoptr (ThMount) mount = th_mounts_find (world->mounts, path);
  g_autoptr (ThMount) root = th_mounts_find (world->mounts, "/");

  g_assert_cmpuint (mount->id, ==, 21);
  g_assert_cmpuint (major (mount->device), ==, 0);
  g_assert_cmpuint (minor (mount->device), ==, 40);
  g_assert_cmpstr (mount->type, ==, "fuse.sshfs");
  g_assert_cmpstr (mount->source, ==, "h:/x");
  g_assert_true (mount->apart);
  g_assert_false (mount->cloud);
  g_assert_cmpstr (root->point, ==, "/");
  g_assert_cmpuint (major (root->device), ==, 8);
  g_assert_false (root->apart);
}

static void
test_names (MountsWorld *world, gconstpointer unused)
{
  static const char *const names[][2] = {
    { "/with\\040space\\011tab", "/with space\ttab" },
    { "/line\\012end", "/line\nend" },
    { "/back\\134slash\\134040", "/back\\slash\\040" },
    { "/num\\043ber", "/num#ber" },
    { "/\\4no\\999", "/\\4no\\999" },
    { "/bytes\377\200", "/bytes\377\200" },
  };
  g_autoptr (GString) text = g_string_new ("1 1 0:2 / / rw - rootfs rootfs rw\n");

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_string_append_printf (text, "%u 1 0:9 / TMP%s rw - fuse.a\\040b s\\040%s rw\n", (guint) i + 2,
                            names[i][0], names[i][0]);
  mounts_world_table (world, text->str);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = mounts_world_at (world, names[i][1]);
      g_autoptr (ThMount) mount = NULL;

      mounts_world_folder (world, names[i][1]);
      mounts_world_assert (world, names[i][1], names[i][1], TRUE);
      mount = th_mounts_find (world->mounts, path);
      g_assert_cmpstr (mount->type, ==, "fuse.a b");
      g_assert_true (g_str_has_prefix (mount->source, "s /"));
      g_assert_true (g_str_has_suffix (mount->source, names[i][1]));
    }
}

static void
test_over_mounts (MountsWorld *world, gconstpointer unused)
{
  mounts_world_folder (world, "/a/b/c");
  mounts_world_table (world, "5 1 8:1 / / rw - ext4 root rw\n"
                             "6 5 8:2 / TMP/a/b rw - nfs host:/b rw\n"
                             "7 5 8:3 / TMP/a rw - tmpfs over rw\n"
                             "9 8 8:5 / TMP/dead rw - tmpfs second rw\n"
                             "8 5 8:4 / TMP/dead rw - nfs first rw\n"
                             "10 5 8:6 /sub TMP/local rw - ext4 bind rw\n"
                             "11 99 8:7 / TMP/auto rw - cifs orphan rw\n"
                             "12 12 8:7 / TMP/self rw - cifs own rw\n"
                             "13 14 8:7 / TMP/ring rw - cifs ring rw\n"
                             "14 13 8:7 / TMP/ring rw - cifs ring rw\n");
  /* What lies over a folder hides what lay below it. */
  mounts_world_assert (world, "/a/b/c", "/a", FALSE);
  /* The parent says which is on top, not the order. */
  mounts_world_assert (world, "/dead/deep", "/dead", FALSE);
  mounts_world_assert (world, "/local/deep", "/local", FALSE);
  mounts_world_assert (world, "/auto/disk", "/auto", TRUE);
  mounts_world_assert (world, "/self", "/self", TRUE);
  mounts_world_assert (world, "/ring", "", FALSE);
  mounts_world_table (world, "5 1 8:1 / / rw - ext4 root rw\n"
                             "6 5 8:2 / TMP/a rw - nfs first rw\n"
                             "7 5 8:3 / TMP/a rw - tmpfs second rw\n"
                             "8 5 8:3 / / rw - nfs over-root rw\n");
  mounts_world_assert (world, "/a", "", TRUE);
  mounts_world_table (world, "6 1 8:2 / TMP/a rw - nfs first rw\n"
                             "7 1 8:3 / TMP/a rw - tmpfs second rw\n");
  mounts_world_assert (world, "/a", "/a", FALSE);
}

static void
test_autofs (MountsWorld *world, gconstpointer unused)
{
  mounts_world_link (world, "/auto/trap", "/local");
  mounts_world_link (world, "/auto/disk/out", "/dead");
  mounts_world_assert (world, "/auto", "/auto", TRUE);
  mounts_world_assert (world, "/auto/trap/a", "/auto", TRUE);
  mounts_world_assert (world, "/auto/host/../disk/a", "/auto", TRUE);
  mounts_world_assert (world, "/auto/disk/a", "/auto/disk", FALSE);
  mounts_world_assert (world, "/auto/disk/out/a", "/dead", TRUE);
}

/* A local mount on one that is apart cannot be reached without the latter. */
static void
test_below_apart (MountsWorld *world, gconstpointer unused)
{
  mounts_world_table (world, "5 1 8:1 / / rw - nfs4 host:/ rw\n"
                             "6 5 8:2 / TMP/local rw - ext4 disk rw\n"
                             "7 5 8:2 / TMP/dead rw - nfs4 host:/x rw\n"
                             "8 7 8:2 / TMP/dead/deep rw - ext4 disk rw\n");
  mounts_world_assert (world, "/dead/deep/a", "/dead", TRUE);
  /* But for the root: nothing works without it. */
  mounts_world_assert (world, "/local/a", "/local", FALSE);
  mounts_world_assert (world, "/a", "", TRUE);
}

static void
assert_unknown (const MountsWorld *world)
{
  g_autofree char *path = mounts_world_at (world, "/dead/a");
  g_autoptr (ThMount) mount = th_mounts_find (world->mounts, path);

  g_assert_cmpstr (mount->point, ==, "");
  g_assert_false (mount->apart);
  g_assert_false (mount->cloud);
}

static void
test_no_table (MountsWorld *world, gconstpointer unused)
{
  static const char *const broken[] = {
    "",
    "\n\n",
    "x",
    "1 2 3:4 / / rw",
    "1 2 3:4 / / rw - ext4",
    "1 2 34 / / rw - ext4 a rw",
    "1 2 3: / / rw - ext4 a rw",
    "1 -2 3:4 / / rw - ext4 a rw",
    "99999999999 2 3:4 / / rw - ext4 a rw",
    "1 2 3:4 / relative rw - ext4 a rw",
    "1 2 3:4 /  rw - ext4 a rw",
    " 1 2 3:4 / / rw - ext4 a rw",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (broken); i++)
    {
      mounts_world_table (world, broken[i]);
      assert_unknown (world);
    }
  g_assert_cmpint (g_unlink (world->table), ==, 0);
  th_mounts_free (world->mounts);
  world->mounts = th_mounts_new (world->table, world->tmp);
  assert_unknown (world);
  mounts_world_table (world, mounts_world_usual);
  mounts_world_assert (world, "/dead/a", "/dead", TRUE);
  /* A line that is broken costs only itself; the source may be empty. */
  mounts_world_table (
      world, "junk\n5 1 8:1 / / rw - ext4  rw\n6 5 0:7 / TMP/dead rw a:1 b c:2 - nfs h rw");
  mounts_world_assert (world, "/dead", "/dead", TRUE);
  mounts_world_assert (world, "/local", "", FALSE);
}

typedef struct
{
  const char *type;
  const char *source;
  gboolean apart;
  gboolean cloud;
} Kind;

static void
test_kinds (MountsWorld *world, gconstpointer unused)
{
  static const Kind kinds[] = {
    { "ext4", "/dev/a", FALSE, FALSE },
    { "btrfs", "/dev/a", FALSE, FALSE },
    { "tmpfs", "https://a", FALSE, FALSE },
    { "overlay", "overlay", FALSE, FALSE },
    { "nfs", "h:/x", TRUE, FALSE },
    { "cifs", "//h/x", TRUE, FALSE },
    { "9p", "C:", TRUE, FALSE },
    { "fuseblk", "/dev/a", TRUE, FALSE },
    { "fuse.gvfsd-fuse", "gvfsd-fuse", TRUE, FALSE },
    { "autofs", "map", TRUE, FALSE },
    { "something-new", "x", TRUE, FALSE },
    { "ext", "x", TRUE, FALSE },
    { "fuse.rclone", "remote:", TRUE, TRUE },
    { "fuse.pCloud.AppImage", "pCloud.fs", TRUE, TRUE },
    { "fuse", "https://h/dav", TRUE, TRUE },
    { "fuse", "mountpoint-s3", TRUE, TRUE },
    { "fuse", "/dev/fuse", TRUE, FALSE },
    { "nfs", "https://h", TRUE, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *line =
          g_strdup_printf ("2 2 0:3 / / rw - ext4 a rw\n3 2 0:4 / TMP/dead rw - "
                           "%s %s rw\n",
                           kinds[i].type, kinds[i].source);
      g_autofree char *path = mounts_world_at (world, "/dead/x");
      g_autoptr (ThMount) mount = NULL;

      g_test_message ("%s %s", kinds[i].type, kinds[i].source);
      mounts_world_table (world, line);
      mount = th_mounts_find (world->mounts, path);
      g_assert_cmpstr (mount->type, ==, kinds[i].type);
      g_assert_cmpint (mount->apart, ==, kinds[i].apart);
      g_assert_cmpint (mount->cloud, ==, kinds[i].cloud);
    }
}

static void
test_many (MountsWorld *world, gconstpointer unused)
{
  g_autoptr (GString) text = g_string_new (mounts_world_usual);

  for (guint i = 0; i < N_MANY; i++)
    g_string_append_printf (text, "%u 20 0:%u / /many/mounts/%u rw - nfs h:/%u rw\n", i + 100, i, i,
                            i);
  mounts_world_table (world, text->str);
  for (guint i = 0; i < N_MANY; i++)
    {
      g_autofree char *path = g_strdup_printf ("/many/mounts/%u/a", i);
      g_autoptr (ThMount) mount = th_mounts_find (world->mounts, path);

      g_assert_cmpuint (mount->id, ==, i + 100);
    }
  mounts_world_assert (world, "/dead/a", "/dead", TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  mounts_world_add ("/mount-table/fields", test_fields);
  mounts_world_add ("/mount-table/names", test_names);
  mounts_world_add ("/mount-table/over-mounts", test_over_mounts);
  mounts_world_add ("/mount-table/autofs", test_autofs);
  mounts_world_add ("/mount-table/below-apart", test_below_apart);
  mounts_world_add ("/mount-table/no-table", test_no_table);
  mounts_world_add ("/mount-table/kinds", test_kinds);
  mounts_world_add ("/mount-table/many", test_many);
  return g_test_run ();
}

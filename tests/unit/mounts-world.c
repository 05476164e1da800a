/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "mounts-world.h"

#include <dirent.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

const char mounts_world_usual[] =
    "20 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
    "21 20 0:40 / TMP/dead rw shared:7 master:2 - fuse.sshfs h:/x rw\n"
    "22 20 8:2 / TMP/local rw - xfs /dev/b rw\n"
    "23 22 0:41 / TMP/local/nfs rw - nfs4 host:/export rw\n"
    "24 20 0:42 / TMP/auto rw - autofs map rw\n"
    "25 24 8:3 / TMP/auto/disk rw - ext4 /dev/c rw\n";

void
mounts_world_table (MountsWorld *world, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "TMP", -1);
  g_autofree char *filled = g_strjoinv (world->tmp, parts);
  g_autofree char *next = g_strconcat (world->table, ".next", NULL);

  /* Another file each time: a table may change twice within the clock's tick. */
  g_assert_true (g_file_set_contents (next, filled, -1, NULL));
  g_assert_cmpint (g_rename (next, world->table), ==, 0);
}

char *
mounts_world_at (const MountsWorld *world, const char *name)
{
  return g_strconcat (world->tmp, name, NULL);
}

void
mounts_world_folder (const MountsWorld *world, const char *name)
{
  g_autofree char *path = mounts_world_at (world, name);

  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
}

void
mounts_world_link (const MountsWorld *world, const char *name, const char *target)
{
  g_autofree char *path = mounts_world_at (world, name);
  g_autofree char *to = target[0] == '/' ? mounts_world_at (world, target) : g_strdup (target);

  g_assert_cmpint (symlink (to, path), ==, 0);
}

void
mounts_world_set_up (MountsWorld *world, gconstpointer unused)
{
  g_autofree char *made = g_dir_make_tmp ("test-mounts-XXXXXX", NULL);
  g_autofree char *folder = g_strconcat (made, "/t", NULL);
  char *real;

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  real = realpath (folder, NULL);
  g_assert_nonnull (real);
  world->tmp = g_strdup (real);
  free (real);
  world->table = g_strconcat (made, "/mountinfo", NULL);
  mounts_world_table (world, mounts_world_usual);
  mounts_world_folder (world, "/dead/deep");
  mounts_world_folder (world, "/local/nfs");
  mounts_world_folder (world, "/local/deep");
  mounts_world_folder (world, "/auto/disk");
  world->mounts = th_mounts_new (world->table, NULL);
}

/* By descriptors: there are paths that are too long. */
static void
remove_in (int folder, const char *name)
{
  int fd;
  DIR *dir;
  struct dirent *entry;

  if (unlinkat (folder, name, 0) == 0 || unlinkat (folder, name, AT_REMOVEDIR) == 0)
    return;
  fd = openat (folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  dir = fdopendir (fd);
  g_assert_nonnull (dir);
  while ((entry = readdir (dir)) != NULL)
    {
      if (!g_str_equal (entry->d_name, ".") && !g_str_equal (entry->d_name, ".."))
        remove_in (fd, entry->d_name);
    }
  closedir (dir);
  g_assert_cmpint (unlinkat (folder, name, AT_REMOVEDIR), ==, 0);
}

void
mounts_world_tear_down (MountsWorld *world, gconstpointer unused)
{
  g_autofree char *made = g_path_get_dirname (world->tmp);

  th_mounts_free (world->mounts);
  remove_in (AT_FDCWD, made);
  g_free (world->tmp);
  g_free (world->table);
}

void
mounts_world_assert (const MountsWorld *world, const char *name, const char *point, gboolean apart)
{
  g_autofree char *path = mounts_world_at (world, name);
  g_autofree char *expected = *point != '\0' ? mounts_world_at (world, point) : g_strdup ("/");
  g_autofree char *shown = g_strescape (name, NULL);
  g_autoptr (ThMount) mount = th_mounts_find (world->mounts, path);

  g_test_message ("%s", shown);
  g_assert_cmpstr (mount->point, ==, expected);
  g_assert_cmpint (mount->apart, ==, apart);
}

void
mounts_world_add (const char *path, void (*test) (MountsWorld *world, gconstpointer unused))
{
  g_test_add (path, MountsWorld, NULL, mounts_world_set_up, test, mounts_world_tear_down);
}

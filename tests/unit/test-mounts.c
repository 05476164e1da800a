/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "mounts-world.h"

#define N_THREADS 4u
#define N_FINDS   400u

static void
test_prefixes (MountsWorld *world, gconstpointer unused)
{
  mounts_world_folder (world, "/deadly");
  mounts_world_folder (world, "/loc");
  mounts_world_assert (world, "", "", FALSE);
  mounts_world_assert (world, "/", "", FALSE);
  mounts_world_assert (world, "/deadly/a", "", FALSE);
  mounts_world_assert (world, "/dead", "/dead", TRUE);
  mounts_world_assert (world, "/dead/", "/dead", TRUE);
  mounts_world_assert (world, "//dead//deep///a", "/dead", TRUE);
  mounts_world_assert (world, "/loc/x", "", FALSE);
  mounts_world_assert (world, "/local", "/local", FALSE);
  mounts_world_assert (world, "/local/deep/missing/more", "/local", FALSE);
  mounts_world_assert (world, "/local/nfs/deep", "/local/nfs", TRUE);
  mounts_world_assert (world, "/missing/a/b", "", FALSE);
}

/* The trap would lead to local places if it were read. */
static void
test_dead_is_not_touched (MountsWorld *world, gconstpointer unused)
{
  g_autofree char *dead = mounts_world_at (world, "/dead");

  mounts_world_link (world, "/dead/trap", "/local/deep");
  mounts_world_link (world, "/into", "dead");
  mounts_world_link (world, "/through", "dead/trap/x");
  mounts_world_link (world, "/far", "/into/trap");
  mounts_world_link (world, "/up", "dead/../local");
  for (guint i = 0; i < 2; i++)
    {
      mounts_world_assert (world, "/dead/trap/a", "/dead", TRUE);
      mounts_world_assert (world, "/dead/trap/../../local/a", "/dead", TRUE);
      mounts_world_assert (world, "/into", "/dead", TRUE);
      mounts_world_assert (world, "/into/trap/a", "/dead", TRUE);
      mounts_world_assert (world, "/through", "/dead", TRUE);
      mounts_world_assert (world, "/far/a", "/dead", TRUE);
      mounts_world_assert (world, "/up/a", "/dead", TRUE);
      g_assert_cmpint (g_chmod (dead, 0), ==, 0);
    }
  g_assert_cmpint (g_chmod (dead, 0700), ==, 0);
}

static void
test_links (MountsWorld *world, gconstpointer unused)
{
  mounts_world_folder (world, "/a/b");
  mounts_world_link (world, "/abs", "/local/deep");
  mounts_world_link (world, "/rel", "./a/../local//deep/");
  mounts_world_link (world, "/a/b/back", "../../local");
  mounts_world_link (world, "/twice", "a/b/back/nfs");
  mounts_world_link (world, "/broken", "nowhere/at/all");
  mounts_world_link (world, "/local/home", "..");
  mounts_world_assert (world, "/abs/x", "/local", FALSE);
  mounts_world_assert (world, "/rel/x", "/local", FALSE);
  mounts_world_assert (world, "/a/b/back", "/local", FALSE);
  mounts_world_assert (world, "/a/b/back/nfs/y", "/local/nfs", TRUE);
  mounts_world_assert (world, "/twice", "/local/nfs", TRUE);
  mounts_world_assert (world, "/broken/x", "", FALSE);
  mounts_world_assert (world, "/local/home/dead", "/dead", TRUE);
  /* Upwards from where a link leads, not from where it stands. */
  mounts_world_assert (world, "/abs/../nfs", "/local/nfs", TRUE);
  mounts_world_assert (world, "/abs/../../dead", "/dead", TRUE);
  mounts_world_assert (world, "/local/deep/../../a/./b/..", "", FALSE);
  mounts_world_assert (world, "/abs/../dead", "/local", FALSE);
  mounts_world_assert (world, "/../../../../../../../../../../..", "", FALSE);
}

static void
test_loops (MountsWorld *world, gconstpointer unused)
{
  mounts_world_link (world, "/self", "self");
  mounts_world_link (world, "/ping", "pong/x");
  mounts_world_link (world, "/pong", "ping/x");
  mounts_world_assert (world, "/self/a", "", FALSE);
  mounts_world_assert (world, "/ping", "", FALSE);
  /* As many as the kernel follows, and one more. */
  mounts_world_link (world, "/chain0", "dead");
  for (guint i = 1; i <= 40; i++)
    {
      g_autofree char *name = g_strdup_printf ("/chain%u", i);
      g_autofree char *target = g_strdup_printf ("chain%u", i - 1);

      mounts_world_link (world, name, target);
    }
  mounts_world_assert (world, "/chain39", "/dead", TRUE);
  mounts_world_assert (world, "/chain40", "", FALSE);
}

/* Folders within each other; returns the path from the first to the last. */
static char *
make_deep (int *fd, guint n)
{
  g_autofree char *name = g_strnfill (200, 'd');
  GString *path = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      int inner;

      g_assert_cmpint (mkdirat (*fd, name, 0700), ==, 0);
      inner = openat (*fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
      g_assert_cmpint (inner, >=, 0);
      close (*fd);
      *fd = inner;
      g_string_append_printf (path, "%s%s", i > 0 ? "/" : "", name);
    }
  return g_string_free (path, FALSE);
}

/* The way there goes through a folder whose path is longer than the kernel takes. */
static void
test_long (MountsWorld *world, gconstpointer unused)
{
  g_autofree char *dead = mounts_world_at (world, "/dead");
  g_autofree char *name = g_strnfill (300, 'x');
  g_autofree char *long_name = g_strconcat ("/local/", name, NULL);
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  int fd = open (world->tmp, O_PATH | O_DIRECTORY | O_CLOEXEC);
  int half;

  first = make_deep (&fd, 15);
  half = dup (fd);
  second = make_deep (&fd, 15);
  g_assert_cmpint (symlinkat (dead, fd, "out"), ==, 0);
  g_assert_cmpint (symlinkat (second, half, "more"), ==, 0);
  mounts_world_link (world, "/deep", first);
  mounts_world_assert (world, "/deep/missing", "", FALSE);
  mounts_world_assert (world, "/deep/more/out/a", "", TRUE);
  mounts_world_assert (world, long_name, "/local", FALSE);
  g_assert_cmpint (unlinkat (fd, "out", 0), ==, 0);
  close (fd);
  close (half);
}

static void
test_retargeted (MountsWorld *world, gconstpointer unused)
{
  g_autofree char *link = mounts_world_at (world, "/link");

  for (guint i = 0; i < 3; i++)
    {
      mounts_world_link (world, "/link", "local");
      mounts_world_assert (world, "/link/x", "/local", FALSE);
      g_assert_cmpint (unlink (link), ==, 0);
      mounts_world_link (world, "/link", "dead");
      mounts_world_assert (world, "/link/x", "/dead", TRUE);
      g_assert_cmpint (unlink (link), ==, 0);
    }
}

static void
test_home (MountsWorld *world, gconstpointer unused)
{
  g_autofree char *home = mounts_world_at (world, "/link/.cache/thumbnails");

  mounts_world_link (world, "/link", "dead/deep");
  mounts_world_folder (world, "/dead/deep/.cache");
  th_mounts_free (world->mounts);
  world->mounts = th_mounts_new (world->table, home);
  mounts_world_assert (world, "/dead/deep/a", "/dead", FALSE);
  mounts_world_assert (world, "/link/a", "/dead", FALSE);
  mounts_world_assert (world, "/local/nfs/a", "/local/nfs", TRUE);
  mounts_world_link (world, "/dead/other", "/local/nfs/x");
  mounts_world_assert (world, "/dead/other/a", "/local/nfs", TRUE);
  /* Its mount is another now. */
  mounts_world_table (world, "5 1 8:1 / / rw - ext4 root rw\n"
                             "7 5 8:2 / TMP/dead rw - nfs4 host:/x rw\n"
                             "8 7 8:2 / TMP/dead/deep rw - nfs4 host:/y rw\n");
  mounts_world_assert (world, "/dead/deep/.cache", "/dead/deep", FALSE);
  mounts_world_assert (world, "/dead/a", "/dead", TRUE);
}

static void
test_change (MountsWorld *world, gconstpointer unused)
{
  g_autofree char *path = mounts_world_at (world, "/dead/a");
  g_autoptr (ThMount) before = th_mounts_find (world->mounts, path);

  mounts_world_table (world, "20 1 8:1 / / rw - ext4 /dev/root rw\n");
  mounts_world_assert (world, "/dead/a", "", FALSE);
  mounts_world_table (world, mounts_world_usual);
  mounts_world_assert (world, "/dead/a", "/dead", TRUE);
  /* What was known stays while it cannot be read. */
  g_assert_cmpint (g_unlink (world->table), ==, 0);
  mounts_world_assert (world, "/dead/a", "/dead", TRUE);
  mounts_world_table (world, "20 1 8:1 / / rw - ext4 /dev/root rw\n");
  mounts_world_assert (world, "/dead/a", "", FALSE);
  /* What was given out lives on. */
  g_assert_cmpstr (before->type, ==, "fuse.sshfs");
}

static void
assert_real (const MountsWorld *world, const char *name, const char *real)
{
  g_autofree char *path = mounts_world_at (world, name);
  g_autofree char *expected = real != NULL ? mounts_world_at (world, real) : NULL;
  g_autofree char *found = NULL;
  g_autoptr (ThMount) mount = th_mounts_resolve (world->mounts, path, &found);
  g_autoptr (ThMount) same = th_mounts_find (world->mounts, path);

  g_test_message ("%s", name);
  g_assert_cmpuint (mount->id, ==, same->id);
  g_assert_cmpstr (found, ==, expected);
}

static void
test_resolve (MountsWorld *world, gconstpointer unused)
{
  mounts_world_link (world, "/link", "local/deep");
  mounts_world_link (world, "/into", "dead");
  mounts_world_link (world, "/local/deep/back", "../../link/file");
  assert_real (world, "/local/deep/file", NULL);
  assert_real (world, "/missing/file", NULL);
  assert_real (world, "/link", "/local/deep");
  assert_real (world, "/link/missing/file", "/local/deep/missing/file");
  assert_real (world, "/link/back", "/local/deep/file");
  assert_real (world, "/link/../deep/file", "/local/deep/file");
  assert_real (world, "/dead/file", NULL);
  assert_real (world, "/into/file", NULL);
}

static void
assert_below (const MountsWorld *world, const char *name, const char *point, gboolean below)
{
  g_autofree char *path = mounts_world_at (world, name);
  g_autofree char *of = mounts_world_at (world, point);

  g_test_message ("%s below %s", name, point);
  g_assert_cmpint (th_mounts_leads_below (world->mounts, path, of), ==, below);
}

static void
test_leads_below (MountsWorld *world, gconstpointer unused)
{
  mounts_world_link (world, "/into", "dead/sub");
  mounts_world_link (world, "/away", "local");
  mounts_world_link (world, "/dead/trap", "/local");
  mounts_world_link (world, "/local/out", "..");
  mounts_world_link (world, "/alias", "dead");
  assert_below (world, "/dead", "/dead", TRUE);
  assert_below (world, "/dead/a/b", "/dead/", TRUE);
  assert_below (world, "/deadly", "/dead", FALSE);
  assert_below (world, "/local/a", "/dead", FALSE);
  assert_below (world, "/into/a", "/dead", TRUE);
  assert_below (world, "/into/a", "/dead/sub", TRUE);
  assert_below (world, "/into/a", "/dead/other", FALSE);
  assert_below (world, "/away/a", "/local", TRUE);
  assert_below (world, "/dead/trap/a", "/local", FALSE);
  assert_below (world, "/local/out/a", "/local", TRUE);
  assert_below (world, "/dead/a", "/alias", TRUE);
  assert_below (world, "/into", "/alias", TRUE);
  assert_below (world, "/missing", "/alias", FALSE);
  g_assert_true (th_mounts_leads_below (world->mounts, world->tmp, "/"));
  g_assert_true (th_mounts_leads_below (world->mounts, "//a", "//"));
}

/* What /proc/PID/cwd and its like lead to is not what they say. */
static void
test_magic_links (MountsWorld *world, gconstpointer unused)
{
  g_autoptr (ThMounts) mounts = th_mounts_new (NULL, NULL);
  g_autoptr (ThMount) root = th_mounts_find (mounts, "/");
  g_autoptr (ThMount) status = th_mounts_find (mounts, "/proc/self/status");
  g_autoptr (ThMount) magic = th_mounts_find (mounts, "/proc/self/root/etc");

  if (root->point[0] == '\0' || strcmp (status->type, "proc") != 0)
    {
      g_test_skip ("1 test left out: no /proc");
      return;
    }
  g_assert_cmpstr (root->point, ==, "/");
  g_assert_false (status->apart);
  g_assert_cmpstr (magic->type, ==, "proc");
  g_assert_true (magic->apart);
}

static gpointer
find_many (gpointer data)
{
  MountsWorld *world = data;
  g_autofree char *path = mounts_world_at (world, "/dead/a");

  for (guint i = 0; i < N_FINDS; i++)
    {
      g_autoptr (ThMount) mount = th_mounts_find (world->mounts, path);

      g_assert_true (strcmp (mount->type, "fuse.sshfs") == 0 || strcmp (mount->point, "/") == 0);
    }
  return NULL;
}

static void
test_threads (MountsWorld *world, gconstpointer unused)
{
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("find", find_many, world);
  for (guint i = 0; i < N_FINDS / 10; i++)
    mounts_world_table (world,
                        i % 2 == 0 ? "20 1 8:1 / / rw - ext4 /dev/root rw\n" : mounts_world_usual);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  mounts_world_assert (world, "/dead/a", "/dead", TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  mounts_world_add ("/mounts/prefixes", test_prefixes);
  mounts_world_add ("/mounts/dead-is-not-touched", test_dead_is_not_touched);
  mounts_world_add ("/mounts/links", test_links);
  mounts_world_add ("/mounts/loops", test_loops);
  mounts_world_add ("/mounts/long", test_long);
  mounts_world_add ("/mounts/retargeted", test_retargeted);
  mounts_world_add ("/mounts/home", test_home);
  mounts_world_add ("/mounts/change", test_change);
  mounts_world_add ("/mounts/resolve", test_resolve);
  mounts_world_add ("/mounts/leads-below", test_leads_below);
  mounts_world_add ("/mounts/magic-links", test_magic_links);
  mounts_world_add ("/mounts/threads", test_threads);
  return g_test_run ();
}

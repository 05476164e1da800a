/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-cores.h"

#include <ftw.h>
#include <sched.h>
#include <stdio.h>

#define MOST_FILES 8

/* A machine: files and what they hold. Only what the quota leaves is looked at, so the rows expect
 * at most two cores, which every affinity but a single one allows. */
typedef struct
{
  const char *name;
  const char *files[MOST_FILES][2];
  guint quota; /* whole cores; 0 for none */
} CoresRow;

#define CGROUP "/proc/self/cgroup"
#define FS     "/sys/fs/cgroup"

static const CoresRow rows[] = {
  { "nothing", { { NULL } }, 0 },
  { "v2-two",
    { { CGROUP, "0::/user.slice/app\n" }, { FS "/user.slice/app/cpu.max", "200000 100000\n" } },
    2 },
  { "v2-half",
    { { CGROUP, "0::/user.slice/app\n" }, { FS "/user.slice/app/cpu.max", "50000 100000\n" } },
    1 },
  { "v2-one-and-a-half-counts-up",
    { { CGROUP, "0::/app\n" }, { FS "/app/cpu.max", "150000 100000\n" } },
    2 },
  { "v2-max", { { CGROUP, "0::/app\n" }, { FS "/app/cpu.max", "max 100000\n" } }, 0 },
  { "v2-parent-tighter",
    { { CGROUP, "0::/a/b/c\n" },
      { FS "/a/b/c/cpu.max", "max 100000\n" },
      { FS "/a/b/cpu.max", "900000 100000\n" },
      { FS "/a/cpu.max", "100000 100000\n" } },
    1 },
  { "v2-child-tighter",
    { { CGROUP, "0::/a/b\n" },
      { FS "/a/b/cpu.max", "100000 100000\n" },
      { FS "/a/cpu.max", "200000 100000\n" } },
    1 },
  { "v2-group-is-the-root", { { CGROUP, "0::/\n" }, { FS "/cpu.max", "100000 100000\n" } }, 1 },
  { "v2-path-of-the-host",
    { { CGROUP, "0::/docker/0123\n" }, { FS "/cpu.max", "100000 100000\n" } },
    1 },
  { "v2-outside-of-the-namespace", { { CGROUP, "0::/../../x\n" } }, 0 },
  { "v2-zero", { { CGROUP, "0::/app\n" }, { FS "/app/cpu.max", "0 100000\n" } }, 0 },
  { "v2-period-zero", { { CGROUP, "0::/app\n" }, { FS "/app/cpu.max", "100000 0\n" } }, 0 },
  { "v2-one-word", { { CGROUP, "0::/app\n" }, { FS "/app/cpu.max", "100000\n" } }, 0 },
  { "v2-empty", { { CGROUP, "0::/app\n" }, { FS "/app/cpu.max", "" } }, 0 },
  { "v2-huge", { { CGROUP, "0::/app\n" }, { FS "/app/cpu.max", "9223372036854775807 1\n" } }, 0 },
  { "v1-two",
    { { CGROUP, "2:cpuacct:/y\n1:cpu:/x\n" },
      { FS "/cpu/x/cpu.cfs_quota_us", "200000\n" },
      { FS "/cpu/x/cpu.cfs_period_us", "100000\n" } },
    2 },
  { "v1-half-joint-mount",
    { { CGROUP, "4:cpu,cpuacct:/x\n" },
      { FS "/cpu,cpuacct/x/cpu.cfs_quota_us", "50000\n" },
      { FS "/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n" } },
    1 },
  { "v1-none",
    { { CGROUP, "1:cpu:/\n" },
      { FS "/cpu/cpu.cfs_quota_us", "-1\n" },
      { FS "/cpu/cpu.cfs_period_us", "100000\n" } },
    0 },
  { "v1-parent-tighter",
    { { CGROUP, "1:cpu:/a/b\n" },
      { FS "/cpu/a/b/cpu.cfs_quota_us", "-1\n" },
      { FS "/cpu/a/b/cpu.cfs_period_us", "100000\n" },
      { FS "/cpu/a/cpu.cfs_quota_us", "100000\n" },
      { FS "/cpu/a/cpu.cfs_period_us", "100000\n" } },
    1 },
  { "v1-period-missing",
    { { CGROUP, "1:cpu:/x\n" }, { FS "/cpu/x/cpu.cfs_quota_us", "100000\n" } },
    0 },
  { "v1-empty-files",
    { { CGROUP, "1:cpu:/x\n" },
      { FS "/cpu/x/cpu.cfs_quota_us", "" },
      { FS "/cpu/x/cpu.cfs_period_us", "" } },
    0 },
  /* "cpuset" is no "cpu". */
  { "v1-other-controller",
    { { CGROUP, "3:cpuset:/x\n" },
      { FS "/cpu/x/cpu.cfs_quota_us", "100000\n" },
      { FS "/cpu/x/cpu.cfs_period_us", "100000\n" } },
    0 },
  { "hybrid",
    { { CGROUP, "1:cpu:/x\n0::/user\n" },
      { FS "/unified/user/cpu.max", "max 100000\n" },
      { FS "/cpu/x/cpu.cfs_quota_us", "100000\n" },
      { FS "/cpu/x/cpu.cfs_period_us", "100000\n" } },
    1 },
  { "hybrid-unified-tighter",
    { { CGROUP, "1:cpu:/x\n0::/user\n" },
      { FS "/unified/user/cpu.max", "100000 100000\n" },
      { FS "/cpu/x/cpu.cfs_quota_us", "-1\n" },
      { FS "/cpu/x/cpu.cfs_period_us", "100000\n" } },
    1 },
  { "garbage", { { CGROUP, "\n:\n::\n0:\n1:cpu\nx:y:z:w\n" } }, 0 },
};

static int
remove_entry (const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
  return remove (path);
}

static void
write_file (const char *root, const char *path, const char *text)
{
  g_autofree char *full = g_strconcat (root, path, NULL);
  g_autofree char *folder = g_path_get_dirname (full);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (full, text, -1, NULL));
}

static void
test_row (gconstpointer data)
{
  const CoresRow *row = data;
  g_autofree char *root = g_dir_make_tmp ("thimble-cores-XXXXXX", NULL);
  cpu_set_t set;
  guint own, wanted;

  g_assert_cmpint (sched_getaffinity (0, sizeof set, &set), ==, 0);
  own = (guint) CPU_COUNT (&set);
  wanted = row->quota > 0 ? MIN (row->quota, own) : own;
  for (guint i = 0; i < MOST_FILES && row->files[i][0] != NULL; i++)
    write_file (root, row->files[i][0], row->files[i][1]);
  g_assert_cmpuint (th_effective_cores (root), ==, wanted);
  nftw (root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void
test_this_machine (void)
{
  g_assert_cmpuint (th_effective_cores (""), >=, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/cores/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/cores/this-machine", test_this_machine);
  return g_test_run ();
}

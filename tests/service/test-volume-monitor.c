/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hearing that a volume is about to be unmounted: the real program with a stand-in monitor, and
 * programs that are not what they should be. */
#include "config.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/th-paths.h"
#include "service/th-volumes.h"
#include "stall-mount.h"
#include "volumes-module.h"
#include "volumes-world.h"

#define PATIENCE (60 * G_USEC_PER_SEC)
/* How often it is started within a minute. */
#define MAX_STARTS 4

typedef struct
{
  char *folder;
  StallMount *volume; /* so that there is something to hear of */
  VolumesWorld world;
  ThVolumes *volumes;
  GPtrArray *heard;
  guint fds;
} Fixture;

static void
on_leaving (const char *mount_point, gpointer data)
{
  Fixture *fixture = data;

  g_ptr_array_add (fixture->heard, g_strdup (mount_point));
}

static guint
count_fds (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static guint
count_children (void)
{
  g_autoptr (GArray) children = volumes_world_children (getpid ());

  return children->len;
}

static void
set_up (Fixture *fixture, gconstpointer trouble)
{
  if (trouble != NULL)
    return;
  g_unsetenv ("TH_VOLUMES");
  /* Not where temporary files go: what is mounted below /var is no volume. */
  fixture->folder = g_mkdtemp (g_strdup ("/tmp/thimble-volumes-XXXXXX"));
  g_assert_nonnull (fixture->folder);
  /* What GLib itself keeps open from its first use on is none of ours. */
  g_main_context_wakeup (NULL);
  volumes_world_init (&fixture->world, fixture->folder);
  fixture->volume = stall_mount_start (fixture->folder);
  fixture->heard = g_ptr_array_new_with_free_func (g_free);
  fixture->fds = count_fds ();
}

static void
remove_folder (Fixture *fixture)
{
  static const char *const names[] = { "host", "mounted", "" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (fixture->folder, names[i], NULL);

      g_assert_no_errno (g_rmdir (path));
    }
}

/* Nothing is left open or running but the file system of the test. */
static void
tear_down (Fixture *fixture, gconstpointer trouble)
{
  if (trouble != NULL)
    return;
  if (fixture->world.voice >= 0)
    close (g_steal_fd (&fixture->world.voice));
  if (fixture->volumes != NULL)
    th_volumes_free (fixture->volumes);
  g_assert_cmpuint (count_fds (), ==, fixture->fds);
  g_assert_cmpuint (count_children (), ==, 1);
  stall_mount_stop (fixture->volume);
  volumes_world_clear (&fixture->world);
  remove_folder (fixture);
  g_ptr_array_unref (fixture->heard);
  g_free (fixture->folder);
}

static gboolean
skips (gconstpointer trouble)
{
  if (trouble != NULL)
    g_test_skip (trouble);
  return trouble != NULL;
}

static void
start (Fixture *fixture)
{
  fixture->volumes = th_volumes_new (on_leaving, fixture);
  th_volumes_need (fixture->volumes);
}

static void
wait_for (Fixture *fixture, guint n)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;

  while (fixture->heard->len < n)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      while (g_main_context_iteration (NULL, FALSE))
        continue;
      g_usleep (1000);
    }
  g_assert_cmpuint (fixture->heard->len, ==, n);
}

/* The process, which is the only child besides the one of the file system. */
static int
pid_of (Fixture *fixture)
{
  g_autoptr (GArray) children = volumes_world_children (getpid ());

  for (guint i = 0; i < children->len; i++)
    if (g_array_index (children, int, i) != fixture->volume->tool)
      return g_array_index (children, int, i);
  return 0;
}

static void
run_for (guint milliseconds)
{
  gint64 until = g_get_monotonic_time () + milliseconds * 1000;

  while (g_get_monotonic_time () < until)
    {
      while (g_main_context_iteration (NULL, FALSE))
        continue;
      g_usleep (1000);
    }
}

/* What has a local path, and its bytes as they are; two in one go; the rest is not for us. */
static void
test_paths (Fixture *fixture, gconstpointer trouble)
{
  static const char *const paths[] = { "/media/stick",     "/media/two  words",
                                       "/media/new\nline", "/media/\xff\xfe\x80",
                                       "/media/%41",       "/media/caf\xc3\xa9" };
  g_autofree char *longest = NULL;

  if (skips (trouble))
    return;
  start (fixture);
  volumes_world_wait (&fixture->world);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    volumes_world_tell (&fixture->world, paths[i]);
  wait_for (fixture, G_N_ELEMENTS (paths));
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    g_assert_cmpstr (fixture->heard->pdata[i], ==, paths[i]);
  volumes_world_tell (&fixture->world, "testing:///elsewhere");
  volumes_world_tell (&fixture->world, "/");
  longest = g_strnfill (4096, 'a');
  longest[0] = '/';
  volumes_world_tell (&fixture->world, longest);
  longest[4095] = '\0';
  volumes_world_tell (&fixture->world, longest);
  volumes_world_tell (&fixture->world, TEST_VOLUMES_DEFAULT "/media/camera");
  wait_for (fixture, G_N_ELEMENTS (paths) + 2);
  g_assert_cmpstr (fixture->heard->pdata[G_N_ELEMENTS (paths)], ==, longest);
  g_assert_cmpstr (fixture->heard->pdata[G_N_ELEMENTS (paths) + 1], ==, "/media/camera");
}

/* It holds no folder and no descriptor that keeps a volume. */
static void
test_holds_nothing (Fixture *fixture, gconstpointer trouble)
{
  g_autofree char *link = NULL;
  g_autofree char *cwd = NULL;

  if (skips (trouble))
    return;
  start (fixture);
  volumes_world_wait (&fixture->world);
  link = g_strdup_printf ("/proc/%d/cwd", pid_of (fixture));
  cwd = g_file_read_link (link, NULL);
  g_assert_cmpstr (cwd, ==, "/");
}

static void
test_killed (Fixture *fixture, gconstpointer trouble)
{
  if (skips (trouble))
    return;
  start (fixture);
  for (guint i = 0; i < MAX_STARTS; i++)
    {
      volumes_world_wait (&fixture->world);
      volumes_world_tell (&fixture->world, "/media/stick");
      wait_for (fixture, i + 1);
      g_assert_no_errno (kill (pid_of (fixture), SIGKILL));
      volumes_world_wait_gone (&fixture->world);
    }
  run_for (300);
  th_volumes_need (fixture->volumes);
  run_for (300);
  g_assert_cmpint (pid_of (fixture), ==, 0);
}

/* It runs while it is needed, and some seconds longer. */
static void
test_rest (Fixture *fixture, gconstpointer trouble)
{
  int pid;

  if (skips (trouble))
    return;
  start (fixture);
  volumes_world_wait (&fixture->world);
  pid = pid_of (fixture);
  th_volumes_rest (fixture->volumes);
  th_volumes_need (fixture->volumes);
  run_for (6500);
  g_assert_cmpint (pid_of (fixture), ==, pid);
  th_volumes_rest (fixture->volumes);
  volumes_world_wait_gone (&fixture->world);
  run_for (100);
  g_assert_cmpint (pid_of (fixture), ==, 0);
  th_volumes_need (fixture->volumes);
  volumes_world_wait (&fixture->world);
  volumes_world_tell (&fixture->world, "/media/stick");
  wait_for (fixture, 1);
}

/* One that is left behind ends by itself, whatever it waits for. */
static void
test_orphan (Fixture *fixture, gconstpointer trouble)
{
  if (skips (trouble))
    return;
  start (fixture);
  th_volumes_free (g_steal_pointer (&fixture->volumes));
  volumes_world_wait_gone (&fixture->world);
  g_assert_cmpint (pid_of (fixture), ==, 0);
}

/* Without any monitor it says nothing and stays. */
static void
test_no_monitor (Fixture *fixture, gconstpointer trouble)
{
  int pid;

  if (skips (trouble))
    return;
  g_setenv ("GIO_MODULE_DIR", "/nonexistent", TRUE);
  start (fixture);
  pid = pid_of (fixture);
  g_assert_cmpint (pid, !=, 0);
  run_for (500);
  g_assert_cmpint (pid_of (fixture), ==, pid);
  g_assert_cmpuint (fixture->heard->len, ==, 0);
}

static gsize
count_starts (const char *file)
{
  GStatBuf st;

  return g_stat (file, &st) == 0 ? (gsize) st.st_size : 0;
}

/* Whatever it is that it does: it is started some times, and then no more. */
static void
check_liar (Fixture *fixture, const char *lie)
{
  g_autofree char *program = g_test_build_filename (G_TEST_BUILT, "service", "fake-volumes", NULL);
  g_autofree char *starts = g_build_filename (fixture->folder, lie, NULL);
  gint64 until = g_get_monotonic_time () + PATIENCE;

  g_setenv ("TH_VOLUMES", program, TRUE);
  g_setenv ("TH_FAKE_VOLUMES", lie, TRUE);
  g_setenv ("TH_FAKE_STARTS", starts, TRUE);
  start (fixture);
  while (count_starts (starts) < MAX_STARTS || pid_of (fixture) != 0)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      run_for (5);
    }
  for (guint i = 0; i < 20; i++)
    {
      th_volumes_need (fixture->volumes);
      run_for (10);
    }
  g_assert_cmpuint (count_starts (starts), ==, MAX_STARTS);
  g_clear_pointer (&fixture->volumes, th_volumes_free);
  g_unlink (starts);
}

static void
test_liars (Fixture *fixture, gconstpointer trouble)
{
  static const char *const lies[] = { "long", "unended", "relative", "double",
                                      "root", "empty",   "dies" };

  if (skips (trouble))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++)
    check_liar (fixture, lies[i]);
  g_assert_cmpuint (fixture->heard->len, ==, 0);
}

static void
test_flood (Fixture *fixture, gconstpointer trouble)
{
  if (skips (trouble))
    return;
  check_liar (fixture, "flood");
  g_assert_cmpuint (fixture->heard->len, >, 0);
  g_assert_cmpuint (fixture->heard->len, <=, 5000);
}

static void
test_missing (Fixture *fixture, gconstpointer trouble)
{
  if (skips (trouble))
    return;
  g_setenv ("TH_VOLUMES", "/nonexistent/thimble-volumes", TRUE);
  g_test_expect_message ("thimble", G_LOG_LEVEL_WARNING, "*not heard of*nonexistent*");
  start (fixture);
  for (guint i = 0; i < 10; i++)
    th_volumes_need (fixture->volumes);
  g_test_assert_expected_messages ();
  g_assert_cmpint (pid_of (fixture), ==, 0);
}

/* Where the table has nothing but what every system has, there is no process. */
static void
test_nothing_mounted (Fixture *fixture, gconstpointer trouble)
{
  static const char *const own[] = { "proc",   "sysfs",   "devtmpfs", "tmpfs",  "devpts",
                                     "cgroup", "cgroup2", "tracefs",  "overlay" };
  g_autofree char *table = NULL;
  g_auto (GStrv) lines = NULL;
  guint others = 0;

  g_assert_true (g_file_get_contents ("/proc/self/mountinfo", &table, NULL, NULL));
  lines = g_strsplit (g_strchomp (table), "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *type = strstr (lines[i], " - ");
      gsize known = 0;

      for (guint j = 0; type != NULL && j < G_N_ELEMENTS (own); j++)
        known += g_str_has_prefix (type + 3, own[j]) ? 1 : 0;
      others += known == 0 && strstr (lines[i], " / / ") == NULL ? 1 : 0;
    }
  if (others > 0)
    {
      g_test_skip ("this system has volumes of its own");
      return;
    }
  fixture->heard = g_ptr_array_new ();
  start (fixture);
  g_assert_cmpuint (count_children (), ==, 0);
  th_volumes_free (fixture->volumes);
  g_ptr_array_unref (fixture->heard);
}

static int
run_program (const char *option, char **out, char **said)
{
  g_autofree char *program = th_paths_volumes ();
  const char *argv[] = { program, option, NULL };
  int status = -1;

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, out, said,
                               &status, NULL));
  return WEXITSTATUS (status);
}

static void
test_options (void)
{
  g_autofree char *version = NULL;
  g_autofree char *nothing = NULL;
  g_autofree char *out = NULL;
  g_autofree char *usage = NULL;

  g_unsetenv ("TH_VOLUMES");
  g_assert_cmpint (run_program ("--version", &version, &nothing), ==, 0);
  g_assert_cmpstr (version, ==, "thimble-volumes " TH_VERSION "\n");
  g_assert_cmpstr (nothing, ==, "");
  g_assert_cmpint (run_program (NULL, &out, &usage), ==, 2);
  g_assert_nonnull (strstr (usage, "usage"));
}

static const struct
{
  const char *path;
  void (*function) (Fixture *, gconstpointer);
} tests[] = {
  { "/volume-monitor/paths", test_paths },
  { "/volume-monitor/holds-nothing", test_holds_nothing },
  { "/volume-monitor/killed", test_killed },
  { "/volume-monitor/rest", test_rest },
  { "/volume-monitor/orphan", test_orphan },
  { "/volume-monitor/no-monitor", test_no_monitor },
  { "/volume-monitor/liars", test_liars },
  { "/volume-monitor/flood", test_flood },
  { "/volume-monitor/missing", test_missing },
};

int
main (int argc, char **argv)
{
  const char *trouble = stall_mount_prepare ();

  g_test_init (&argc, &argv, NULL);
  g_setenv ("DBUS_SESSION_BUS_ADDRESS", "disabled:", TRUE);
  g_test_add_func ("/volume-monitor/options", test_options);
  g_test_add ("/volume-monitor/nothing-mounted", Fixture, NULL, NULL, test_nothing_mounted, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, trouble, set_up, tests[i].function, tear_down);
  return g_test_run ();
}

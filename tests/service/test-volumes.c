/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A volume that is unmounted while its files are worked on, with a stand-in for the monitor that
 * says so. It is a loop mount in a namespace of the test's own. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "bus-fixture.h"
#include "pictures.h"
#include "volumes-world.h"

#define N_FILES 1000u
#define N_LOCAL 20u
/* A second is wanted; a slow machine is no fault. */
#define PATIENCE_US  (20 * G_USEC_PER_SEC)
#define SLEEPER_TYPE "application/x-thimble-sleeper"

typedef struct
{
  TestBus *bus;
  TestClient *client;
  VolumesWorld world;
  char *point;
  dev_t device;
} Fixture;

static gboolean
run (const char *const *argv)
{
  int status = -1;

  return g_spawn_sync (NULL, (char **) argv, NULL,
                       G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL
                           | G_SPAWN_STDERR_TO_DEV_NULL,
                       NULL, NULL, NULL, NULL, &status, NULL)
         && g_spawn_check_wait_status (status, NULL);
}

/* Before there is a second thread. NULL, or why nothing can be mounted here. */
static const char *
prepare (void)
{
  if (geteuid () != 0)
    return "only root can mount a loop device";
  if (unshare (CLONE_NEWNS) != 0 || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    return "no mount namespace of its own can be had";
  return NULL;
}

static gboolean
is_on (const char *path, dev_t device)
{
  struct stat st;

  return stat (path, &st) == 0 && st.st_dev == device;
}

static gboolean
is_called (const char *pid, const char *program)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "comm", NULL);
  g_autofree char *name = NULL;

  return g_file_get_contents (path, &name, NULL, NULL) && g_str_equal (g_strchomp (name), program);
}

static gboolean
holds (const char *pid, dev_t device)
{
  g_autofree char *folder = g_build_filename ("/proc", pid, "fd", NULL);
  g_autofree char *cwd = g_build_filename ("/proc", pid, "cwd", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  gboolean found = is_on (cwd, device);
  const char *name;

  while (!found && dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      found = is_on (path, device);
    }
  return found;
}

/* Processes, in whatever namespace, that have a file of the device open or lie in a folder of it;
 * program NULL: any. */
static guint
count_holders (dev_t device, const char *program)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_ascii_isdigit (name[0]) && (program == NULL || is_called (name, program)))
      n += holds (name, device) ? 1 : 0;
  return n;
}

/* FALSE: there are no loop devices, or no tools. */
static gboolean
mount_volume (Fixture *fixture)
{
  g_autofree char *image = g_build_filename (fixture->bus->root, "volume.img", NULL);
  int fd = open (image, O_CREAT | O_RDWR | O_CLOEXEC, 0600);

  fixture->point = g_build_filename (fixture->bus->root, "volume", NULL);
  g_assert_no_errno (g_mkdir (fixture->point, 0700));
  g_assert_no_errno (ftruncate (fd, 256 * 1024 * 1024));
  close (fd);
  return run ((const char *const[]){ "/sbin/mke2fs", "-q", "-F", image, NULL })
         && run ((const char *const[]){ "mount", "-o", "loop", image, fixture->point, NULL });
}

static void
set_up (Fixture *fixture, gconstpointer trouble)
{
  if (trouble != NULL)
    return;
  fixture->bus = test_bus_up (NULL);
  volumes_world_init (&fixture->world, fixture->bus->root);
}

static void
tear_down (Fixture *fixture, gconstpointer trouble)
{
  if (trouble != NULL)
    return;
  if (fixture->client != NULL)
    test_client_free (fixture->client);
  umount2 (fixture->point, MNT_DETACH);
  volumes_world_clear (&fixture->world);
  test_bus_down (fixture->bus);
  g_free (fixture->point);
}

/* Whether the kernel still has the image behind a loop device: so it is as long as the file system
 * is mounted anywhere, in any namespace. */
static gboolean
is_loop_in_use (Fixture *fixture)
{
  g_autofree char *path = g_strdup_printf ("/sys/dev/block/%u:%u/loop/backing_file",
                                           major (fixture->device), minor (fixture->device));

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static gboolean
can_sandbox (void)
{
  return run (
      (const char *const[]){ "bwrap", "--unshare-all", "--ro-bind", "/", "/", "true", NULL });
}

/* A type that only a program of others knows, which has its file open and never gets done. */
static void
add_sleeper (Fixture *fixture)
{
  g_autofree char *folder = g_build_filename (fixture->bus->root, "data", "thumbnailers", NULL);
  g_autofree char *path = g_build_filename (folder, "sleeper.thumbnailer", NULL);

  g_assert_no_errno (g_mkdir (folder, 0700));
  g_assert_true (g_file_set_contents (
      path, "[Thumbnailer Entry]\nExec=tail -f %i %o\nMimeType=" SLEEPER_TYPE ";\n", -1, NULL));
}

/* Returns the request for it, once the program has it open. */
static guint32
queue_sleeper (Fixture *fixture, const char *uri)
{
  static const char *const types[] = { SLEEPER_TYPE, NULL };
  const char *const uris[] = { uri, NULL };
  g_autofree char *path = g_filename_from_uri (uri, NULL, NULL);
  gint64 until = g_get_monotonic_time () + PATIENCE_US;
  int fd = open (path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  guint32 handle;

  g_assert_cmpint (write (fd, "nothing that any codec knows", 28), ==, 28);
  close (fd);
  handle = test_client_queue_full (fixture->client, uris, types, "large", "foreground", 0);
  while (count_holders (fixture->device, "tail") == 0)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      g_usleep (5000);
    }
  return handle;
}

/* No process of ours has it any more, so that the device is free too. */
static void
check_let_go (Fixture *fixture)
{
  gint64 until = g_get_monotonic_time () + PATIENCE_US;

  while (count_holders (fixture->device, NULL) > 0)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      g_usleep (5000);
    }
  while (is_loop_in_use (fixture))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, until);
      g_usleep (5000);
    }
}

/* One picture, again and again under other names: what is in them does not matter. */
static char **
fill_volume (Fixture *fixture)
{
  g_autofree char *model = test_picture (fixture->bus, "model.png", 200, 1);
  g_autofree char *from = g_filename_from_uri (model, NULL, NULL);
  g_autofree char *data = NULL;
  char **uris = g_new0 (char *, N_FILES + 1);
  gsize size;

  g_assert_true (g_file_get_contents (from, &data, &size, NULL));
  for (guint i = 0; i < N_FILES; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%u.png", fixture->point, i);
      int fd = open (path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

      g_assert_cmpint (write (fd, data, size), ==, (gssize) size);
      close (fd);
      uris[i] = g_filename_to_uri (path, NULL, NULL);
    }
  return uris;
}

/* How long it took, in µs. */
static gint64
unmount (Fixture *fixture)
{
  gint64 start = g_get_monotonic_time ();

  while (umount2 (fixture->point, 0) != 0)
    {
      g_assert_cmpint (errno, ==, EBUSY);
      g_assert_cmpint (g_get_monotonic_time () - start, <, PATIENCE_US);
      g_usleep (5000);
    }
  return g_get_monotonic_time () - start;
}

static guint
count_ready (GHashTable *answers, char **uris)
{
  guint ready = 0;

  for (guint i = 0; uris[i] != NULL; i++)
    {
      int answer = test_answer (answers, uris[i]);

      g_assert_true (answer == -1 || answer == 8);
      ready += answer == -1;
    }
  return ready;
}

static guint32
queue (Fixture *fixture, char **uris, const char *scheduler)
{
  return test_client_queue (fixture->client, (const char *const *) uris, "large", scheduler);
}

/* Afterwards all is as before. */
static void
check_goes_on (Fixture *fixture)
{
  g_autofree char *uri = test_picture (fixture->bus, "after.png", 60, 77);
  guint32 handle = test_client_queue_one (fixture->client, uri);
  g_autoptr (GHashTable) answers = test_client_finish (fixture->client, handle);

  g_assert_cmpint (test_answer (answers, uri), ==, -1);
}

/* Nothing holds the volume, each of its files has one answer, and others are made. */
static void
check_unmount (Fixture *fixture, char **uris)
{
  g_auto (GStrv) local = test_pictures (fixture->bus, N_LOCAL, 60);
  g_autoptr (GHashTable) answers = NULL;
  g_autoptr (GHashTable) background = NULL;
  g_autoptr (GHashTable) others = NULL;
  g_autofree char *sleeper = g_strconcat (uris[0], ".sleeper", NULL);
  guint32 handles[3], asleep = 0;
  gint64 took;

  if (can_sandbox ())
    asleep = queue_sleeper (fixture, sleeper);
  else
    g_test_message ("no program of others can be run here");
  handles[0] = queue (fixture, uris, "foreground");
  handles[1] = queue (fixture, uris, "background");
  volumes_world_wait (&fixture->world);
  test_client_wait (fixture->client, handles[0], TEST_READY);
  handles[2] = queue (fixture, local, "background");
  volumes_world_tell (&fixture->world, fixture->point);
  took = unmount (fixture);
  check_let_go (fixture);
  if (asleep != 0)
    {
      g_autoptr (GHashTable) slept = test_client_finish (fixture->client, asleep);

      g_assert_cmpint (test_answer (slept, sleeper), ==, 8);
    }
  answers = test_client_finish (fixture->client, handles[0]);
  background = test_client_finish (fixture->client, handles[1]);
  others = test_client_finish (fixture->client, handles[2]);
  g_test_message ("unmounted after %" G_GINT64_FORMAT " ms; %u and %u of %u were ready before",
                  took / 1000, count_ready (answers, uris), count_ready (background, uris),
                  N_FILES);
  g_assert_cmpuint (count_ready (others, local), ==, N_LOCAL);
  check_goes_on (fixture);
}

static void
test_unmount (Fixture *fixture, gconstpointer trouble)
{
  g_autofree char *program = test_program ("../src/service/thimbled");
  g_auto (GStrv) uris = NULL;
  struct stat st;

  if (trouble != NULL)
    {
      g_test_skip (trouble);
      return;
    }
  if (!mount_volume (fixture))
    {
      g_test_skip ("no loop device can be mounted here");
      return;
    }
  g_assert_no_errno (stat (fixture->point, &st));
  fixture->device = st.st_dev;
  uris = fill_volume (fixture);
  add_sleeper (fixture);
  test_bus_start (fixture->bus, program);
  fixture->client = test_client_new (fixture->bus);
  check_unmount (fixture, uris);
}

int
main (int argc, char **argv)
{
  const char *trouble = prepare ();

  g_test_init (&argc, &argv, NULL);
  g_test_add ("/volumes/unmount", Fixture, trouble, set_up, test_unmount, tear_down);
  return g_test_run ();
}

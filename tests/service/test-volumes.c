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
#include <unistd.h>

#include "bus-fixture.h"
#include "pictures.h"
#include "volumes-world.h"

#define N_FILES 1000u
#define N_LOCAL 20u
/* A second is wanted; a slow machine is no fault. */
#define PATIENCE_US (20 * G_USEC_PER_SEC)

typedef struct
{
  TestBus *bus;
  TestClient *client;
  VolumesWorld world;
  char *point;
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

/* Nothing holds the volume, each of its files has one answer, and others are made. */
static void
check_unmount (Fixture *fixture, char **uris)
{
  g_auto (GStrv) local = test_pictures (fixture->bus, N_LOCAL, 60);
  g_autoptr (GHashTable) answers = NULL;
  g_autoptr (GHashTable) background = NULL;
  g_autoptr (GHashTable) others = NULL;
  guint32 handles[3];
  gint64 took;

  handles[0] = queue (fixture, uris, "foreground");
  handles[1] = queue (fixture, uris, "background");
  volumes_world_wait (&fixture->world);
  test_client_wait (fixture->client, handles[0], TEST_READY);
  handles[2] = queue (fixture, local, "background");
  volumes_world_tell (&fixture->world, fixture->point);
  took = unmount (fixture);
  answers = test_client_finish (fixture->client, handles[0]);
  background = test_client_finish (fixture->client, handles[1]);
  others = test_client_finish (fixture->client, handles[2]);
  g_test_message ("unmounted after %" G_GINT64_FORMAT " ms; %u and %u of %u were ready before",
                  took / 1000, count_ready (answers, uris), count_ready (background, uris),
                  N_FILES);
  g_assert_cmpuint (count_ready (others, local), ==, N_LOCAL);
}

static void
test_unmount (Fixture *fixture, gconstpointer trouble)
{
  g_autofree char *program = test_program ("../src/service/thimbled");
  g_auto (GStrv) uris = NULL;

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
  uris = fill_volume (fixture);
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "volumes-world.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "volumes-module.h"

#define PATIENCE (60 * G_USEC_PER_SEC)

void
volumes_world_init (VolumesWorld *world, const char *folder)
{
  g_autofree char *modules = g_test_build_filename (G_TEST_BUILT, "service", NULL);

  world->voice = -1;
  world->fifo = g_build_filename (folder, "volumes", NULL);
  g_assert_no_errno (mkfifo (world->fifo, 0600));
  /* Those of this system are left out. */
  g_setenv ("GIO_MODULE_DIR", modules, TRUE);
  g_setenv (TEST_VOLUMES, world->fifo, TRUE);
}

void
volumes_world_clear (VolumesWorld *world)
{
  if (world->voice >= 0)
    close (world->voice);
  g_unlink (world->fifo);
  g_free (world->fifo);
}

/* There is nobody to write to a FIFO as long as nobody has it open for reading. */
static gboolean
somebody_listens (VolumesWorld *world)
{
  if (world->voice >= 0)
    close (world->voice);
  world->voice = open (world->fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  g_assert_true (world->voice >= 0 || errno == ENXIO);
  return world->voice >= 0;
}

static void
wait_until (VolumesWorld *world, gboolean listens)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;

  while (somebody_listens (world) != listens)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      while (g_main_context_iteration (NULL, FALSE))
        continue;
      g_usleep (2000);
    }
}

void
volumes_world_wait (VolumesWorld *world)
{
  wait_until (world, TRUE);
}

void
volumes_world_wait_gone (VolumesWorld *world)
{
  wait_until (world, FALSE);
}

void
volumes_world_tell (VolumesWorld *world, const char *what)
{
  gsize size = strlen (what) + 1;

  g_assert_cmpint (write (world->voice, what, size), ==, (gssize) size);
}

static gboolean
is_child (const char *name, int pid)
{
  g_autofree char *path = g_build_filename ("/proc", name, "stat", NULL);
  g_autofree char *text = NULL;
  const char *after;

  if (!g_ascii_isdigit (name[0]) || !g_file_get_contents (path, &text, NULL, NULL))
    return FALSE;
  /* "PID (NAME) STATE PARENT", and the name may hold anything. */
  after = strrchr (text, ')');
  return after != NULL && strlen (after) > 4 && g_ascii_strtoll (after + 4, NULL, 10) == pid;
}

GArray *
volumes_world_children (int pid)
{
  GArray *children = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GDir) dir = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    if (is_child (name, pid))
      {
        int child = (int) g_ascii_strtoll (name, NULL, 10);

        g_array_append_val (children, child);
      }
  return children;
}

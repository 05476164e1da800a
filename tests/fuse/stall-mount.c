/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "stall-mount.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL_DEVICE 3
#define USUAL_TYPE  "fuse.stall"

static gboolean
write_text (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  gboolean done = fd >= 0 && write (fd, text, strlen (text)) == (gssize) strlen (text);

  if (fd >= 0)
    close (fd);
  return done;
}

/* The same user inside as outside. */
static gboolean
map_ids (uid_t uid, gid_t gid)
{
  g_autofree char *users = g_strdup_printf ("%u %u 1", uid, uid);
  g_autofree char *groups = g_strdup_printf ("%u %u 1", gid, gid);

  return write_text ("/proc/self/uid_map", users) && write_text ("/proc/self/setgroups", "deny")
         && write_text ("/proc/self/gid_map", groups);
}

static gboolean
mount_device (int device, const char *point, const char *type)
{
  g_autofree char *options =
      g_strdup_printf ("fd=%d,rootmode=40000,user_id=%u,group_id=%u,default_permissions", device,
                       geteuid (), getegid ());

  return mount ("stall-fs", point, type, MS_NOSUID | MS_NODEV | MS_RDONLY, options) == 0;
}

/* The device must have been opened in the namespace that it is mounted in. */
static gboolean
can_mount (void)
{
  g_autofree char *point = g_dir_make_tmp ("thimble-fuse-XXXXXX", NULL);
  int device = open ("/dev/fuse", O_RDWR | O_CLOEXEC);
  gboolean can = point != NULL && device >= 0 && mount_device (device, point, USUAL_TYPE);

  if (can)
    umount2 (point, MNT_DETACH);
  if (point != NULL)
    g_rmdir (point);
  if (device >= 0)
    close (device);
  return can;
}

static const char *
enter_namespace (void)
{
  uid_t uid = geteuid ();
  gid_t gid = getegid ();

  if (unshare (uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return "no mount namespace can be made";
  if (uid != 0 && !map_ids (uid, gid))
    return "the user cannot be mapped into a namespace";
  if (mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    return "mounts cannot be made private";
  return NULL;
}

const char *
stall_mount_prepare (void)
{
  const char *trouble;

  if (access ("/dev/fuse", R_OK | W_OK) != 0)
    return "/dev/fuse cannot be opened";
  trouble = enter_namespace ();
  if (trouble == NULL && !can_mount ())
    trouble = "no FUSE file system can be mounted";
  return trouble;
}

char *
stall_mount_path (StallMount *stall, const char *name)
{
  return g_build_filename (stall->point, name, NULL);
}

char *
stall_mount_file (StallMount *stall, const char *name, gconstpointer data, gsize size)
{
  g_autofree char *path = g_build_filename (stall->host, name, NULL);

  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
  return stall_mount_path (stall, name);
}

/* It needs no capability, which it would not have. Nobody else has the device, so that all that
 * hangs ends with it. */
static void
start_tool (StallMount *stall, const char *type)
{
  g_autofree char *program = g_test_build_filename (G_TEST_BUILT, "fuse", "stall-fs", NULL);
  const char *argv[] = { program, stall->host, NULL };
  int device = open ("/dev/fuse", O_RDWR | O_CLOEXEC);
  int inherited = TOOL_DEVICE;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (device, >=, 0);
  g_assert_true (mount_device (device, stall->point, type));
  g_spawn_async_with_pipes_and_fds (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, -1, -1,
                                    -1, &device, &inherited, 1, &stall->tool, NULL, NULL, NULL,
                                    &error);
  g_assert_no_error (error);
  close (device);
}

StallMount *
stall_mount_start (const char *parent)
{
  return stall_mount_start_as (parent, USUAL_TYPE);
}

StallMount *
stall_mount_start_as (const char *parent, const char *type)
{
  StallMount *stall = g_new0 (StallMount, 1);

  stall->host = g_build_filename (parent, "host", NULL);
  stall->point = g_build_filename (parent, "mounted", NULL);
  g_assert_no_errno (g_mkdir (stall->host, 0700));
  g_assert_no_errno (g_mkdir (stall->point, 0700));
  start_tool (stall, type);
  return stall;
}

void
stall_mount_stall (StallMount *stall, const char *operations)
{
  g_autofree char *path = g_build_filename (stall->host, ".stall", NULL);

  if (operations == NULL)
    g_unlink (path);
  else
    g_assert_true (g_file_set_contents (path, operations, -1, NULL));
}

void
stall_mount_stop (StallMount *stall)
{
  kill (stall->tool, SIGKILL);
  while (waitpid (stall->tool, NULL, 0) < 0 && errno == EINTR)
    continue;
  g_spawn_close_pid (stall->tool);
  g_assert_no_errno (umount2 (stall->point, MNT_DETACH));
  g_free (stall->host);
  g_free (stall->point);
  g_free (stall);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-open.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* File systems whose files are a way to talk to the kernel: to open or read them may do something,
 * and /proc/self is not the worker's but the caller's. */
static const guint32 talking[] = {
  PROC_SUPER_MAGIC, SYSFS_MAGIC,    DEBUGFS_MAGIC,      TRACEFS_MAGIC,       SECURITYFS_MAGIC,
  SELINUX_MAGIC,    SMACK_MAGIC,    CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,
  EFIVARFS_MAGIC,   PSTOREFS_MAGIC, BINFMTFS_MAGIC,     NSFS_MAGIC,
};

/* Where it cannot be told it is taken for an ordinary one. */
gboolean
th_open_talks_to_kernel (int look)
{
  struct statfs fs;

  if (fstatfs (look, &fs) != 0)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (talking); i++)
    if ((guint32) fs.f_type == talking[i])
      return TRUE;
  return FALSE;
}

static int
fail_errno (const char *path, int code, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "“%s”: %s", shown,
               g_strerror (code));
  return -1;
}

/* The look-first descriptor names the very file that was examined, whatever happens to the path. */
static int
reopen (int look, const char *path, GError **error)
{
  g_autofree char *proc = g_strdup_printf ("/proc/self/fd/%d", look);
  int fd = open (proc, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

  return fd >= 0 ? fd : fail_errno (path, errno, error);
}

int
th_open_held (int look, mode_t mode, gboolean talks, const char *path, GError **error)
{
  if (!S_ISREG (mode))
    return fail_errno (path, S_ISDIR (mode) ? EISDIR : EINVAL, error);
  return talks ? fail_errno (path, EINVAL, error) : reopen (look, path, error);
}

int
th_open_regular (const char *path, GError **error)
{
  int look = open (path, O_PATH | O_CLOEXEC);
  struct stat st;
  int fd;

  if (look < 0)
    return fail_errno (path, errno, error);
  if (fstat (look, &st) != 0)
    fd = fail_errno (path, errno, error);
  else
    fd = th_open_held (look, st.st_mode, S_ISREG (st.st_mode) && th_open_talks_to_kernel (look),
                       path, error);
  close (look);
  return fd;
}

gboolean
th_open_standard_streams (void)
{
  int fd;

  do
    fd = open ("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO)
    close (fd);
  return fcntl (STDERR_FILENO, F_GETFD) >= 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "reader/th-look-path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/th-open.h"
#include "cache/th-stamp.h"

#define DEVICE_LASTS (2 * G_USEC_PER_SEC)

static gboolean
fail (const char *path, GError **error)
{
  int saved = errno;
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved), "“%s”: %s", shown,
               g_strerror (saved));
  return FALSE;
}

/* The kernel's own name of what is open, which asks nobody. NULL: it has none any more. */
static char *
real_path (int fd, const struct stat *st)
{
  g_autofree char *proc = g_strdup_printf ("/proc/self/fd/%d", fd);
  char target[PATH_MAX];
  gssize length = readlink (proc, target, sizeof target);

  if (length <= 0 || length >= (gssize) sizeof target || target[0] != '/' || st->st_nlink == 0)
    return NULL;
  return g_strndup (target, (gsize) length);
}

/* Numbers of devices are given anew, so that it does not hold for long. */
static void
know_device (ThDevice *device, int fd, dev_t number)
{
  gint64 now = g_get_monotonic_time ();

  if (device->asked != 0 && device->number == number && now - device->asked < DEVICE_LASTS)
    return;
  *device = (ThDevice){
    .number = number,
    .asked = now,
    .inode_lasts = th_stamp_inode_lasts (fd),
    .talks_to_kernel = th_open_talks_to_kernel (fd),
  };
}

static gboolean
describe (ThFinding *finding, GError **error)
{
  g_autofree char *proc = g_strdup_printf ("/proc/self/fd/%d", finding->hold);

  if (fstat (finding->hold, &finding->st) != 0)
    return fail (finding->asked, error);
  know_device (&finding->device, finding->hold, finding->st.st_dev);
  finding->inode_lasts = finding->device.inode_lasts;
  finding->readable = faccessat (AT_FDCWD, proc, R_OK, AT_EACCESS) == 0;
  g_free (finding->path);
  finding->path = real_path (finding->hold, &finding->st);
  return TRUE;
}

gboolean
th_look_path (ThFinding *finding, const char *path, ThFindingCare care, GError **error)
{
  struct statx fresh;

  finding->asked = g_strdup (path);
  finding->hold = open (path, O_PATH | O_CLOEXEC);
  if (finding->hold < 0)
    return fail (path, error);
  /* What it brings is what the kernel then has for fstat too. */
  if (care == TH_FINDING_ASK)
    statx (finding->hold, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &fresh);
  return describe (finding, error);
}

int
th_look_path_open (ThFinding *finding, GError **error)
{
  int fd = th_open_held (finding->hold, finding->st.st_mode, finding->device.talks_to_kernel,
                         finding->asked, error);

  if (fd >= 0 && !describe (finding, error))
    close (g_steal_fd (&fd));
  return fd;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "reader/th-look-path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/th-open.h"
#include "cache/th-stamp.h"

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

/* Takes over hold. */
static gboolean
describe (ThFinding *finding, const char *path, int hold, GError **error)
{
  g_autofree char *proc = g_strdup_printf ("/proc/self/fd/%d", hold);
  ThStamp stamp;

  finding->hold = hold;
  if (!th_stamp_from_fd (hold, &stamp, &finding->st, error))
    return FALSE;
  finding->asked = g_strdup (path);
  finding->inode_lasts = stamp.inode != 0;
  finding->readable = faccessat (AT_FDCWD, proc, R_OK, AT_EACCESS) == 0;
  finding->path = real_path (hold, &finding->st);
  return TRUE;
}

gboolean
th_look_path (ThFinding *finding, const char *path, ThFindingCare care, GError **error)
{
  int hold = open (path, O_PATH | O_CLOEXEC);
  struct statx fresh;

  if (hold < 0)
    return fail (path, error);
  /* What it brings is what the kernel then has for fstat too. */
  if (care == TH_FINDING_ASK)
    statx (hold, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &fresh);
  return describe (finding, path, hold, error);
}

int
th_look_path_open (ThFinding *finding, GError **error)
{
  g_autofree char *path = g_steal_pointer (&finding->asked);
  g_autofree char *proc = NULL;
  g_auto (ThFinding) opened = TH_FINDING_INIT;
  int fd = th_open_regular (path, error);
  int hold;

  if (fd < 0)
    return -1;
  proc = g_strdup_printf ("/proc/self/fd/%d", fd);
  hold = open (proc, O_PATH | O_CLOEXEC);
  if (hold < 0)
    fail (path, error);
  if (hold < 0 || !describe (&opened, path, hold, error))
    {
      close (fd);
      return -1;
    }
  opened.mime_type = g_steal_pointer (&finding->mime_type);
  th_finding_clear (finding);
  *finding = opened;
  opened = (ThFinding) TH_FINDING_INIT;
  return fd;
}

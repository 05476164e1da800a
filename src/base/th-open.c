/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-open.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

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
th_open_regular (const char *path, GError **error)
{
  int look = open (path, O_PATH | O_CLOEXEC);
  struct stat st;
  int fd;

  if (look < 0)
    return fail_errno (path, errno, error);
  if (fstat (look, &st) != 0)
    fd = fail_errno (path, errno, error);
  else if (!S_ISREG (st.st_mode))
    fd = fail_errno (path, S_ISDIR (st.st_mode) ? EISDIR : EINVAL, error);
  else
    fd = reopen (look, path, error);
  close (look);
  return fd;
}

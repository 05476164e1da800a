/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "thumbnailer/th-output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/th-error.h"
#include "cache/th-atomic.h"

static gboolean
fail (const char *path, const char *why, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED, "cannot write “%s”: %s", shown, why);
  return FALSE;
}

static gboolean
write_all (int fd, GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  while (size > 0)
    {
      gssize n = write (fd, data, size);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return FALSE;
      data += n;
      size -= (gsize) n;
    }
  return TRUE;
}

static gboolean
write_in_place (const char *path, GBytes *bytes, GError **error)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  gboolean written;
  struct stat st;
  int saved;

  if (fd < 0)
    return fail (path, g_strerror (errno), error);
  written = fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && ftruncate (fd, 0) == 0
            && write_all (fd, bytes);
  saved = errno;
  if (!written && S_ISREG (st.st_mode) && ftruncate (fd, 0) != 0)
    saved = errno;
  if (close (fd) == 0 && written)
    return TRUE;
  return fail (path, g_strerror (written ? errno : saved), error);
}

static gboolean
write_output (const char *path, GBytes *bytes, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  struct stat st;
  gboolean exists = stat (path, &st) == 0;

  if (exists && !S_ISREG (st.st_mode))
    return fail (path, "it exists and is not a regular file", error);
  if (exists && faccessat (AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
    return write_in_place (path, bytes, error);
  return th_atomic_write (path, bytes, error);
}

/* Whoever loses patience in between gets the file: a temporary one would stay behind. */
gboolean
th_output_write (const char *path, GBytes *bytes, GError **error)
{
  sigset_t all, before;
  gboolean written;

  sigfillset (&all);
  sigprocmask (SIG_SETMASK, &all, &before);
  written = write_output (path, bytes, error);
  sigprocmask (SIG_SETMASK, &before, NULL);
  return written;
}

gboolean
th_output_check (const char *path, int source_fd, GError **error)
{
  struct stat output, source;

  if (stat (path, &output) == 0 && fstat (source_fd, &source) == 0 && output.st_dev == source.st_dev
      && output.st_ino == source.st_ino)
    return fail (path, "it is the picture itself", error);
  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/th-error.h"

#define PREFIX       ".thimble-"
#define LETTERS      "0123456789abcdefghijklmnopqrstuvwxyz"
#define N_LETTERS    36
#define RANDOM_BYTES 12
#define NAME_BYTES   (sizeof PREFIX - 1 + RANDOM_BYTES)
#define MAX_TRIES    100

static gboolean
save_failed (GError **error, const char *path, int code)
{
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, TH_ERROR, TH_ERROR_SAVE_FAILED, "Could not save thumbnail to “%s”: %s", shown,
               g_strerror (code));
  return FALSE;
}

gboolean
th_atomic_is_temporary (const char *name)
{
  return strlen (name) == NAME_BYTES && g_str_has_prefix (name, PREFIX)
         && strspn (name + sizeof PREFIX - 1, LETTERS) == RANDOM_BYTES;
}

static gboolean
make_name (char name[NAME_BYTES + 1])
{
  guint8 bytes[RANDOM_BYTES];

  if (getentropy (bytes, sizeof bytes) != 0)
    return FALSE;
  memcpy (name, PREFIX, sizeof PREFIX - 1);
  for (gsize i = 0; i < RANDOM_BYTES; i++)
    name[sizeof PREFIX - 1 + i] = LETTERS[bytes[i] % N_LETTERS];
  name[NAME_BYTES] = '\0';
  return TRUE;
}

/* -1 with errno. */
static int
open_temporary (int folder, char name[NAME_BYTES + 1])
{
  int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  int fd = -1;

  errno = EEXIST;
  for (int i = 0; i < MAX_TRIES && fd < 0 && errno == EEXIST; i++)
    {
      if (!make_name (name))
        return -1;
      fd = openat (folder, name, flags, 0600);
    }
  /* A umask can only have taken rights away, so where modes cannot be set nothing is given away. */
  if (fd >= 0)
    (void) !fchmod (fd, 0600);
  return fd;
}

static gboolean
write_all (int fd, GBytes *bytes)
{
  gsize left;
  const guint8 *at = g_bytes_get_data (bytes, &left);

  while (left > 0)
    {
      ssize_t n = write (fd, at, left);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      at += n;
      left -= (gsize) n;
    }
  return TRUE;
}

/* Closing may be what tells that the quota or the server's disk is full. */
static gboolean
write_and_close (int fd, GBytes *bytes)
{
  gboolean written = write_all (fd, bytes);
  int code = errno;

  if (close (fd) != 0 && errno != EINTR && written)
    return FALSE;
  errno = code;
  return written;
}

gboolean
th_atomic_write_at (int folder, const char *path, GBytes *bytes, GError **error)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash ? slash + 1 : path;
  char temporary[NAME_BYTES + 1];
  int fd = open_temporary (folder, temporary);
  int code;

  if (fd < 0)
    return save_failed (error, path, errno);
  if (write_and_close (fd, bytes) && renameat (folder, temporary, folder, name) == 0)
    return TRUE;
  code = errno;
  unlinkat (folder, temporary, 0);
  return save_failed (error, path, code);
}

gboolean
th_atomic_write (const char *path, GBytes *bytes, GError **error)
{
  const char *slash = strrchr (path, '/');
  g_autofree char *parent = slash ? g_strndup (path, (gsize) (slash - path) + 1) : g_strdup (".");
  int folder = open (parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
  gboolean written;

  if (folder < 0)
    return save_failed (error, path, errno);
  written = th_atomic_write_at (folder, path, bytes, error);
  close (folder);
  return written;
}

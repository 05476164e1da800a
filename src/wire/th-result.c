/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-result.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Linux 6.3; older kernels and headers do not know it. */
#define NOEXEC_SEAL 0x0008u

static int
fail (const char *what, GError **error)
{
  int saved = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved), "%s: %s", what,
               g_strerror (saved));
  return -1;
}

int
th_result_new (guint64 size, GError **error)
{
  int fd = memfd_create ("thimble-result", MFD_CLOEXEC | MFD_ALLOW_SEALING | NOEXEC_SEAL);

  if (fd < 0 && errno == EINVAL)
    fd = memfd_create ("thimble-result", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    return fail ("cannot make shared memory", error);
  if (ftruncate (fd, (off_t) size) == 0
      && fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return fd;
  fail ("cannot size shared memory", error);
  close (fd);
  return -1;
}

/* A power of two, so that a worker's room is made few times. */
static guint64
room_for (guint64 total)
{
  guint64 size = G_GUINT64_CONSTANT (256) << 10;

  while (size < total)
    size *= 2;
  return size;
}

gboolean
th_result_room_fit (ThResultRoom *room, guint64 total, gboolean *fresh, GError **error)
{
  guint64 size = room_for (total);
  int fd;

  *fresh = room->fd < 0 || room->size < total;
  if (!*fresh)
    return TRUE;
  fd = th_result_new (size, error);
  if (fd < 0)
    return FALSE;
  th_result_room_clear (room);
  *room = (ThResultRoom){ fd, size };
  return TRUE;
}

void
th_result_room_clear (ThResultRoom *room)
{
  if (room->fd >= 0)
    close (room->fd);
  *room = (ThResultRoom) TH_RESULT_ROOM_INIT;
}

guint8 *
th_result_copy (int fd, guint64 size, GError **error)
{
  g_autofree guint8 *copy = g_try_malloc (size);
  guint64 done = 0;

  if (copy == NULL)
    {
      errno = ENOMEM;
      fail ("cannot copy the result", error);
      return NULL;
    }
  while (done < size)
    {
      gssize n = pread (fd, copy + done, size - done, (off_t) done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          errno = n == 0 ? EIO : errno;
          fail ("cannot read the result", error);
          return NULL;
        }
      done += (guint64) n;
    }
  return g_steal_pointer (&copy);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "reader/th-copy.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is asked for at once: a slow server must be able to give so much before it is taken for one
 * that does not answer. */
#define CHUNK_BYTES (128u * 1024u)
/* Linux 6.3; older kernels and headers do not know it. */
#define NOEXEC_SEAL 0x0008u
#define ALL_SEALS   (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)

/* Reads at most size bytes; 0 at the end, -1 with error. */
typedef gssize (*Read) (gpointer source, void *data, gsize size, GError **error);

static gboolean
fail (const char *what, GError **error)
{
  int saved = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved), "%s: %s", what,
               g_strerror (saved));
  return FALSE;
}

gboolean
th_copy_fits (guint64 size, guint64 max_bytes, GError **error)
{
  if (size <= max_bytes)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE,
               "the file is larger than %" G_GUINT64_FORMAT " MiB, which is the limit for files"
               " that are not local",
               max_bytes >> 20);
  return FALSE;
}

static int
new_memory (GError **error)
{
  int fd = memfd_create ("thimble-copy", MFD_CLOEXEC | MFD_ALLOW_SEALING | NOEXEC_SEAL);

  if (fd < 0 && errno == EINVAL)
    fd = memfd_create ("thimble-copy", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0)
    fail ("cannot make shared memory", error);
  return fd;
}

static gboolean
write_all (int fd, const char *data, gsize size, GError **error)
{
  while (size > 0)
    {
      gssize n = write (fd, data, size);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return fail ("cannot write to shared memory", error);
      data += n;
      size -= (gsize) n;
    }
  return TRUE;
}

static gboolean
copy_all (int memory, Read reading, gpointer source, guint64 max_bytes, ThPulse *pulse,
          GError **error)
{
  g_autofree char *data = g_malloc (CHUNK_BYTES);
  guint64 total = 0;

  for (;;)
    {
      gssize n = reading (source, data, CHUNK_BYTES, error);

      if (n <= 0)
        return n == 0;
      total += (guint64) n;
      if (!th_copy_fits (total, max_bytes, error) || !write_all (memory, data, (gsize) n, error))
        return FALSE;
      th_pulse_count (pulse, (guint64) n);
    }
}

static int
copy (Read reading, gpointer source, guint64 max_bytes, ThPulse *pulse, GError **error)
{
  int memory = new_memory (error);

  if (memory < 0)
    return -1;
  if (copy_all (memory, reading, source, max_bytes, pulse, error)
      && (fcntl (memory, F_ADD_SEALS, ALL_SEALS) == 0 || fail ("cannot seal shared memory", error)))
    return memory;
  close (memory);
  return -1;
}

typedef struct
{
  int fd;
  const char *name;
} File;

static gssize
read_file (gpointer source, void *data, gsize size, GError **error)
{
  const File *file = source;
  g_autofree char *shown = NULL;
  gssize n;

  do
    n = read (file->fd, data, size);
  while (n < 0 && errno == EINTR);
  if (n >= 0)
    return n;
  shown = g_filename_display_name (file->name);
  fail (shown, error);
  return -1;
}

int
th_copy_descriptor (int fd, const char *name, guint64 max_bytes, ThPulse *pulse, GError **error)
{
  File file = { fd, name };

  return copy (read_file, &file, max_bytes, pulse, error);
}

static gssize
read_stream (gpointer source, void *data, gsize size, GError **error)
{
  return g_input_stream_read (source, data, size, NULL, error);
}

int
th_copy_stream (GInputStream *stream, guint64 max_bytes, ThPulse *pulse, GError **error)
{
  return copy (read_stream, stream, max_bytes, pulse, error);
}

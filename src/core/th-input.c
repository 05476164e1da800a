/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-input.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct _ThInput
{
  int fd;               /* -1 where memory is read */
  const guint8 *memory; /* the whole of it, or NULL */
  guint64 size;
  guint64 start; /* offset of what the window holds */
  gsize filled;  /* bytes of it */
  gboolean failed;
  guint8 window[TH_INPUT_WINDOW];
};

ThInput *
th_input_new_fd (int fd, GError **error)
{
  ThInput *input;
  /* Not fstat, which is fstatat to the C library: a locked-down process may call neither by name.
   */
  off_t end = lseek (fd, 0, SEEK_END);

  if (end < 0)
    {
      int saved = errno;

      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (saved),
                   "cannot measure the source: %s", g_strerror (saved));
      return NULL;
    }
  input = g_malloc (sizeof *input);
  *input = (ThInput){ .fd = fd, .size = (guint64) end };
  return input;
}

ThInput *
th_input_new_bytes (const void *data, gsize size)
{
  ThInput *input = g_malloc (sizeof *input);

  *input = (ThInput){ .fd = -1, .memory = data, .size = size };
  return input;
}

void
th_input_free (ThInput *input)
{
  g_free (input);
}

guint64
th_input_size (const ThInput *input)
{
  return input->size;
}

gboolean
th_input_failed (const ThInput *input)
{
  return input->failed;
}

/* Reads until length bytes, the end or an error. */
static gssize
read_fully (ThInput *input, guint64 offset, guint8 *buffer, gsize length)
{
  gsize done = 0;

  while (done < length)
    {
      gssize n = pread (input->fd, buffer + done, length - done, (off_t) (offset + done));

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          input->failed = TRUE;
          return -1;
        }
      if (n == 0)
        break;
      done += (gsize) n;
    }
  return (gssize) done;
}

gssize
th_input_read (ThInput *input, guint64 offset, void *buffer, gsize length)
{
  gsize left = offset < input->size ? (gsize) (input->size - offset) : 0;
  gsize wanted = MIN (length, left);

  if (input->memory == NULL)
    return read_fully (input, offset, buffer, wanted);
  memcpy (buffer, input->memory + MIN (offset, input->size), wanted);
  return (gssize) wanted;
}

ThBytes
th_input_peek (ThInput *input, guint64 offset, gsize wanted)
{
  gsize left = offset < input->size ? (gsize) (input->size - offset) : 0;
  gsize skip;
  gssize got;

  if (input->memory != NULL)
    return (ThBytes){ input->memory + (input->size - left), MIN (left, TH_INPUT_WINDOW) };
  wanted = MIN (MIN (wanted, left), TH_INPUT_WINDOW);
  skip = (gsize) (offset - input->start);
  if (offset >= input->start && skip <= input->filled && input->filled - skip >= MAX (wanted, 1))
    return (ThBytes){ input->window + skip, input->filled - skip };
  input->filled = 0;
  got = left > 0 ? read_fully (input, offset, input->window, MIN (left, TH_INPUT_WINDOW)) : 0;
  input->start = offset;
  input->filled = (gsize) MAX (got, 0);
  return (ThBytes){ input->window, input->filled };
}

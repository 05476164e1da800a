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
  ThInputMake make;     /* NULL: fd or memory is read */
  gpointer user;
  guint64 origin; /* of a part: where it begins in the file */
  gsize head_size;
  guint8 head[TH_INPUT_HEAD]; /* of a part: read before it */
  guint64 size;               /* head included */
  guint64 start;              /* offset of what the window holds */
  gsize filled;               /* bytes of it */
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

ThInput *
th_input_new_made (ThInputMake make, gpointer user, guint64 size)
{
  ThInput *input = g_try_malloc (sizeof *input);

  if (input != NULL)
    *input = (ThInput){ .fd = -1, .make = make, .user = user, .size = size };
  return input;
}

ThInput *
th_input_new_part (const ThInput *whole, guint64 offset, guint64 size, ThBytes head)
{
  const guint64 start = MIN (offset, whole->size);
  ThInput *input = g_try_malloc (sizeof *input);

  g_assert (whole->head_size == 0 && head.size <= TH_INPUT_HEAD);
  if (input == NULL)
    return NULL;
  *input = (ThInput){
    .fd = whole->fd,
    .memory = whole->memory != NULL ? whole->memory + start : NULL,
    .make = whole->make,
    .user = whole->user,
    .origin = whole->origin + start,
    .head_size = head.size,
    .size = head.size + MIN (size, whole->size - start),
  };
  if (head.size > 0)
    memcpy (input->head, head.data, head.size);
  return input;
}

gsize
th_input_bytes (void)
{
  return sizeof (ThInput);
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

static gssize
make_bytes (ThInput *input, guint64 offset, guint8 *buffer, gsize length)
{
  const gssize n = input->make (input->user, offset, buffer, length);

  input->failed = input->failed || n < 0;
  return n;
}

/* Reads until length bytes, the end or an error; offset is that in the file. */
static gssize
read_fully (ThInput *input, guint64 offset, guint8 *buffer, gsize length)
{
  gsize done = 0;

  if (input->make != NULL)
    return make_bytes (input, offset, buffer, length);
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

/* length bytes lie before the end that the input had when it was made. */
static gssize
fetch (ThInput *input, guint64 offset, guint8 *buffer, gsize length)
{
  const gsize before = offset < input->head_size ? (gsize) (input->head_size - offset) : 0;
  const gsize ready = MIN (before, length);
  const guint64 start = offset + ready - input->head_size;
  gssize got;

  if (ready > 0)
    memcpy (buffer, input->head + offset, ready);
  if (ready == length)
    return (gssize) length;
  if (input->memory != NULL)
    {
      memcpy (buffer + ready, input->memory + start, length - ready);
      return (gssize) length;
    }
  got = read_fully (input, input->origin + start, buffer + ready, length - ready);
  return got < 0 ? -1 : got + (gssize) ready;
}

static guint64
bytes_left (const ThInput *input, guint64 offset)
{
  return offset < input->size ? input->size - offset : 0;
}

gssize
th_input_read (ThInput *input, guint64 offset, void *buffer, gsize length)
{
  const guint64 left = bytes_left (input, offset);

  return fetch (input, offset, buffer, (gsize) MIN (length, left));
}

/* Where the window already has what is wanted, NULL otherwise. */
static const guint8 *
in_window (const ThInput *input, guint64 offset, gsize wanted)
{
  if (offset < input->start || offset - input->start > input->filled)
    return NULL;
  if (input->filled - (offset - input->start) < wanted)
    return NULL;
  return input->window + (offset - input->start);
}

ThBytes
th_input_peek (ThInput *input, guint64 offset, gsize wanted)
{
  const guint64 left = bytes_left (input, offset);
  const gsize most = (gsize) MIN (left, TH_INPUT_WINDOW);
  const guint8 *found;
  gssize got;

  if (most == 0)
    return (ThBytes){ input->window, 0 };
  if (input->memory != NULL && input->head_size == 0)
    return (ThBytes){ input->memory + offset, most };
  found = in_window (input, offset, CLAMP (wanted, 1, most));
  if (found != NULL)
    return (ThBytes){ found, input->filled - (gsize) (found - input->window) };
  input->filled = 0;
  got = fetch (input, offset, input->window, most);
  input->start = offset;
  input->filled = (gsize) MAX (got, 0);
  return (ThBytes){ input->window, input->filled };
}

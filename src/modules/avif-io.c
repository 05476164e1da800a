/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/avif-io.h"

/* Room for more, never beyond what the file has. */
static gboolean
make_room (ThAvifIo *io, gsize size)
{
  guint8 *larger;

  if (size <= io->capacity)
    return TRUE;
  larger = g_try_realloc (io->buffer, size);
  if (larger == NULL)
    return FALSE;
  io->buffer = larger;
  io->capacity = size;
  return TRUE;
}

static avifResult
read_part (avifIO *base, guint32 flags, guint64 offset, size_t size, avifROData *out)
{
  ThAvifIo *io = base->data;
  const guint64 all = th_input_size (io->input);
  gssize got;

  if (flags != 0 || offset > all)
    return AVIF_RESULT_IO_ERROR;
  size = MIN (size, all - offset);
  if (!make_room (io, size))
    return AVIF_RESULT_OUT_OF_MEMORY;
  got = th_input_read (io->input, offset, io->buffer, size);
  if (got < 0)
    return AVIF_RESULT_IO_ERROR;
  *out = (avifROData){ io->buffer, (gsize) got };
  return AVIF_RESULT_OK;
}

void
th_avif_io_init (ThAvifIo *io, ThInput *input)
{
  *io = (ThAvifIo){ .io = { .read = read_part, .sizeHint = th_input_size (input), .data = io },
                    .input = input };
}

void
th_avif_io_clear (ThAvifIo *io)
{
  g_clear_pointer (&io->buffer, g_free);
  io->capacity = 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/heif-io.h"

static int64_t
tell (void *data)
{
  return (int64_t) ((ThHeifIo *) data)->position;
}

/* All or nothing, as libheif wants it. */
static int
read_all (void *out, size_t size, void *data)
{
  ThHeifIo *io = data;
  const gssize got = th_input_read (io->input, io->position, out, size);

  if (got < 0 || (gsize) got != size)
    return 1;
  io->position += size;
  return 0;
}

static int
seek (int64_t position, void *data)
{
  ThHeifIo *io = data;

  if (position < 0 || (guint64) position > th_input_size (io->input))
    return 1;
  io->position = (guint64) position;
  return 0;
}

static enum heif_reader_grow_status
wait_for (int64_t size, void *data)
{
  const ThHeifIo *io = data;

  return size >= 0 && (guint64) size <= th_input_size (io->input)
             ? heif_reader_grow_status_size_reached
             : heif_reader_grow_status_size_beyond_eof;
}

const struct heif_reader th_heif_reader = { 1, tell, read_all, seek, wait_for };

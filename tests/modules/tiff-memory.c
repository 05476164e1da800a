/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tiff-memory.h"

#include <stdio.h>
#include <string.h>

static tmsize_t
read_bytes (thandle_t handle, void *buffer, tmsize_t size)
{
  TiffMemory *memory = handle;
  const guint64 left =
      memory->position < memory->bytes->len ? memory->bytes->len - memory->position : 0;
  const gsize n = MIN (left, (guint64) size);

  if (n > 0)
    memcpy (buffer, memory->bytes->data + memory->position, n);
  memory->position += n;
  return (tmsize_t) n;
}

static tmsize_t
write_bytes (thandle_t handle, void *buffer, tmsize_t size)
{
  TiffMemory *memory = handle;
  const guint64 end = memory->position + (guint64) size;
  const guint before = memory->bytes->len;

  g_assert_cmpuint (end, <, G_MAXUINT32);
  if (end > before)
    g_byte_array_set_size (memory->bytes, (guint) end);
  if (memory->position > before)
    memset (memory->bytes->data + before, 0, memory->position - before);
  memcpy (memory->bytes->data + memory->position, buffer, (gsize) size);
  memory->position = end;
  return size;
}

static toff_t
seek_to (thandle_t handle, toff_t offset, int whence)
{
  TiffMemory *memory = handle;
  const guint64 bases[] = {
    [SEEK_SET] = 0, [SEEK_CUR] = memory->position, [SEEK_END] = memory->bytes->len
  };

  memory->position = bases[whence] + offset;
  return memory->position;
}

static int
close_nothing (thandle_t handle)
{
  return 0;
}

static toff_t
size_of (thandle_t handle)
{
  const TiffMemory *memory = handle;

  return memory->bytes->len;
}

TIFF *
tiff_memory_open (TiffMemory *memory, const char *mode)
{
  return TIFFClientOpen ("memory", mode, memory, read_bytes, write_bytes, seek_to, close_nothing,
                         size_of, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-deflate.h"

#include <isa-l/igzip_lib.h>

#define LEVEL 2
/* What is not compressible grows by the heads of its blocks. */
#define SPARE_BYTES(n) ((n) / 16 + 1024)

typedef struct
{
  struct isal_zstream stream;
  guint8 level_buf[ISAL_DEF_LVL2_DEFAULT];
} Deflater;

static void
start (Deflater *deflater, const guint8 *raw, gsize raw_size)
{
  struct isal_zstream *stream = &deflater->stream;

  isal_deflate_init (stream);
  stream->level = LEVEL;
  stream->level_buf = deflater->level_buf;
  stream->level_buf_size = sizeof deflater->level_buf;
  stream->gzip_flag = IGZIP_ZLIB;
  stream->end_of_stream = 1;
  stream->next_in = (guint8 *) raw;
  stream->avail_in = (guint32) raw_size;
}

/* Into a buffer that grows as long as it is too small. */
static guint8 *
run (Deflater *deflater, gsize capacity)
{
  struct isal_zstream *stream = &deflater->stream;
  guint8 *out = NULL;

  while (stream->internal_state.state != ZSTATE_END)
    {
      guint8 *larger = capacity <= G_MAXUINT32 ? g_try_realloc (out, capacity) : (guint8 *) NULL;

      if (larger == NULL)
        break;
      out = larger;
      stream->next_out = out + stream->total_out;
      stream->avail_out = (guint32) capacity - stream->total_out;
      if (isal_deflate (stream) != COMP_OK)
        break;
      capacity += capacity / 2;
    }
  if (stream->internal_state.state != ZSTATE_END)
    g_clear_pointer (&out, g_free);
  return out;
}

guint8 *
th_deflate (const guint8 *raw, gsize raw_size, gsize *size)
{
  g_autofree Deflater *deflater = g_try_malloc (sizeof *deflater);
  guint8 *out;

  if (deflater == NULL || raw_size > G_MAXUINT32 / 2)
    return NULL;
  start (deflater, raw, raw_size);
  out = run (deflater, raw_size + SPARE_BYTES (raw_size));
  *size = deflater->stream.total_out;
  return out;
}

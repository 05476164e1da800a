/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/zip-stream.h"

#include <zlib.h>

#define SKIP_BYTES    16384u
#define LIBRARY_BYTES 65536u /* what zlib takes */
/* Ways back to the beginning: a picture is read from its start to its end, twice at the most. */
#define MOST_RETURNS 16u

struct _ThZipStream
{
  ThInput *packed; /* owned */
  guint64 size;
  z_stream z;
  gboolean started; /* z is to be ended */
  gboolean over;    /* nothing more comes */
  guint returns;
  guint64 from; /* of the next packed byte */
  guint64 at;   /* of the next one that comes out */
  guint8 skipped[SKIP_BYTES];
};

ThZipStream *
th_zip_stream_new (const ThInput *file, const ThZipEntry *entry)
{
  static const ThBytes nothing = { NULL, 0 };
  ThZipStream *stream;

  if (entry->size > TH_ZIP_STREAM_MOST)
    return NULL;
  stream = g_try_malloc0 (sizeof *stream);
  if (stream == NULL)
    return NULL;
  stream->size = entry->size;
  stream->packed = th_input_new_part (file, entry->offset, entry->packed, nothing);
  stream->started = inflateInit2 (&stream->z, -MAX_WBITS) == Z_OK;
  if (stream->packed != NULL && stream->started)
    return stream;
  th_zip_stream_free (stream);
  return NULL;
}

void
th_zip_stream_free (ThZipStream *stream)
{
  if (stream == NULL)
    return;
  if (stream->started)
    inflateEnd (&stream->z);
  g_clear_pointer (&stream->packed, th_input_free);
  g_free (stream);
}

gsize
th_zip_stream_bytes (void)
{
  return sizeof (ThZipStream) + th_input_bytes () + LIBRARY_BYTES;
}

/* How many of length bytes came. */
static gsize
unpack (ThZipStream *stream, guint8 *out, gsize length)
{
  stream->z.next_out = out;
  stream->z.avail_out = (uInt) length;
  while (stream->z.avail_out > 0 && !stream->over)
    {
      const ThBytes view = th_input_peek (stream->packed, stream->from, 1);
      int result;

      stream->z.next_in = (Bytef *) (gpointer) view.data;
      stream->z.avail_in = (uInt) view.size;
      result = inflate (&stream->z, Z_NO_FLUSH);
      stream->from += view.size - stream->z.avail_in;
      stream->over = result != Z_OK;
    }
  stream->at += length - stream->z.avail_out;
  return length - stream->z.avail_out;
}

static gboolean
go_back (ThZipStream *stream)
{
  if (stream->returns++ == MOST_RETURNS || inflateReset (&stream->z) != Z_OK)
    return FALSE;
  stream->from = stream->at = 0;
  stream->over = FALSE;
  return TRUE;
}

static gssize
make (gpointer user, guint64 offset, void *buffer, gsize length)
{
  ThZipStream *stream = user;
  gsize done = 0;

  if (offset < stream->at && !go_back (stream))
    return 0;
  while (stream->at < offset && !stream->over)
    unpack (stream, stream->skipped, (gsize) MIN (offset - stream->at, SKIP_BYTES));
  if (stream->at == offset)
    done = unpack (stream, buffer, length);
  return th_input_failed (stream->packed) ? -1 : (gssize) done;
}

ThInput *
th_zip_stream_input (ThZipStream *stream)
{
  return th_input_new_made (make, stream, stream->size);
}

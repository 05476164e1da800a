/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/psd-plane.h"

#include <string.h>

#define LEAST_ROOM 16384u

gsize
th_psd_row_bytes (const ThPsdHead *head)
{
  return (gsize) (((guint64) head->size.width * head->depth + 7) / 8);
}

/* PackBits makes a row longer by 1 in 128 at the worst; what is longer than twice as long is not
 * read to its end. */
gsize
th_psd_plane_room (const ThPsdHead *head)
{
  const gsize room = 2 * th_psd_row_bytes (head);

  return MAX (LEAST_ROOM, room);
}

static guint
bytes_of_count (const ThPsdHead *head)
{
  return head->large ? 4 : 2;
}

static guint32
count_at (const guint8 *counts, guint bytes)
{
  guint32 count = 0;

  for (guint i = 0; i < bytes; i++)
    count = count << 8 | counts[i];
  return count;
}

/* FALSE where the table is cut. */
static gboolean
sum_counts (ThInput *input, guint64 offset, guint64 n, guint bytes, guint64 *sum)
{
  const guint64 end = offset + n * bytes;

  while (offset < end)
    {
      const gsize wanted = (gsize) MIN (end - offset, TH_INPUT_WINDOW);
      const ThBytes view = th_input_peek (input, offset, wanted);
      gsize at = 0;

      for (; at + bytes <= MIN (view.size, wanted); at += bytes)
        *sum += count_at (view.data + at, bytes);
      if (at == 0)
        return FALSE;
      offset += at;
    }
  return TRUE;
}

gboolean
th_psd_find_planes (const ThPsdHead *head, ThInput *input, guint64 *offsets, guint n)
{
  const guint64 end = th_input_size (input);
  const guint64 rows = head->size.height;
  const guint bytes = bytes_of_count (head);
  guint64 at = head->pixels;

  if (head->compression == TH_PSD_RUNS)
    at += rows * bytes * head->channels;
  for (guint i = 0; i < n; i++)
    {
      offsets[i] = MIN (at, end);
      if (head->compression == TH_PSD_RAW)
        at += rows * th_psd_row_bytes (head);
      else if (at > end || !sum_counts (input, head->pixels + i * rows * bytes, rows, bytes, &at))
        at = G_MAXUINT64 / 2;
    }
  return at <= end;
}

gboolean
th_psd_plane_init (ThPsdPlane *plane, const ThPsdHead *head, ThInput *input, guint index,
                   guint64 offset)
{
  const guint bytes = bytes_of_count (head);

  *plane = (ThPsdPlane){
    .input = input,
    .row_bytes = th_psd_row_bytes (head),
    .packed = head->compression == TH_PSD_RUNS,
    .rows = head->size.height,
    .offset = offset,
    .room = th_psd_plane_room (head),
    .table = head->pixels + (guint64) index * head->size.height * bytes,
    .count_bytes = bytes,
  };
  plane->buffer = g_try_malloc (plane->room);
  return plane->buffer != NULL;
}

void
th_psd_plane_clear (ThPsdPlane *plane)
{
  g_clear_pointer (&plane->buffer, g_free);
}

/* Up to wanted bytes, which fit into the buffer; fewer at the end. */
static ThBytes
fetch (ThPsdPlane *plane, gsize wanted)
{
  gssize got;

  if (plane->filled - plane->at < wanted)
    {
      plane->filled -= plane->at;
      memmove (plane->buffer, plane->buffer + plane->at, plane->filled);
      plane->at = 0;
      got = th_input_read (plane->input, plane->offset, plane->buffer + plane->filled,
                           plane->room - plane->filled);
      plane->filled += (gsize) MAX (got, 0);
      plane->offset += (gsize) MAX (got, 0);
    }
  return (ThBytes){ plane->buffer + plane->at, MIN (wanted, plane->filled - plane->at) };
}

static void
skip (ThPsdPlane *plane, gsize n)
{
  const gsize here = MIN (n, plane->filled - plane->at);

  plane->at += here;
  plane->offset += n - here;
}

static gboolean
next_count (ThPsdPlane *plane, guint32 *count)
{
  gssize got;

  if (plane->count == plane->n_counts)
    {
      const guint64 left = MIN (plane->rows, TH_PSD_PLANE_COUNTS);

      got = th_input_read (plane->input, plane->table, plane->counts,
                           (gsize) left * plane->count_bytes);
      plane->count = 0;
      plane->n_counts = (guint) MAX (got, 0) / plane->count_bytes;
      plane->table += (guint64) plane->n_counts * plane->count_bytes;
    }
  if (plane->count == plane->n_counts)
    return FALSE;
  *count = count_at (plane->counts + plane->count++ * plane->count_bytes, plane->count_bytes);
  return TRUE;
}

/* PackBits: how much of out came, at most n. */
static gsize
unpack (ThBytes packed, guint8 *out, gsize n)
{
  gsize at = 0, done = 0;

  while (at < packed.size && done < n)
    {
      const guint code = packed.data[at++];
      const gsize length = code < 128 ? code + 1u : 257u - code;
      const gsize here = MIN (length, n - done);

      if (code == 128)
        continue;
      if (packed.size - at < (code < 128 ? here : 1))
        break;
      if (code < 128)
        memcpy (out + done, packed.data + at, here);
      else
        memset (out + done, packed.data[at], here);
      at += code < 128 ? here : 1;
      done += here;
    }
  return done;
}

static ThPsdRow
unpack_row (ThPsdPlane *plane, guint8 *row)
{
  guint32 count;
  ThBytes packed;
  gsize done;

  if (!next_count (plane, &count))
    return TH_PSD_ROW_MISSING;
  packed = fetch (plane, MIN (count, plane->room));
  done = unpack (packed, row, plane->row_bytes);
  if (done < plane->row_bytes && packed.size < MIN (count, plane->room))
    return TH_PSD_ROW_MISSING;
  skip (plane, count);
  memset (row + done, 0, plane->row_bytes - done);
  return done == plane->row_bytes ? TH_PSD_ROW_WHOLE : TH_PSD_ROW_DIRTY;
}

ThPsdRow
th_psd_plane_row (ThPsdPlane *plane, guint8 *row)
{
  ThPsdRow result = TH_PSD_ROW_WHOLE;
  ThBytes bytes;

  if (plane->rows == 0)
    return TH_PSD_ROW_MISSING;
  if (plane->packed)
    {
      result = unpack_row (plane, row);
      plane->rows--;
      return result;
    }
  bytes = fetch (plane, plane->row_bytes);
  if (bytes.size < plane->row_bytes)
    return TH_PSD_ROW_MISSING;
  memcpy (row, bytes.data, bytes.size);
  skip (plane, bytes.size);
  plane->rows--;
  return result;
}

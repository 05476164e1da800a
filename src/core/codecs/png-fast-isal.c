/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/png-fast.h"

#include <isa-l/igzip_lib.h>
#include <string.h>

#include "core/codecs/png-unfilter.h"

#define INPUT_BYTES 32768u
/* Inflated at a time: whole rows, at least one. */
#define BATCH_BYTES 65536u
/* The heap's own: headers and whole pages. */
#define SPARE_BYTES 32768u

struct _ThPngFast
{
  const ThPngHead *head;
  ThPngIdat idat;
  gsize stride;      /* filter byte and row */
  guint step;        /* bytes from a sample to that of the pixel before */
  guint32 rows_left; /* of the picture, not inflated yet */
  guint batch_rows;  /* that fit into batch */
  gboolean ended;    /* no more input */
  guint ready;       /* rows in batch */
  guint next;        /* row in batch */
  guint8 *above;     /* the last row of the batch before, TH_PNG_SLACK bytes more */
  guint8 *batch;     /* likewise */
  struct inflate_state zip;
  guint8 input[INPUT_BYTES];
};

static guint
rows_in_batch (const ThPngHead *head, gsize stride)
{
  return (guint) CLAMP (BATCH_BYTES / stride, 1, head->size.height);
}

guint64
th_png_fast_bytes (const ThPngHead *head)
{
  gsize stride = th_png_head_row_bytes (head, head->size.width) + 1;

  if (head->interlaced)
    return 0;
  return sizeof (ThPngFast) + (guint64) stride * (rows_in_batch (head, stride) + 1) + SPARE_BYTES;
}

/* The two bytes of zlib's header; a preset dictionary is nothing that PNG may have. */
static gboolean
take_header (ThPngFast *fast)
{
  guint8 header[2];

  return th_png_idat_read (&fast->idat, header, 2) == 2 && (header[0] & 0x0f) == 8
         && (header[1] & 0x20) == 0 && ((guint) header[0] << 8 | header[1]) % 31 == 0;
}

ThPngFast *
th_png_fast_new (const ThPngHead *head, ThInput *input)
{
  gsize row_bytes = th_png_head_row_bytes (head, head->size.width);
  guint pixel_bytes = th_png_head_pixel_bits (head) / 8;
  ThPngFast *fast;

  if (head->interlaced || row_bytes > G_MAXUINT32 / 2)
    return NULL;
  fast = g_try_malloc (sizeof *fast);
  if (fast == NULL)
    return NULL;
  fast->head = head;
  fast->stride = row_bytes + 1;
  fast->step = MAX (pixel_bytes, 1);
  fast->rows_left = head->size.height;
  fast->batch_rows = rows_in_batch (head, fast->stride);
  fast->ended = FALSE;
  fast->ready = fast->next = 0;
  fast->above = g_try_malloc0 (row_bytes + TH_PNG_SLACK);
  fast->batch = g_try_malloc (fast->stride * fast->batch_rows + TH_PNG_SLACK);
  isal_inflate_init (&fast->zip);
  fast->zip.crc_flag = ISAL_DEFLATE;
  th_png_idat_init (&fast->idat, input, head);
  if (fast->above == NULL || fast->batch == NULL || !take_header (fast))
    {
      th_png_fast_free (fast);
      return NULL;
    }
  return fast;
}

void
th_png_fast_free (ThPngFast *fast)
{
  g_free (fast->above);
  g_free (fast->batch);
  g_free (fast);
}

/* Inflates up to length bytes: how many there were, none where anything in them is wrong. */
static gsize
inflate_into (ThPngFast *fast, guint8 *out, gsize length)
{
  fast->zip.next_out = out;
  fast->zip.avail_out = (guint32) length;
  while (fast->zip.avail_out > 0)
    {
      guint32 before = fast->zip.avail_out;

      if (fast->zip.avail_in == 0)
        {
          fast->zip.next_in = fast->input;
          fast->zip.avail_in = (guint32) th_png_idat_read (&fast->idat, fast->input, INPUT_BYTES);
          fast->ended = fast->zip.avail_in == 0;
        }
      if (isal_inflate (&fast->zip) != ISAL_DECOMP_OK)
        return 0;
      if (fast->zip.avail_out == before
          && (fast->ended || fast->zip.block_state == ISAL_BLOCK_FINISH))
        break;
    }
  return length - fast->zip.avail_out;
}

static gboolean
next_batch (ThPngFast *fast)
{
  guint wanted = MIN (fast->batch_rows, fast->rows_left);

  if (fast->ready > 0)
    memcpy (fast->above, fast->batch + (fast->ready - 1) * fast->stride + 1, fast->stride - 1);
  fast->ready = (guint) (inflate_into (fast, fast->batch, wanted * fast->stride) / fast->stride);
  fast->next = 0;
  fast->rows_left -= wanted;
  fast->ready = th_png_unfilter (fast->batch, fast->stride, fast->ready, fast->step, fast->above);
  /* What did not come, or not in order, is libpng's. */
  if (fast->ready < wanted)
    fast->rows_left = 0;
  return fast->ready > 0;
}

const guint8 *
th_png_fast_next (ThPngFast *fast)
{
  if (fast->next == fast->ready && (fast->rows_left == 0 || !next_batch (fast)))
    return NULL;
  return fast->batch + fast->next++ * fast->stride + 1;
}

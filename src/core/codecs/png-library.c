/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/png-library.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

/* libpng is given a file of our own making: the signature's rest, IHDR, PLTE, tRNS and the picture
 * in chunks of this size at the most. It so never sees a chunk that it could inflate, keep or
 * stumble over, and a truncated chunk ends where the data end. */
#define FEED_BYTES 32768u
#define CHUNK_MORE 12u
/* zlib's window and state, libpng's structs and its IDAT buffer: 70 KiB when measured. */
#define LIBRARY_BYTES (128u * 1024u)

struct _ThPngLibrary
{
  const ThPngHead *head;
  ThPngIdat idat;
  png_structp png;
  png_infop info;
  guint8 *row;
  gboolean started;
  gboolean ended;
  gboolean no_memory;
  char message[96];
  gsize used; /* of what feed holds */
  gsize filled;
  guint8 feed[FEED_BYTES + CHUNK_MORE];
};

/* Lays out one chunk at the end of the feed; CRCs are not looked at. */
static void
append_chunk (ThPngLibrary *rows, const char *type, const guint8 *payload, gsize length)
{
  guint32 big_endian = GUINT32_TO_BE ((guint32) length);
  guint8 *out = rows->feed + rows->filled;

  memcpy (out, &big_endian, 4);
  memcpy (out + 4, type, 4);
  if (payload != NULL)
    memcpy (out + 8, payload, length);
  memset (out + 8 + length, 0, 4);
  rows->filled += length + CHUNK_MORE;
}

static void
fill_head (ThPngLibrary *rows)
{
  const ThPngHead *head = rows->head;
  guint32 sides[2] = { GUINT32_TO_BE (head->size.width), GUINT32_TO_BE (head->size.height) };
  guint8 ihdr[13] = { 0 };

  memcpy (ihdr, sides, sizeof sides);
  ihdr[8] = head->depth;
  ihdr[9] = (guint8) head->color;
  ihdr[12] = head->interlaced ? 1 : 0;
  append_chunk (rows, "IHDR", ihdr, sizeof ihdr);
  if (head->color == TH_PNG_PALETTE)
    append_chunk (rows, "PLTE", head->palette,
                  (gsize) MIN (head->n_palette, 1u << head->depth) * 3);
}

static void
refill (ThPngLibrary *rows)
{
  gsize length = th_png_idat_read (&rows->idat, rows->feed + 8, FEED_BYTES);

  rows->used = 0;
  rows->filled = 0;
  append_chunk (rows, length > 0 ? "IDAT" : "IEND", NULL, length);
}

static void
on_read (png_structp png, png_bytep buffer, size_t length)
{
  ThPngLibrary *rows = png_get_io_ptr (png);

  while (length > 0)
    {
      gsize n = MIN (length, rows->filled - rows->used);

      memcpy (buffer, rows->feed + rows->used, n);
      rows->used += n;
      buffer += n;
      length -= n;
      if (length > 0)
        refill (rows);
    }
}

static void
on_error (png_structp png, png_const_charp message)
{
  ThPngLibrary *rows = png_get_error_ptr (png);

  g_strlcpy (rows->message, message, sizeof rows->message);
  png_longjmp (png, 1);
}

static void
on_warning (png_structp png, png_const_charp message)
{
}

static png_voidp
on_malloc (png_structp png, png_alloc_size_t size)
{
  ThPngLibrary *rows = png_get_mem_ptr (png);
  void *memory = g_try_malloc (size);

  rows->no_memory = rows->no_memory || memory == NULL;
  return memory;
}

static void
on_free (png_structp png, png_voidp memory)
{
  g_free (memory);
}

/* The only place that libpng's errors jump back to; no local lives across it. */
static gboolean
guarded (ThPngLibrary *rows, void (*step) (ThPngLibrary *rows))
{
  if (setjmp (png_jmpbuf (rows->png)) != 0)
    return FALSE;
  step (rows);
  return TRUE;
}

static void
start_step (ThPngLibrary *rows)
{
  png_structp png = rows->png;

  png_set_read_fn (png, rows, on_read);
  png_set_sig_bytes (png, 8);
  png_set_user_limits (png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max (png, FEED_BYTES);
  png_set_crc_action (png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
  png_set_option (png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
  png_set_option (png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
  png_read_info (png, rows->info);
  png_start_read_image (png);
}

static void
row_step (ThPngLibrary *rows)
{
  png_read_row (rows->png, rows->row, NULL);
}

ThPngLibrary *
th_png_library_new (const ThPngHead *head, ThInput *input)
{
  g_autoptr (ThPngLibrary) rows = g_try_new0 (ThPngLibrary, 1);

  if (rows == NULL)
    return NULL;
  rows->head = head;
  th_png_idat_init (&rows->idat, input, head);
  rows->row = g_try_malloc (th_png_head_row_bytes (head, head->size.width));
  rows->png = png_create_read_struct_2 (PNG_LIBPNG_VER_STRING, rows, on_error, on_warning, rows,
                                        on_malloc, on_free);
  if (rows->png != NULL)
    rows->info = png_create_info_struct (rows->png);
  if (rows->row == NULL || rows->info == NULL)
    return NULL;
  fill_head (rows);
  return g_steal_pointer (&rows);
}

void
th_png_library_free (ThPngLibrary *rows)
{
  if (rows->png != NULL)
    png_destroy_read_struct (&rows->png, &rows->info, NULL);
  g_free (rows->row);
  g_free (rows);
}

guint64
th_png_library_bytes (const ThPngHead *head)
{
  /* One row here; libpng keeps two, each with room for a filter byte and alignment. */
  return sizeof (ThPngLibrary) + LIBRARY_BYTES
         + 3 * ((guint64) th_png_head_row_bytes (head, head->size.width) + 256);
}

const guint8 *
th_png_library_next (ThPngLibrary *rows)
{
  /* After an error libpng must not be asked again. */
  if (!rows->ended && !rows->started)
    rows->ended = !guarded (rows, start_step);
  rows->started = TRUE;
  if (!rows->ended)
    rows->ended = !guarded (rows, row_step);
  return rows->ended ? NULL : rows->row;
}

ThStatus
th_png_library_failure (const ThPngLibrary *rows, GError **error)
{
  ThStatus status = rows->no_memory                      ? TH_STATUS_NO_MEMORY
                    : th_input_failed (rows->idat.input) ? TH_STATUS_IO
                                                         : TH_STATUS_CORRUPT;

  g_set_error (error, TH_ERROR, th_status_to_error (status), "PNG: %s",
               status == TH_STATUS_CORRUPT ? rows->message : th_status_describe (status));
  return status;
}

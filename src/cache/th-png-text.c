/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-png-text.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/th-bytes.h"
#include "base/th-error.h"

/* The text of every thumbnail seen so far lies in this much, so that one read suffices. */
#define FIRST_READ 4096

#define SIGNATURE       "\x89PNG\r\n\x1a\n"
#define SIGNATURE_BYTES 8
#define CHUNK_OVERHEAD  12 /* length, type and CRC */
#define IEND            "\0\0\0\0IEND\xae\x42\x60\x82"
#define MAX_KEYWORD     79

struct _ThPngText
{
  ThSize size;
  gsize length;
  char data[]; /* keyword NUL value NUL, as often as there are entries */
};

typedef enum
{
  WALK_DONE,
  WALK_MORE, /* the end of head came before IDAT */
  WALK_BAD,
} WalkEnd;

typedef struct
{
  ThBytes checked; /* type and data: what the CRC is of */
  ThBytes data;
  guint32 crc;
  gsize end; /* offset of the next chunk */
} Chunk;

static gboolean
is_type (const Chunk *chunk, const char *name)
{
  return th_bytes_starts_with (chunk->checked, name, 4);
}

static WalkEnd
next_chunk (ThBytes head, guint64 file_size, gsize offset, Chunk *chunk)
{
  guint32 length;

  if (!th_bytes_u32 (head, offset, TRUE, &length)
      || !th_bytes_slice (head, offset + 4, 4, &chunk->checked))
    return WALK_MORE;
  if (length > G_MAXINT32 || (guint64) offset + CHUNK_OVERHEAD + length > file_size)
    return WALK_BAD;
  if (is_type (chunk, "IDAT"))
    return WALK_DONE;
  chunk->end = offset + CHUNK_OVERHEAD + length;
  if (!th_bytes_slice (head, offset + 4, (gsize) length + 4, &chunk->checked)
      || !th_bytes_slice (head, offset + 8, length, &chunk->data)
      || !th_bytes_u32 (head, chunk->end - 4, TRUE, &chunk->crc))
    return WALK_MORE;
  return WALK_DONE;
}

static gboolean
crc_matches (const Chunk *chunk)
{
  return chunk->crc == libdeflate_crc32 (0, chunk->checked.data, chunk->checked.size);
}

static gboolean
read_size (const Chunk *chunk, ThSize *size)
{
  return is_type (chunk, "IHDR") && chunk->data.size == 13 && crc_matches (chunk)
         && th_bytes_u32 (chunk->data, 0, TRUE, &size->width)
         && th_bytes_u32 (chunk->data, 4, TRUE, &size->height) && size->width >= 1
         && size->width <= G_MAXINT32 && size->height >= 1 && size->height <= G_MAXINT32;
}

/* A chunk without keyword, or with a NUL inside the value, is passed over. */
static void
add_text (ThPngText *text, ThBytes data)
{
  const guint8 *nul = data.size > 0 ? memchr (data.data, 0, data.size) : NULL;
  gsize keyword = nul ? (gsize) (nul - data.data) : 0;

  if (keyword < 1 || keyword > MAX_KEYWORD || memchr (nul + 1, 0, data.size - keyword - 1) != NULL)
    return;
  memcpy (text->data + text->length, data.data, data.size);
  text->length += data.size;
  text->data[text->length++] = '\0';
}

static WalkEnd
walk (ThBytes head, guint64 file_size, ThPngText *text)
{
  Chunk chunk;
  WalkEnd end;
  gsize offset = SIGNATURE_BYTES;

  if (!th_bytes_starts_with (head, SIGNATURE, SIGNATURE_BYTES))
    return WALK_BAD;
  end = next_chunk (head, file_size, offset, &chunk);
  if (end != WALK_DONE)
    return end;
  if (!read_size (&chunk, &text->size))
    return WALK_BAD;
  for (;;)
    {
      offset = chunk.end;
      end = next_chunk (head, file_size, offset, &chunk);
      if (end != WALK_DONE || is_type (&chunk, "IDAT"))
        return end;
      if (is_type (&chunk, "IEND"))
        return WALK_BAD;
      if (!is_type (&chunk, "tEXt"))
        continue;
      if (!crc_matches (&chunk))
        return WALK_BAD;
      add_text (text, chunk.data);
    }
}

/* What is kept of a chunk is shorter than the chunk, so head.size bytes hold all of it. */
static ThPngText *
try_walk (ThBytes head, guint64 file_size, WalkEnd *end)
{
  g_autoptr (ThPngText) text = g_malloc (sizeof (ThPngText) + head.size);

  text->length = 0;
  *end = walk (head, file_size, text);
  return *end == WALK_DONE ? g_steal_pointer (&text) : NULL;
}

static gboolean
is_iend (ThBytes tail)
{
  return tail.size == CHUNK_OVERHEAD && memcmp (tail.data, IEND, CHUNK_OVERHEAD) == 0;
}

static ThPngText *
not_whole (GError **error)
{
  g_set_error_literal (error, TH_ERROR, TH_ERROR_INVALID_FORMAT, "not a whole PNG file");
  return NULL;
}

ThPngText *
th_png_text_parse (const guint8 *data, gsize size, GError **error)
{
  ThBytes all = { data, size };
  ThBytes head = { data, MIN (size, TH_PNG_TEXT_LIMIT) };
  g_autoptr (ThPngText) text = NULL;
  WalkEnd end;
  ThBytes tail;

  text = try_walk (head, size, &end);
  if (!text || !th_bytes_slice (all, size - CHUNK_OVERHEAD, CHUNK_OVERHEAD, &tail)
      || !is_iend (tail))
    return not_whole (error);
  return g_steal_pointer (&text);
}

static gboolean
read_at (int fd, guint8 *buffer, gsize size, guint64 offset)
{
  gsize done = 0;

  while (done < size)
    {
      ssize_t n = pread (fd, buffer + done, size - done, (off_t) (offset + done));

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      done += (gsize) n;
    }
  return TRUE;
}

static gboolean
ends_in_iend (int fd, ThBytes head, guint64 file_size)
{
  guint8 buffer[CHUNK_OVERHEAD];
  guint64 offset = file_size - CHUNK_OVERHEAD;
  ThBytes tail = { buffer, sizeof buffer };

  if (file_size == head.size)
    return th_bytes_slice (head, (gsize) offset, CHUNK_OVERHEAD, &tail) && is_iend (tail);
  return read_at (fd, buffer, sizeof buffer, offset) && is_iend (tail);
}

/* Walks over the first limit bytes at the most. buffer holds that much. */
static ThPngText *
read_head (int fd, guint64 file_size, guint8 *buffer, gsize limit, WalkEnd *end)
{
  g_autoptr (ThPngText) text = NULL;
  ThBytes head = { buffer, (gsize) MIN (file_size, limit) };

  *end = WALK_BAD;
  if (!read_at (fd, buffer, head.size, 0))
    return NULL;
  text = try_walk (head, file_size, end);
  return text && ends_in_iend (fd, head, file_size) ? g_steal_pointer (&text) : NULL;
}

ThPngText *
th_png_text_read_fd (int fd, GError **error)
{
  guint8 first[FIRST_READ];
  g_autofree guint8 *all = NULL;
  ThPngText *text;
  struct stat st;
  WalkEnd end;

  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode) || st.st_size < SIGNATURE_BYTES)
    return not_whole (error);
  text = read_head (fd, (guint64) st.st_size, first, sizeof first, &end);
  if (!text && end == WALK_MORE && st.st_size > FIRST_READ)
    {
      all = g_malloc (TH_PNG_TEXT_LIMIT);
      text = read_head (fd, (guint64) st.st_size, all, TH_PNG_TEXT_LIMIT, &end);
    }
  return text ? text : not_whole (error);
}

/* Looking is no use of a thumbnail, and a written access time would cost a write. Only the owner
 * may ask for that. */
static int
open_quietly (const char *path)
{
  int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
  int fd = open (path, flags | O_NOATIME);

  return fd < 0 && errno == EPERM ? open (path, flags) : fd;
}

static ThPngText *
not_opened (const char *path, int code, GError **error)
{
  g_autofree char *shown = NULL;

  /* A symlink, or a socket or device without a driver. */
  if (code == ELOOP || code == ENXIO || code == ENODEV)
    return not_whole (error);
  shown = g_filename_display_name (path);
  g_set_error (error, G_FILE_ERROR, (int) g_file_error_from_errno (code), "%s: %s", shown,
               g_strerror (code));
  return NULL;
}

int
th_png_text_open (const char *path, GError **error)
{
  int fd = open_quietly (path);

  if (fd < 0)
    not_opened (path, errno, error);
  return fd;
}

ThPngText *
th_png_text_read (const char *path, GError **error)
{
  int fd = th_png_text_open (path, error);
  ThPngText *text;

  if (fd < 0)
    return NULL;
  text = th_png_text_read_fd (fd, error);
  close (fd);
  return text;
}

void
th_png_text_free (ThPngText *text)
{
  g_free (text);
}

gboolean
th_png_text_next (const ThPngText *text, gsize *at, const char **keyword, const char **value)
{
  if (*at >= text->length)
    return FALSE;
  *keyword = text->data + *at;
  *value = *keyword + strlen (*keyword) + 1;
  *at = (gsize) (*value + strlen (*value) + 1 - text->data);
  return TRUE;
}

const char *
th_png_text_get (const ThPngText *text, const char *keyword)
{
  const char *key, *value;
  gsize at = 0;

  while (th_png_text_next (text, &at, &key, &value))
    {
      if (strcmp (key, keyword) == 0)
        return value;
    }
  return NULL;
}

ThSize
th_png_text_size (const ThPngText *text)
{
  return text->size;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/th-error.h"
#include "cache/th-png-text.h"
#include "cache/th-png-write.h"

#define HEAD_BYTES 33 /* signature and IHDR */

/* A whole file with one entry and so many pixels of noise. */
static GByteArray *
make_file (guint32 side, const char *value)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (24);
  g_autofree guint8 *pixels = g_malloc (side * side * 3);
  ThImage image = { { side, side }, 3, side * 3, pixels };
  const ThPngTextEntry entry = { "Thumb::URI", value };
  g_autoptr (ThPngBody) body = NULL;

  for (guint32 i = 0; i < side * side * 3; i++)
    pixels[i] = (guint8) g_rand_int (rand);
  body = th_png_encode (&image);
  return g_bytes_unref_to_array (th_png_assemble (body, &entry, 1));
}

static guint32
crc (const guint8 *data, gsize size)
{
  guint32 sum = 0xffffffff;

  for (gsize i = 0; i < size; i++)
    {
      sum ^= data[i];
      for (int bit = 0; bit < 8; bit++)
        sum = (sum >> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    }
  return ~sum;
}

/* Puts a chunk in at an offset; returns the offset behind it. */
static guint
insert_chunk (GByteArray *file, guint offset, const char *type, const void *data, guint size)
{
  g_autoptr (GByteArray) chunk = g_byte_array_new ();
  guint32 length = GUINT32_TO_BE (size);
  guint32 sum;
  guint old = file->len;

  g_byte_array_append (chunk, (const guint8 *) &length, 4);
  g_byte_array_append (chunk, (const guint8 *) type, 4);
  g_byte_array_append (chunk, data, size);
  sum = GUINT32_TO_BE (crc (chunk->data + 4, chunk->len - 4));
  g_byte_array_append (chunk, (const guint8 *) &sum, 4);
  g_byte_array_set_size (file, old + chunk->len);
  memmove (file->data + offset + chunk->len, file->data + offset, old - offset);
  memcpy (file->data + offset, chunk->data, chunk->len);
  return offset + chunk->len;
}

static void
expect (const GByteArray *file, const char *value)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ThPngText) text = th_png_text_parse (file->data, file->len, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (th_png_text_get (text, "Thumb::URI"), ==, value);
}

static void
expect_bad (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (th_png_text_parse (data, size, &error));
  g_assert_error (error, TH_ERROR, TH_ERROR_INVALID_FORMAT);
}

static void
test_good (void)
{
  g_autoptr (GByteArray) file = make_file (8, "file:///a");

  expect (file, "file:///a");
}

static void
test_every_prefix (void)
{
  g_autoptr (GByteArray) file = make_file (8, "file:///a");

  for (guint size = 0; size < file->len; size++)
    {
      /* Its own block, so that a read past the end is seen. */
      g_autofree guint8 *copy = g_memdup2 (file->data, size);

      expect_bad (copy, size);
    }
  g_byte_array_append (file, (const guint8 *) "x", 1);
  expect_bad (file->data, file->len);
}

/* Before the pixels, every flipped bit is noticed. */
static void
test_every_bit (void)
{
  g_autoptr (GByteArray) file = make_file (8, "file:///a");
  guint head = HEAD_BYTES + 12 + (guint) strlen ("Thumb::URI") + 1 + (guint) strlen ("file:///a");

  for (guint i = 0; i < head * 8; i++)
    {
      g_autoptr (ThPngText) text = NULL;

      file->data[i / 8] ^= (guint8) (1u << i % 8);
      text = th_png_text_parse (file->data, file->len, NULL);
      g_assert_true (!text || !th_png_text_get (text, "Thumb::URI"));
      file->data[i / 8] ^= (guint8) (1u << i % 8);
    }
}

static void
test_odd_chunks (void)
{
  g_autoptr (GByteArray) file = make_file (8, "file:///late");
  guint at = HEAD_BYTES;

  at = insert_chunk (file, at, "tEXt", "", 0);
  at = insert_chunk (file, at, "tEXt", "Thumb::URI", 10);       /* no NUL */
  at = insert_chunk (file, at, "tEXt", "Thumb::URI\0a\0b", 14); /* one too many */
  at = insert_chunk (file, at, "tEXt", "\0no keyword", 11);
  at = insert_chunk (file, at, "zTXt", "Thumb::URI\0\0x", 13);
  at = insert_chunk (file, at, "tIME", "1234567", 7);
  expect (file, "file:///late");
  insert_chunk (file, at, "tEXt", "Thumb::URI\0first", 16);
  expect (file, "first");
}

static void
test_text_after_pixels (void)
{
  g_autoptr (GByteArray) file = make_file (8, "x\ny"); /* left out by the writer */

  expect (file, NULL);
  insert_chunk (file, file->len - 12, "tEXt", "Thumb::URI\0late", 15);
  expect (file, NULL);
}

static void
test_bounded (void)
{
  g_autoptr (GByteArray) file = make_file (8, "file:///a");
  g_autofree guint8 *filler = g_malloc0 (TH_PNG_TEXT_LIMIT);
  guint head = file->len;

  insert_chunk (file, HEAD_BYTES, "fiLl", filler, 60000);
  expect (file, "file:///a");
  insert_chunk (file, HEAD_BYTES, "fiLl", filler, TH_PNG_TEXT_LIMIT - 60000);
  g_assert_cmpuint (file->len, >, head + TH_PNG_TEXT_LIMIT);
  expect_bad (file->data, file->len);
}

static void
test_bad_header (void)
{
  static const guint8 zero[13] = { 0, 0, 0, 0, 0, 0, 0, 8, 8, 2 };
  static const guint8 huge[13] = { 0x80, 0, 0, 0, 0, 0, 0, 8, 8, 2 };
  g_autoptr (GByteArray) file = make_file (8, "file:///a");

  g_byte_array_remove_range (file, 8, HEAD_BYTES - 8);
  expect_bad (file->data, file->len);
  insert_chunk (file, 8, "IHDR", zero, 13);
  expect_bad (file->data, file->len);
  g_byte_array_remove_range (file, 8, HEAD_BYTES - 8);
  insert_chunk (file, 8, "IHDR", huge, 13);
  expect_bad (file->data, file->len);
}

typedef struct
{
  char *folder;
  char *path;
} Place;

static void
place_set_up (Place *place, gconstpointer data)
{
  place->folder = g_dir_make_tmp ("thimble-text-XXXXXX", NULL);
  g_assert_nonnull (place->folder);
  place->path = g_build_filename (place->folder, "x.png", NULL);
}

static void
place_tear_down (Place *place, gconstpointer data)
{
  g_remove (place->path);
  g_assert_cmpint (g_rmdir (place->folder), ==, 0);
  g_free (place->folder);
  g_free (place->path);
}

static void
save (Place *place, const GByteArray *file)
{
  g_assert_true (g_file_set_contents (place->path, (const char *) file->data, file->len, NULL));
}

static void
expect_bad_file (const char *path)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (th_png_text_read (path, &error));
  g_assert_error (error, TH_ERROR, TH_ERROR_INVALID_FORMAT);
}

/* Small and larger than the first read; text within and behind it. */
static void
test_file (Place *place, gconstpointer data)
{
  g_autofree guint8 *filler = g_malloc0 (60000);
  const guint32 sides[] = { 1, 8, 300 };

  for (gsize i = 0; i < G_N_ELEMENTS (sides); i++)
    {
      g_autoptr (GByteArray) file = make_file (sides[i], "file:///a");

      for (int round = 0; round < 2; round++)
        {
          g_autoptr (ThPngText) text = NULL;

          save (place, file);
          text = th_png_text_read (place->path, NULL);
          g_assert_nonnull (text);
          g_assert_cmpstr (th_png_text_get (text, "Thumb::URI"), ==, "file:///a");
          insert_chunk (file, HEAD_BYTES, "fiLl", filler, 60000);
        }
      g_byte_array_set_size (file, file->len - 1);
      save (place, file);
      expect_bad_file (place->path);
    }
}

static void
test_file_kinds (Place *place, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd;

  g_assert_null (th_png_text_read ("/nowhere/\xff", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_true (g_file_set_contents (place->path, "", 0, NULL));
  expect_bad_file (place->path);
  g_unlink (place->path);
  g_assert_cmpint (mkfifo (place->path, 0600), ==, 0);
  expect_bad_file (place->path);
  g_unlink (place->path);
  g_assert_cmpint (g_mkdir (place->path, 0700), ==, 0);
  expect_bad_file (place->path);
  g_rmdir (place->path);
  g_assert_cmpint (symlink ("/dev/zero", place->path), ==, 0);
  expect_bad_file (place->path);
  g_unlink (place->path);
  g_assert_cmpuint (g_strlcpy (address.sun_path, place->path, sizeof address.sun_path), <,
                    sizeof address.sun_path);
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  g_assert_cmpint (bind (fd, (const struct sockaddr *) &address, sizeof address), ==, 0);
  expect_bad_file (place->path);
  close (fd);
  expect_bad_file ("/dev/null");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/png-text/good", test_good);
  g_test_add_func ("/png-text/every-prefix", test_every_prefix);
  g_test_add_func ("/png-text/every-bit", test_every_bit);
  g_test_add_func ("/png-text/odd-chunks", test_odd_chunks);
  g_test_add_func ("/png-text/text-after-pixels", test_text_after_pixels);
  g_test_add_func ("/png-text/bounded", test_bounded);
  g_test_add_func ("/png-text/bad-header", test_bad_header);
  g_test_add ("/png-text/file", Place, NULL, place_set_up, test_file, place_tear_down);
  g_test_add ("/png-text/file-kinds", Place, NULL, place_set_up, test_file_kinds, place_tear_down);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JPEG codec's own storage against libjpeg's, and files that are made to hurt. */
#include "config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/codecs/jpeg-coefs.h"
#include "core/th-codec.h"
#include "jpeg-maker.h"

extern const ThCodec th_codec_jpeg;

/* libjpeg-turbo 3 opens lossless pictures and leaves them as large as they are; older libraries
 * refuse them themselves, so this stands in for it. */
static gboolean leaves_size;

void
jpeg_calc_output_dimensions (j_decompress_ptr cinfo)
{
  void (*own) (j_decompress_ptr);

  *(void **) &own = dlsym (RTLD_NEXT, "jpeg_calc_output_dimensions");
  own (cinfo);
  if (!leaves_size)
    return;
  cinfo->output_width = cinfo->image_width;
  cinfo->output_height = cinfo->image_height;
}

typedef struct
{
  ThSink base;
  guint32 rows;
} Counter;

static gboolean
count_rows (ThSink *sink, const void *rows, gsize stride, guint32 n)
{
  ((Counter *) sink)->rows += n;
  return TRUE;
}

/* The whole way at full size; how many rows came. */
static guint32
decode (const GByteArray *jpeg, ThStatus *status, char **message)
{
  g_autoptr (ThInput) input = th_input_new_bytes (jpeg->data, jpeg->len);
  g_autoptr (GError) error = NULL;
  Counter counter = { .base = { count_rows } };
  ThSession *session = NULL;
  ThLimits limits;
  ThPlan plan;

  th_limits_init (&limits);
  *status = th_codec_jpeg.open (input, &limits, &session, &error);
  if (*status == TH_STATUS_OK)
    {
      ThSize full = th_codec_jpeg.header (session)->size;

      g_assert_true (th_codec_jpeg.plan (session, &full, 1, &plan));
      *status = th_codec_jpeg.decode (session, &plan, &counter.base, &error);
      th_codec_jpeg.close (session);
    }
  *message = g_strdup (error != NULL ? error->message : "");
  return counter.rows;
}

/* Everything of a file at one scale by libjpeg alone, all scans read; with our storage or its own.
 */
static GByteArray *
read_all (const GByteArray *jpeg, guint scale, gboolean packed)
{
  struct jpeg_decompress_struct cinfo;
  struct jpeg_error_mgr errors;
  GByteArray *pixels = g_byte_array_new ();
  ThJpegCoefs coefs;
  JSAMPROW row;

  cinfo.err = jpeg_std_error (&errors);
  jpeg_create_decompress (&cinfo);
  jpeg_mem_src (&cinfo, jpeg->data, jpeg->len);
  jpeg_read_header (&cinfo, TRUE);
  cinfo.scale_num = scale;
  cinfo.scale_denom = 8;
  cinfo.do_block_smoothing = FALSE;
  cinfo.buffered_image = TRUE;
  if (packed)
    th_jpeg_coefs_use (&coefs, &cinfo);
  jpeg_start_decompress (&cinfo);
  while (jpeg_consume_input (&cinfo) != JPEG_REACHED_EOI)
    continue;
  jpeg_start_output (&cinfo, cinfo.input_scan_number);
  row = g_malloc ((gsize) cinfo.output_width * (gsize) cinfo.output_components);
  while (cinfo.output_scanline < cinfo.output_height)
    {
      jpeg_read_scanlines (&cinfo, &row, 1);
      g_byte_array_append (pixels, row, cinfo.output_width * (guint) cinfo.output_components);
    }
  g_free (row);
  jpeg_destroy_decompress (&cinfo);
  return pixels;
}

static const JpegRecipe many_scans[] = {
  { .width = 147, .height = 101, .stored = JCS_YCbCr, .h = 2, .v = 2, .progressive = TRUE },
  { .width = 147, .height = 101, .stored = JCS_YCbCr, .h = 2, .v = 1, .progressive = TRUE },
  { .width = 147, .height = 101, .stored = JCS_YCbCr, .h = 1, .v = 2, .progressive = TRUE },
  { .width = 147, .height = 101, .stored = JCS_YCbCr, .progressive = TRUE, .restart = 2 },
  { .width = 147, .height = 101, .stored = JCS_GRAYSCALE, .h = 2, .v = 2, .progressive = TRUE },
  { .width = 147, .height = 101, .stored = JCS_YCCK, .h = 2, .v = 2, .progressive = TRUE },
  { .width = 147, .height = 101, .stored = JCS_YCbCr, .h = 4, .v = 2, .progressive = TRUE },
  { .width = 147, .height = 101, .stored = JCS_YCbCr, .h = 2, .v = 2, .separate = TRUE },
  { .width = 147,
    .height = 101,
    .stored = JCS_YCbCr,
    .h = 2,
    .v = 2,
    .progressive = TRUE,
    .arithmetic = TRUE },
};

static void
test_coefs (void)
{
  static const guint scales[] = { 1, 2, 4, 8 };

  for (gsize i = 0; i < G_N_ELEMENTS (many_scans); i++)
    {
      g_autoptr (GByteArray) jpeg = jpeg_make (&many_scans[i]);

      for (gsize k = 0; k < G_N_ELEMENTS (scales); k++)
        {
          g_autoptr (GByteArray) plain = read_all (jpeg, scales[k], FALSE);
          g_autoptr (GByteArray) packed = read_all (jpeg, scales[k], TRUE);

          g_assert_cmpmem (packed->data, packed->len, plain->data, plain->len);
        }
    }
}

/* The offset of the n-th marker of this kind; there is one. */
static guint
find_marker (const GByteArray *jpeg, guint8 marker, guint n)
{
  for (guint i = 0; i + 1 < jpeg->len; i++)
    if (jpeg->data[i] == 0xff && jpeg->data[i + 1] == marker && n-- == 0)
      return i;
  g_assert_not_reached ();
}

static void
assert_refused (const GByteArray *jpeg, ThStatus expected, const char *words)
{
  g_autofree char *message = NULL;
  ThStatus status;

  g_assert_cmpuint (decode (jpeg, &status, &message), ==, 0);
  g_assert_cmpint (status, ==, expected);
  g_assert_nonnull (strstr (message, words));
}

/* A file that repeats one byte, or a piece, after SOI. */
static GByteArray *
repeated (const char *piece, guint size, guint count)
{
  GByteArray *jpeg = g_byte_array_new ();

  g_byte_array_append (jpeg, (const guint8 *) "\xff\xd8", 2);
  for (guint i = 0; i < count; i++)
    g_byte_array_append (jpeg, (const guint8 *) piece, size);
  return jpeg;
}

static void
test_no_picture (void)
{
  g_autoptr (GByteArray) empty = g_byte_array_new ();
  g_autoptr (GByteArray) three = repeated ("\xff", 1, 1);
  g_autoptr (GByteArray) fill = repeated ("\xff", 1, 1000000);
  g_autoptr (GByteArray) zeros = repeated ("\0", 1, 1000000);
  g_autoptr (GByteArray) segments = repeated ("\xff\xe1\0\x04xx", 6, 100000);
  g_autoptr (GByteArray) profiles = repeated ("\xff\xe2\0\x12ICC_PROFILE\0\1\2xx", 20, 100000);

  assert_refused (empty, TH_STATUS_CORRUPT, "JPEG: ");
  assert_refused (three, TH_STATUS_CORRUPT, "Premature end");
  assert_refused (fill, TH_STATUS_CORRUPT, "Premature end");
  assert_refused (zeros, TH_STATUS_CORRUPT, "Premature end");
  assert_refused (segments, TH_STATUS_CORRUPT, "Premature end");
  assert_refused (profiles, TH_STATUS_CORRUPT, "Premature end");
}

static void
test_refused_kinds (void)
{
  const JpegRecipe recipe = { .width = 40, .height = 30, .stored = JCS_YCbCr };
  g_autoptr (GByteArray) twelve = jpeg_make (&recipe);
  g_autoptr (GByteArray) lossless = jpeg_make (&recipe);
  g_autoptr (GByteArray) huge = jpeg_make (&recipe);
  g_autoptr (GByteArray) larger = jpeg_make (&recipe);
  g_autoptr (GByteArray) flat = jpeg_make (&recipe);
  guint frame = find_marker (twelve, 0xc0, 0);

  twelve->data[frame + 4] = 12;
  assert_refused (twelve, TH_STATUS_CORRUPT, "JPEG: ");
  lossless->data[frame + 1] = 0xc3;
  assert_refused (lossless, TH_STATUS_CORRUPT, "JPEG: ");
  memcpy (huge->data + frame + 5, "\xff\xdc\xff\xdc", 4);
  assert_refused (huge, TH_STATUS_TOO_LARGE, "megapixels");
  memcpy (larger->data + frame + 5, "\xff\xff\0\1", 4);
  assert_refused (larger, TH_STATUS_TOO_LARGE, "JPEG: ");
  memset (flat->data + frame + 5, 0, 2);
  assert_refused (flat, TH_STATUS_CORRUPT, "JPEG: ");
}

static void
test_unscaled (void)
{
  const JpegRecipe recipe = { .width = 40, .height = 30, .stored = JCS_YCbCr };
  g_autoptr (GByteArray) jpeg = jpeg_make (&recipe);

  leaves_size = TRUE;
  assert_refused (jpeg, TH_STATUS_CORRUPT, "lossless");
  leaves_size = FALSE;
}

/* Where the data end the arithmetic decoder goes on with zeros, which come out as noise. */
static void
test_cut_arithmetic (void)
{
  const JpegRecipe recipe = {
    .width = 147, .height = 320, .stored = JCS_YCbCr, .h = 2, .v = 2, .arithmetic = TRUE
  };
  g_autoptr (GByteArray) jpeg = jpeg_make (&recipe);
  g_autofree char *message = NULL;
  g_autofree char *none = NULL;
  const guint size = jpeg->len;
  ThStatus status;
  guint32 rows;

  g_byte_array_set_size (jpeg, size / 2);
  rows = decode (jpeg, &status, &message);
  g_assert_cmpint (status, ==, TH_STATUS_PARTIAL);
  g_assert_cmpuint (rows, >, 320 / 3);
  g_assert_cmpuint (rows, <, 320 * 2 / 3);
  g_byte_array_set_size (jpeg, find_marker (jpeg, 0xda, 0) + 14);
  g_assert_cmpuint (decode (jpeg, &status, &none), ==, 0);
  g_assert_cmpint (status, ==, TH_STATUS_CORRUPT);
}

/* Thousands of scans in few bytes: an end is found without reading them all. */
static void
test_many_scans (void)
{
  g_autoptr (GByteArray) jpeg = jpeg_make (&many_scans[0]);
  g_autofree char *message = NULL;
  guint scan = find_marker (jpeg, 0xda, 1), next = find_marker (jpeg, 0xda, 2);
  g_autofree guint8 *copy = g_memdup2 (jpeg->data + scan, next - scan);
  ThStatus status;

  g_byte_array_set_size (jpeg, scan);
  for (guint i = 0; i < 20000; i++)
    g_byte_array_append (jpeg, copy, next - scan);
  g_assert_cmpuint (decode (jpeg, &status, &message), ==, 101);
  g_assert_true (th_status_has_pixels (status));
}

/* A second frame header without components between two scans: libjpeg takes its numbers over
 * before it refuses it. What the first scan gave is shown. */
static void
test_second_frame (void)
{
  static const guint8 frame[] = { 0xff, 0xc0, 0, 8, 8, 0, 192, 97, 0, 0 };
  g_autoptr (GByteArray) jpeg = jpeg_make (&many_scans[7]);
  g_autoptr (GByteArray) broken = g_byte_array_new ();
  g_autofree char *message = NULL;
  guint scan = find_marker (jpeg, 0xda, 1);
  ThStatus status;

  g_byte_array_append (broken, jpeg->data, scan);
  g_byte_array_append (broken, frame, sizeof frame);
  g_byte_array_append (broken, jpeg->data + scan, jpeg->len - scan);
  g_assert_cmpuint (decode (broken, &status, &message), ==, 101);
  g_assert_cmpint (status, ==, TH_STATUS_PARTIAL);
}

/* Junk before a segment and behind the picture is tolerated. */
static void
test_junk (void)
{
  g_autoptr (GByteArray) jpeg =
      jpeg_make (&(JpegRecipe){ .width = 40, .height = 30, .stored = JCS_YCbCr });
  g_autoptr (GByteArray) dirty = g_byte_array_new ();
  g_autofree char *message = NULL;
  guint scan = find_marker (jpeg, 0xda, 0);
  ThStatus status;

  g_byte_array_append (dirty, jpeg->data, scan);
  for (guint i = 0; i < 37; i++)
    g_byte_array_append (dirty, (const guint8 *) "\0", 1);
  g_byte_array_append (dirty, jpeg->data + scan, jpeg->len - scan);
  for (guint i = 0; i < 1000; i++)
    g_byte_array_append (dirty, (const guint8 *) "TRAILING", 8);
  g_assert_cmpuint (decode (dirty, &status, &message), ==, 30);
  g_assert_cmpint (status, ==, TH_STATUS_OK);
}

/* A source that cannot be read says so, and not that the picture is broken. */
static void
test_unreadable (void)
{
  int fd = open (".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  g_autoptr (ThInput) input = th_input_new_fd (fd, NULL);
  g_autoptr (GError) error = NULL;
  ThSession *session = NULL;
  ThLimits limits;

  g_assert_nonnull (input);
  th_limits_init (&limits);
  if (th_input_size (input) == 0)
    g_test_skip ("folders have no size on this file system");
  else
    g_assert_cmpint (th_codec_jpeg.open (input, &limits, &session, &error), ==, TH_STATUS_IO);
  close (fd);
}

typedef struct
{
  const char *pieces; /* number and count of each, in the order of the file */
  const char *expected;
} ProfileRow;

static void
test_profile (void)
{
  static const ProfileRow rows[] = {
    { "", NULL },     { "11", "1" },    { "132333", "123" }, { "331323", "123" }, { "1333", NULL },
    { "1212", NULL }, { "1322", NULL }, { "01", NULL },      { "21", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) jpeg =
          jpeg_make (&(JpegRecipe){ .width = 8, .height = 8, .stored = JCS_YCbCr });
      g_autoptr (ThInput) input = NULL;
      ThSession *session = NULL;
      const ThHeader *header;
      ThLimits limits;

      for (gsize k = strlen (rows[i].pieces); k > 0; k -= 2)
        {
          char piece[] = "ICC_PROFILE\0nc#";

          piece[12] = (char) (rows[i].pieces[k - 2] - '0');
          piece[13] = (char) (rows[i].pieces[k - 1] - '0');
          piece[14] = rows[i].pieces[k - 2];
          jpeg_insert_segment (jpeg, 0xe2, piece, 15);
        }
      input = th_input_new_bytes (jpeg->data, jpeg->len);
      th_limits_init (&limits);
      g_assert_cmpint (th_codec_jpeg.open (input, &limits, &session, NULL), ==, TH_STATUS_OK);
      header = th_codec_jpeg.header (session);
      g_assert_true ((header->icc != NULL) == (rows[i].expected != NULL));
      if (rows[i].expected != NULL)
        {
          g_assert_cmpuint (header->icc_size, ==, strlen (rows[i].expected));
          g_assert_true (memcmp (header->icc, rows[i].expected, header->icc_size) == 0);
        }
      th_codec_jpeg.close (session);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jpeg-parts/coefs", test_coefs);
  g_test_add_func ("/jpeg-parts/no-picture", test_no_picture);
  g_test_add_func ("/jpeg-parts/refused-kinds", test_refused_kinds);
  g_test_add_func ("/jpeg-parts/unscaled", test_unscaled);
  g_test_add_func ("/jpeg-parts/cut-arithmetic", test_cut_arithmetic);
  g_test_add_func ("/jpeg-parts/many-scans", test_many_scans);
  g_test_add_func ("/jpeg-parts/second-frame", test_second_frame);
  g_test_add_func ("/jpeg-parts/junk", test_junk);
  g_test_add_func ("/jpeg-parts/unreadable", test_unreadable);
  g_test_add_func ("/jpeg-parts/profile", test_profile);
  return g_test_run ();
}

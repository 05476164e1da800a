/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What libjpeg is not given at 1/8, against all of the file given to libjpeg alone: the same
 * pixels, of sound files and of damaged ones. */
#include "config.h"

#include <string.h>

#include "core/codecs/jpeg-drop.h"
#include "core/codecs/jpeg-guard.h"
#include "core/codecs/jpeg-thin.h"
#include "jpeg-maker.h"

typedef struct
{
  struct jpeg_decompress_struct cinfo;
  ThJpegGuard guard;
  ThJpegSource source;
  ThInput *input;
  ThJpegThin *thin;
  gboolean less; /* leave out what can be left out */
  GByteArray *pixels;
  gboolean was_thinned;
  guint64 left_out; /* bytes in holes */
} Reading;

static void
read_scans (Reading *r)
{
  int got = JPEG_SUSPENDED;

  do
    {
      if (r->less && (got == JPEG_SCAN_COMPLETED || got == JPEG_SUSPENDED))
        {
          th_jpeg_drop_scans (&r->cinfo);
          for (guint i = 0; i < r->source.n_holes; i++)
            r->left_out += r->source.holes[i].end - r->source.holes[i].start;
        }
      got = jpeg_consume_input (&r->cinfo);
    }
  while (got != JPEG_REACHED_EOI);
  jpeg_start_output (&r->cinfo, r->cinfo.input_scan_number);
}

static void
read_picture (gpointer data)
{
  Reading *r = data;
  struct jpeg_decompress_struct *cinfo = &r->cinfo;
  JSAMPROW row;

  jpeg_read_header (cinfo, TRUE);
  th_jpeg_source_leave_header (&r->source);
  cinfo->scale_num = 1;
  cinfo->scale_denom = 8;
  cinfo->do_block_smoothing = FALSE;
  cinfo->buffered_image = jpeg_has_multiple_scans (cinfo);
  jpeg_start_decompress (cinfo);
  if (cinfo->buffered_image)
    read_scans (r);
  else if (r->less)
    r->thin = th_jpeg_thin_start (cinfo, &r->source, 0);
  g_byte_array_set_size (r->pixels, cinfo->output_width * (guint) cinfo->output_components
                                        * cinfo->output_height);
  memset (r->pixels->data, 0, r->pixels->len);
  row = r->pixels->data;
  while (cinfo->output_scanline < cinfo->output_height)
    {
      jpeg_read_scanlines (cinfo, &row, 1);
      row += cinfo->output_width * (guint) cinfo->output_components;
    }
}

/* The pixels at 1/8. */
static GByteArray *
read_eighth (const GByteArray *jpeg, gboolean less, Reading *r)
{
  *r = (Reading){ .less = less, .pixels = g_byte_array_new () };
  r->input = th_input_new_bytes (jpeg->data, jpeg->len);
  r->cinfo.err = th_jpeg_guard_init (&r->guard);
  jpeg_create_decompress (&r->cinfo);
  th_jpeg_source_init (&r->source, r->input, &r->cinfo);
  th_jpeg_guard_run (&r->guard, read_picture, r);
  jpeg_destroy_decompress (&r->cinfo);
  r->was_thinned = r->thin != NULL;
  th_jpeg_thin_free (r->thin);
  th_input_free (r->input);
  return r->pixels;
}

static const JpegRecipe baseline[] = {
  { .width = 333, .height = 217, .stored = JCS_YCbCr, .h = 2, .v = 2 },
  { .width = 333, .height = 217, .stored = JCS_YCbCr, .h = 2, .v = 1, .restart = 1 },
  { .width = 333, .height = 217, .stored = JCS_YCbCr, .h = 1, .v = 2, .restart = 3 },
  { .width = 333, .height = 217, .stored = JCS_YCbCr },
  { .width = 333, .height = 217, .stored = JCS_YCbCr, .h = 4, .v = 2 },
  { .width = 333, .height = 217, .stored = JCS_GRAYSCALE, .h = 2, .v = 2 },
  { .width = 333, .height = 217, .stored = JCS_RGB },
  { .width = 333, .height = 217, .stored = JCS_CMYK },
  { .width = 333, .height = 217, .stored = JCS_YCCK, .h = 2, .v = 2, .restart = 2 },
  { .width = 333, .height = 217, .stored = JCS_YCbCr, .h = 2, .v = 2, .flat = TRUE },
  { .width = 7, .height = 5, .stored = JCS_YCbCr, .h = 2, .v = 2 },
  { .width = 1900, .height = 1300, .stored = JCS_YCbCr, .h = 2, .v = 2 },
};

#define N_SMALL (G_N_ELEMENTS (baseline) - 1)

static const JpegRecipe progressive[] = {
  { .width = 147, .height = 101, .stored = JCS_YCbCr, .h = 2, .v = 2, .progressive = TRUE },
  { .width = 147, .height = 101, .stored = JCS_YCbCr, .h = 2, .v = 1, .progressive = TRUE },
  { .width = 147, .height = 101, .stored = JCS_YCbCr, .progressive = TRUE, .restart = 2 },
  { .width = 147, .height = 101, .stored = JCS_GRAYSCALE, .h = 2, .v = 2, .progressive = TRUE },
  { .width = 147, .height = 101, .stored = JCS_YCCK, .h = 2, .v = 2, .progressive = TRUE },
  { .width = 1900, .height = 1300, .stored = JCS_YCbCr, .h = 2, .v = 2, .progressive = TRUE },
};

static void
assert_same (const GByteArray *jpeg, Reading *less)
{
  Reading r;
  g_autoptr (GByteArray) all = read_eighth (jpeg, FALSE, &r);
  g_autoptr (GByteArray) some = read_eighth (jpeg, TRUE, less);

  g_assert_cmpmem (some->data, some->len, all->data, all->len);
  less->pixels = NULL;
}

static void
test_thin (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (baseline); i++)
    {
      g_autoptr (GByteArray) jpeg = jpeg_make (&baseline[i]);
      Reading less;

      assert_same (jpeg, &less);
      g_assert_true (less.was_thinned);
      g_assert_cmpint (less.guard.manager.num_warnings, ==, 0);
    }
}

static void
test_drop (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (progressive); i++)
    {
      g_autoptr (GByteArray) jpeg = jpeg_make (&progressive[i]);
      Reading less;

      assert_same (jpeg, &less);
      g_assert_cmpuint (less.left_out, >, jpeg->len / 4);
      g_assert_cmpint (less.guard.manager.num_warnings, ==, 0);
    }
}

/* Scans that come by the hundred, each with tables in front of it. */
static void
test_drop_many (void)
{
  g_autoptr (GByteArray) jpeg = jpeg_make (&progressive[0]);
  g_autoptr (GByteArray) long_one = g_byte_array_new ();
  static const guint8 table[] = { 0xff, 0xc4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0,
                                  0,    0,    0, 0,  0,    0, 0, 0, 0, 0, 0 };
  static const guint8 scan[] = { 0xff, 0xda, 0, 8, 1, 1, 0, 60, 63, 0, 0xaa, 0x55 };
  Reading less;

  g_byte_array_append (long_one, jpeg->data, jpeg->len - 2);
  for (guint i = 0; i < 400; i++)
    {
      g_byte_array_append (long_one, table, sizeof table);
      g_byte_array_append (long_one, scan, sizeof scan);
    }
  g_byte_array_append (long_one, jpeg->data + jpeg->len - 2, 2);
  assert_same (long_one, &less);
  g_assert_cmpuint (less.left_out, >, 16 * sizeof scan);
}

/* Offset of the first byte of the first scan's data. */
static guint
find_data (const GByteArray *jpeg)
{
  for (guint i = 0; i + 3 < jpeg->len; i++)
    if (jpeg->data[i] == 0xff && jpeg->data[i + 1] == 0xda)
      return i + 2 + ((guint) jpeg->data[i + 2] << 8) + jpeg->data[i + 3];
  g_assert_not_reached ();
}

/* Where data are missing the MCU in which they end may be guessed in another way, no other. */
static void
assert_nearly_same (const GByteArray *jpeg, const JpegRecipe *recipe)
{
  const guint mcu = 4 * MAX (recipe->h, 1) * MAX (recipe->v, 1);
  guint differ = 0;
  Reading r, q;
  g_autoptr (GByteArray) all = read_eighth (jpeg, FALSE, &r);
  g_autoptr (GByteArray) some = read_eighth (jpeg, TRUE, &q);

  g_assert_cmpuint (some->len, ==, all->len);
  for (guint i = 0; i < all->len; i++)
    differ += all->data[i] != some->data[i];
  g_assert_cmpint (q.guard.starved, ==, r.guard.starved);
  g_assert_cmpuint (differ, <=, r.guard.starved ? mcu * (guint) r.guard.manager.num_warnings : 0);
}

static void
test_thin_damaged (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (gsize i = 0; i < N_SMALL; i++)
    {
      g_autoptr (GByteArray) jpeg = jpeg_make (&baseline[i]);
      gint data = (gint) find_data (jpeg);

      for (guint k = 0; k < 100; k++)
        {
          guint8 *byte = jpeg->data + g_rand_int_range (rand, data, (gint) jpeg->len - 2);
          guint8 sound = *byte;

          *byte = (guint8) g_rand_int_range (rand, 0, 256);
          assert_nearly_same (jpeg, &baseline[i]);
          *byte = sound;
        }
    }
}

static void
test_thin_cut (void)
{
  for (gsize i = 0; i < N_SMALL; i++)
    {
      g_autoptr (GByteArray) jpeg = jpeg_make (&baseline[i]);
      guint data = find_data (jpeg), step = MAX ((jpeg->len - data) / 90, 1);

      while (jpeg->len > data)
        {
          g_byte_array_set_size (jpeg, MAX (data, jpeg->len - MIN (step, jpeg->len)));
          assert_nearly_same (jpeg, &baseline[i]);
        }
    }
}

static void
test_drop_cut (void)
{
  for (gsize i = 0; i + 1 < G_N_ELEMENTS (progressive); i++)
    {
      g_autoptr (GByteArray) jpeg = jpeg_make (&progressive[i]);
      guint data = find_data (jpeg), step = MAX ((jpeg->len - data) / 90, 1);
      Reading less;

      for (; jpeg->len > data + step; g_byte_array_set_size (jpeg, jpeg->len - step))
        assert_same (jpeg, &less);
    }
}

/* What stands between the data and a restart marker, and fill bytes, belong to nobody. */
static void
test_thin_junk (void)
{
  const JpegRecipe *recipe = &baseline[1];
  g_autoptr (GByteArray) jpeg = jpeg_make (recipe);
  g_autoptr (GByteArray) dirty = g_byte_array_new ();
  guint data = find_data (jpeg), restarts = 0;
  Reading less;

  g_byte_array_append (dirty, jpeg->data, data);
  for (guint i = data; i < jpeg->len; i++)
    {
      if (i + 1 < jpeg->len && jpeg->data[i] == 0xff && (jpeg->data[i + 1] & 0xf8) == 0xd0)
        g_byte_array_append (dirty, (const guint8 *) "more bytes than belong here\xff\xff",
                             restarts++ % 2 == 0 ? 27 : 29);
      g_byte_array_append (dirty, jpeg->data + i, 1);
    }
  g_assert_cmpuint (restarts, >, 10);
  assert_same (dirty, &less);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jpeg-less/thin", test_thin);
  g_test_add_func ("/jpeg-less/thin/damaged", test_thin_damaged);
  g_test_add_func ("/jpeg-less/thin/cut", test_thin_cut);
  g_test_add_func ("/jpeg-less/thin/junk", test_thin_junk);
  g_test_add_func ("/jpeg-less/drop", test_drop);
  g_test_add_func ("/jpeg-less/drop/many", test_drop_many);
  g_test_add_func ("/jpeg-less/drop/cut", test_drop_cut);
  return g_test_run ();
}

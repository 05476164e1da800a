/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Photoshop files whose merged picture is missing or cut, and the small JPEG in its place. */
#include "config.h"

#include <string.h>

#include "check.h"
#include "jpeg-maker.h"
#include "picture.h"

#define WIDTH  40u
#define HEIGHT 30u

typedef enum
{
  NO_JPEG = 0,
  SWAPPED = 1033,
  STRAIGHT = 1036,
} Kind;

typedef struct
{
  const char *name;
  Kind kinds[2];
  gboolean unmerged;
  guint8 compression;
  gsize cut; /* bytes that are missing at the end */
  ThStatus expected;
  gboolean small; /* what is seen is the JPEG, of another colour and half the size */
} Case;

static const Case cases[] = {
  { "whole", { STRAIGHT }, FALSE, 0, 0, TH_STATUS_OK, FALSE },
  { "cut", { STRAIGHT }, FALSE, 0, 1, TH_STATUS_OK, TRUE },
  { "cut-swapped", { SWAPPED }, FALSE, 0, 100, TH_STATUS_OK, TRUE },
  { "cut-alone", { NO_JPEG }, FALSE, 0, WIDTH, TH_STATUS_PARTIAL, FALSE },
  { "cut-wholly", { STRAIGHT }, FALSE, 0, WIDTH *HEIGHT * 3, TH_STATUS_OK, TRUE },
  { "unmerged", { STRAIGHT }, TRUE, 0, 0, TH_STATUS_OK, TRUE },
  { "unmerged-swapped", { SWAPPED }, TRUE, 0, 0, TH_STATUS_OK, TRUE },
  { "unmerged-both", { STRAIGHT, SWAPPED }, TRUE, 0, 0, TH_STATUS_OK, TRUE },
  { "unmerged-both-ways", { SWAPPED, STRAIGHT }, TRUE, 0, 0, TH_STATUS_OK, TRUE },
  { "unmerged-alone", { NO_JPEG }, TRUE, 0, 0, TH_STATUS_NO_CONTENT, FALSE },
  { "unknown-compression", { STRAIGHT }, FALSE, 3, 0, TH_STATUS_OK, TRUE },
};

static const guint8 large_color[3] = { 20, 40, 230 };
static const guint8 small_color[3] = { 220, 60, 30 };

static void
put (GByteArray *out, guint32 value, guint bytes)
{
  for (guint i = bytes; i-- > 0;)
    g_byte_array_append (out, &(guint8){ (guint8) (value >> (8 * i)) }, 1);
}

static void
put_text (GByteArray *out, const char *text)
{
  g_byte_array_append (out, (const guint8 *) text, (guint) strlen (text));
}

static guint8
paint (double x, double y, guint channel, gconstpointer data)
{
  return small_color[data != NULL ? 2 - channel : channel];
}

static GByteArray *
make_jpeg (Kind kind)
{
  return jpeg_make (&(JpegRecipe){ .width = WIDTH / 2,
                                   .height = HEIGHT / 2,
                                   .stored = JCS_YCbCr,
                                   .h = 1,
                                   .v = 1,
                                   .paint = paint,
                                   .data = kind == SWAPPED ? cases : NULL });
}

static void
put_jpeg (GByteArray *out, Kind kind)
{
  g_autoptr (GByteArray) jpeg = kind != NO_JPEG ? make_jpeg (kind) : NULL;

  if (jpeg == NULL)
    return;
  put_text (out, "8BIM");
  put (out, kind, 2);
  put (out, 0, 2);
  put (out, 28 + jpeg->len, 4);
  put (out, 1, 4);
  put (out, WIDTH / 2, 4);
  put (out, HEIGHT / 2, 4);
  put (out, WIDTH / 2 * 3, 4);
  put (out, WIDTH / 2 * 3 * HEIGHT / 2, 4);
  put (out, jpeg->len, 4);
  put (out, 24, 2);
  put (out, 1, 2);
  g_byte_array_append (out, jpeg->data, jpeg->len);
  if (jpeg->len % 2 != 0)
    put (out, 0, 1);
}

static GByteArray *
make_resources (const Case *one)
{
  GByteArray *out = g_byte_array_new ();

  put_text (out, "8BIM");
  put (out, 1057, 2);
  put (out, 0, 2);
  put (out, 5, 4);
  put (out, 1, 4);
  put (out, one->unmerged ? 0 : 1, 1);
  put (out, 0, 1);
  for (guint i = 0; i < G_N_ELEMENTS (one->kinds); i++)
    put_jpeg (out, one->kinds[i]);
  return out;
}

static GByteArray *
make (const Case *one)
{
  GByteArray *out = g_byte_array_new ();
  g_autoptr (GByteArray) resources = make_resources (one);

  put_text (out, "8BPS");
  put (out, 1, 2);
  put (out, 0, 4);
  put (out, 0, 2);
  put (out, 3, 2);
  put (out, HEIGHT, 4);
  put (out, WIDTH, 4);
  put (out, 8, 2);
  put (out, 3, 2);
  put (out, 0, 4);
  put (out, resources->len, 4);
  g_byte_array_append (out, resources->data, resources->len);
  put (out, 0, 4);
  put (out, one->compression, 2);
  for (guint i = 0; i < 3 * WIDTH * HEIGHT; i++)
    put (out, large_color[i / (WIDTH * HEIGHT)], 1);
  g_byte_array_set_size (out, out->len - (guint) one->cut);
  return out;
}

static void
test_case (const void *user)
{
  const Case *one = user;
  g_autoptr (GByteArray) data = make (one);
  g_autoptr (Picture) picture = picture_decode ((ThBytes){ data->data, data->len });
  const guint8 *color = one->small ? small_color : large_color;

  g_assert_cmpint (picture->status, ==, one->expected);
  if (!th_status_has_pixels (one->expected))
    return;
  g_assert_cmpuint (picture->size.width, ==, one->small ? WIDTH / 2 : WIDTH);
  g_assert_cmpuint (picture->rows, ==,
                    (one->small ? HEIGHT / 2 : HEIGHT) - (one->expected == TH_STATUS_PARTIAL));
  for (gsize i = 0; i < (gsize) picture->rows * picture->size.width; i++)
    for (guint c = 0; c < 3; c++)
      g_assert_cmpint (ABS (picture->rgba[4 * i + c] - color[c]), <=, 4);
}

/* Every byte at which it can end, and every byte wrong. */
static void
test_damage (const void *user)
{
  const Case *one = user;
  g_autoptr (GByteArray) data = make (one);
  const guint head = MIN (data->len, 1500);

  check_prefixes ((ThBytes){ data->data, data->len }, data->len);
  for (guint i = 6; i < head; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (data->data, data->len);
      g_autoptr (Picture) picture = NULL;

      copy[i] ^= 0xff;
      picture = picture_decode ((ThBytes){ copy, data->len });
      g_assert_cmpint (picture->status, !=, TH_STATUS_IO);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strconcat ("/psd/", cases[i].name, NULL);

      g_test_add_data_func (name, &cases[i], test_case);
    }
  g_test_add_data_func ("/psd/damage/raw", &cases[0], test_damage);
  g_test_add_data_func ("/psd/damage/small", &cases[6], test_damage);
  return g_test_run ();
}

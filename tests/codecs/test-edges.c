/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What shrinking must not invent: patterns in stripes of one pixel, and another colour at the
 * edges. JPEG of all samplings, whose odd sizes its blocks and libjpeg's scales do not divide, at
 * every flavor. */
#include "config.h"

#include <stdlib.h>

#include "base/th-flavor.h"
#include "core/th-codec.h"
#include "core/th-render.h"
#include "jpeg-maker.h"

typedef struct
{
  const char *name;
  guint8 (*paint) (double x, double y, guint channel, gconstpointer data);
  /* Most that a sample may differ from the one in the middle. At the outermost pixels half of the
   * filter lies outside: there the last stripe weighs more than its share. */
  int inside;
  int outermost;
} Pattern;

typedef struct
{
  guint width, height;
} Sides;

/* Pixels of the picture, from what jpeg-maker calls x and y. */
static guint
pixel (double place, guint side)
{
  return (guint) (place * side);
}

static guint8
across (double x, double y, guint channel, gconstpointer data)
{
  return pixel (x, ((const Sides *) data)->width) % 2 == 0 ? 255 : 0;
}

static guint8
down (double x, double y, guint channel, gconstpointer data)
{
  return pixel (y, ((const Sides *) data)->height) % 2 == 0 ? 255 : 0;
}

static guint8
chequered (double x, double y, guint channel, gconstpointer data)
{
  const Sides *sides = data;

  return (pixel (x, sides->width) + pixel (y, sides->height)) % 2 == 0 ? 255 : 0;
}

static guint8
orange (double x, double y, guint channel, gconstpointer data)
{
  static const guint8 color[] = { 230, 120, 30 };

  return color[channel % 3];
}

static const Pattern patterns[] = {
  { "across", across, 8, 40 },
  { "down", down, 8, 40 },
  { "chequered", chequered, 8, 40 },
  { "orange", orange, 2, 2 },
};

static const Sides sizes[] = {
  { 2049, 1537 }, { 2055, 1543 }, { 1543, 1029 }, { 4001, 611 }, { 611, 4001 },
};

static const Sides samplings[] = { { 1, 1 }, { 2, 1 }, { 1, 2 }, { 2, 2 }, { 4, 1 } };

static void
assert_even (const ThImage *image, const Pattern *pattern)
{
  const gsize middle =
      image->size.height / 2 * image->stride + (gsize) (image->size.width / 2) * image->channels;

  for (guint32 y = 0; y < image->size.height; y++)
    for (guint32 x = 0; x < image->size.width; x++)
      for (guint k = 0; k < image->channels; k++)
        {
          gboolean outermost =
              x == 0 || y == 0 || x + 1 == image->size.width || y + 1 == image->size.height;
          int sample = image->data[y * image->stride + (gsize) x * image->channels + k];

          g_assert_cmpint (abs (sample - image->data[middle + k]), <=,
                           outermost ? pattern->outermost : pattern->inside);
        }
}

static void
shrink (const GByteArray *jpeg, guint32 box, const Pattern *pattern)
{
  g_autoptr (ThInput) input = th_input_new_bytes (jpeg->data, jpeg->len);
  g_autoptr (ThRender) render = NULL;
  const ThRenderPlan *plan;
  g_autofree guint8 *pixels = NULL;
  ThLimits limits;
  ThImage image;

  th_limits_init (&limits);
  g_assert_cmpint (th_render_open (input, &limits, &box, 1, NULL, &render, NULL), ==, TH_STATUS_OK);
  plan = th_render_plan (render);
  image.size = th_fit (plan->full, box);
  image.channels = plan->channels;
  image.stride = (gsize) image.size.width * plan->channels;
  image.data = pixels = g_malloc (image.stride * image.size.height);
  g_assert_cmpint (th_render_run (render, &image, NULL), ==, TH_STATUS_OK);
  assert_even (&image, pattern);
}

static void
test_pattern (gconstpointer data)
{
  const Pattern *pattern = data;

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (samplings); k++)
      {
        const JpegRecipe recipe = {
          .width = sizes[i].width,
          .height = sizes[i].height,
          .stored = JCS_YCbCr,
          .h = samplings[k].width,
          .v = samplings[k].height,
          .progressive = (i + k) % 3 == 0,
          .paint = pattern->paint,
          .data = &sizes[i],
        };
        g_autoptr (GByteArray) jpeg = jpeg_make (&recipe);

        for (guint flavor = 0; flavor < TH_N_FLAVORS; flavor++)
          shrink (jpeg, th_flavor_box ((ThFlavor) flavor), pattern);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (patterns); i++)
    {
      g_autofree char *path = g_strconcat ("/edges/", patterns[i].name, NULL);

      g_test_add_data_func (path, &patterns[i], test_pattern);
    }
  return g_test_run ();
}

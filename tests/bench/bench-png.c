/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PNG encoding of thumbnails: CPU time and size against libpng's defaults.
 * bench-png [FILE.ppm…]: binary PPM of 8 bits; without any, one made picture. */
#include "config.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cache/th-png-write.h"

#define ROUNDS 3

typedef struct
{
  ThImage image;
  char *owned; /* what image.data points into */
} Picture;

static void
picture_clear (gpointer data)
{
  g_free (((Picture *) data)->owned);
}

static gboolean
picture_load (const char *path, Picture *picture)
{
  g_autofree char *file = NULL;
  gsize length;
  guint width, height, depth;
  int header;

  if (!g_file_get_contents (path, &file, &length, NULL)
      || sscanf (file, "P6 %u %u %u%n", &width, &height, &depth, &header) != 3 || depth != 255
      || length != (gsize) header + 1 + (gsize) width * height * 3)
    return FALSE;
  picture->image = (ThImage){ { width, height }, 3, (gsize) width * 3, NULL };
  picture->image.data = (guint8 *) file + header + 1;
  picture->owned = g_steal_pointer (&file);
  return TRUE;
}

/* A gradient with noise in it, about as hard as a photograph. */
static void
picture_make (Picture *picture)
{
  guint side = 512;
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint8 *data = g_malloc (side * side * 3);

  for (guint i = 0; i < side * side * 3; i++)
    data[i] = (guint8) (i / 3 % side / 4 + i / 3 / side / 4 + g_rand_int (rand) % 8);
  picture->image = (ThImage){ { side, side }, 3, side * 3, data };
  picture->owned = (char *) data;
}

static gsize
encode_ours (const ThImage *image)
{
  g_autoptr (ThPngBody) body = th_png_encode (image);
  g_autoptr (GBytes) bytes = th_png_assemble (body, NULL, 0);

  return g_bytes_get_size (bytes);
}

static void
count_bytes (png_structp png, png_bytep data, png_size_t length)
{
  *(gsize *) png_get_io_ptr (png) += length;
}

static void
flush_nothing (png_structp png)
{
}

static gsize
encode_libpng (const ThImage *image)
{
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (png);
  gsize total = 0;

  if (setjmp (png_jmpbuf (png)))
    abort ();
  png_set_write_fn (png, &total, count_bytes, flush_nothing);
  png_set_IHDR (png, info, image->size.width, image->size.height, 8, PNG_COLOR_TYPE_RGB,
                PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info (png, info);
  for (guint32 y = 0; y < image->size.height; y++)
    png_write_row (png, image->data + y * image->stride);
  png_write_end (png, info);
  png_destroy_write_struct (&png, &info);
  return total;
}

typedef gsize (*Encode) (const ThImage *image);

typedef struct
{
  gsize bytes;
  double seconds; /* of one round, the best of several */
} Result;

static double
cpu_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

static Result
measure (GArray *pictures, Encode encode)
{
  Result best = { 0, G_MAXDOUBLE };

  for (int round = 0; round < ROUNDS; round++)
    {
      double start = cpu_seconds ();
      Result now = { 0, 0 };

      for (guint i = 0; i < pictures->len; i++)
        now.bytes += encode (&g_array_index (pictures, Picture, i).image);
      now.seconds = cpu_seconds () - start;
      if (now.seconds < best.seconds)
        best = now;
    }
  return best;
}

static void
report (const char *name, Result result, Result reference, double pixels)
{
  printf ("%-16s %8.1f ms  %6.1f ns/pixel  %6.3f bytes/pixel  %+6.1f %%\n", name,
          result.seconds * 1e3, result.seconds * 1e9 / pixels, (double) result.bytes / pixels,
          100.0 * (double) result.bytes / (double) reference.bytes - 100.0);
}

int
main (int argc, char **argv)
{
  g_autoptr (GArray) pictures = g_array_new (FALSE, TRUE, sizeof (Picture));
  Result reference;
  double pixels = 0;

  g_array_set_clear_func (pictures, picture_clear);
  g_array_set_size (pictures, (guint) MAX (argc - 1, 1));
  if (argc < 2)
    picture_make (&g_array_index (pictures, Picture, 0));
  for (int i = 1; i < argc; i++)
    {
      if (picture_load (argv[i], &g_array_index (pictures, Picture, i - 1)))
        continue;
      fprintf (stderr, "%s: not a binary PPM file of 8 bits\n", argv[i]);
      return 1;
    }
  for (guint i = 0; i < pictures->len; i++)
    {
      ThSize size = g_array_index (pictures, Picture, i).image.size;

      pixels += (double) size.width * size.height;
    }
  printf ("%u pictures, %.0f pixels\n", pictures->len, pixels);
  reference = measure (pictures, encode_libpng);
  report ("libpng defaults", reference, reference, pixels);
  report ("th_png_encode", measure (pictures, encode_ours), reference, pixels);
  return 0;
}

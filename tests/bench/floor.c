/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The physical floor: floor ROUNDS FLAVOR-PIXELS FOLDER
 *
 * For all pictures of a folder, CPU milliseconds in one process, least of the rounds file by file:
 * "library" is libjpeg, libpng or libwebp alone, rows dropped, at the scale that our plan chose;
 * "codec" our own decoding, rows dropped; "deflate" the thumbnail's pixels to PNG data in memory;
 * "render" the file to finished pixels, all but the encoding. One line: files, failed and these. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <jpeglib.h>
#include <png.h>
#include <webp/decode.h>

#include "cache/th-png-write.h"
#include "core/th-codec.h"
#include "core/th-render.h"

typedef struct
{
  double library, codec, deflate, render;
} Costs;

typedef struct
{
  const char *codec;
  ThSize raster; /* what our plan decodes to */
  ThSize full;
} Chosen;

static double
cpu_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

/* 0 where no scale gives that width. */
static guint
jpeg_scale (const Chosen *chosen)
{
  for (guint n = 1; n <= 8; n++)
    if ((chosen->full.width * n + 7u) / 8u == chosen->raster.width)
      return n;
  return 0;
}

/* The libraries' usual way of errors ends the process, which a benchmark may. */
static gboolean
bare_jpeg (const char *path, const Chosen *chosen)
{
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  FILE *file = fopen (path, "rbe");
  JSAMPARRAY row;

  if (file == NULL || jpeg_scale (chosen) == 0)
    {
      g_clear_pointer (&file, fclose);
      return FALSE;
    }
  jpeg.err = jpeg_std_error (&errors);
  jpeg_create_decompress (&jpeg);
  jpeg_stdio_src (&jpeg, file);
  jpeg_read_header (&jpeg, TRUE);
  jpeg.scale_num = jpeg_scale (chosen);
  jpeg.scale_denom = 8;
  jpeg_start_decompress (&jpeg);
  row = jpeg.mem->alloc_sarray ((j_common_ptr) &jpeg, JPOOL_IMAGE,
                                jpeg.output_width * (JDIMENSION) jpeg.output_components, 1);
  while (jpeg.output_scanline < jpeg.output_height)
    jpeg_read_scanlines (&jpeg, row, 1);
  jpeg_finish_decompress (&jpeg);
  jpeg_destroy_decompress (&jpeg);
  fclose (file);
  return TRUE;
}

static void
png_rows (png_structp png, png_infop info)
{
  const gsize stride = png_get_rowbytes (png, info);
  const guint32 height = png_get_image_height (png, info);
  const gboolean whole = png_get_interlace_type (png, info) != PNG_INTERLACE_NONE;
  g_autofree guint8 *pixels = g_malloc (stride * (whole ? height : 1));
  const int passes = whole ? 7 : 1;

  for (int pass = 0; pass < passes; pass++)
    for (guint32 y = 0; y < height; y++)
      png_read_row (png, pixels + (whole ? stride * y : 0), NULL);
}

static gboolean
bare_png (const char *path, const Chosen *chosen)
{
  png_structp png = png_create_read_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (png);
  FILE *file = fopen (path, "rbe");

  if (file == NULL)
    return FALSE;
  png_init_io (png, file);
  png_read_info (png, info);
  png_set_interlace_handling (png);
  png_read_update_info (png, info);
  png_rows (png, info);
  png_destroy_read_struct (&png, &info, NULL);
  fclose (file);
  return TRUE;
}

static gboolean
bare_webp (const char *path, const Chosen *chosen)
{
  g_autofree char *data = NULL;
  WebPDecoderConfig config;
  gsize size;
  gboolean ok;

  if (!g_file_get_contents (path, &data, &size, NULL) || !WebPInitDecoderConfig (&config))
    return FALSE;
  config.options.use_scaling = chosen->raster.width < chosen->full.width;
  config.options.scaled_width = (int) chosen->raster.width;
  config.options.scaled_height = (int) chosen->raster.height;
  config.output.colorspace = MODE_RGB;
  ok = WebPDecode ((const guint8 *) data, size, &config) == VP8_STATUS_OK;
  WebPFreeDecBuffer (&config.output);
  return ok;
}

static const struct
{
  const char *codec;
  gboolean (*decode) (const char *path, const Chosen *chosen);
} bare[] = { { "jpeg", bare_jpeg }, { "png", bare_png }, { "webp", bare_webp } };

static gboolean
drop_rows (ThSink *sink, const void *rows, gsize stride, guint32 n)
{
  return TRUE;
}

static gboolean
codec_alone (int fd, guint32 box, const ThLimits *limits, Chosen *chosen)
{
  g_autoptr (ThInput) input = th_input_new_fd (fd, NULL);
  const ThCodec *codec = th_codec_sniff (input);
  ThSink sink = { drop_rows };
  ThSession *session;
  ThSize target;
  ThStatus status;
  ThPlan plan = { 0 };

  if (codec == NULL || codec->open (input, limits, &session, NULL) != TH_STATUS_OK)
    return FALSE;
  chosen->codec = codec->name;
  chosen->full = codec->header (session)->size;
  target = th_fit (chosen->full, box);
  status = codec->plan (session, &target, 1, &plan) ? codec->decode (session, &plan, &sink, NULL)
                                                    : TH_STATUS_TOO_LARGE;
  chosen->raster = (ThSize){ plan.raster.width, plan.raster.height };
  codec->close (session);
  return th_status_has_pixels (status);
}

static gboolean
render (int fd, guint32 box, const ThLimits *limits, ThImage *result)
{
  g_autoptr (ThInput) input = th_input_new_fd (fd, NULL);
  g_autoptr (ThRender) picture = NULL;
  const ThRenderPlan *plan;

  if (th_render_open (input, limits, &box, 1, NULL, &picture, NULL) != TH_STATUS_OK)
    return FALSE;
  plan = th_render_plan (picture);
  result->size = th_fit (plan->full, box);
  result->channels = plan->channels;
  result->stride = (gsize) result->size.width * plan->channels;
  result->data = g_malloc (result->stride * result->size.height);
  return th_status_has_pixels (th_render_run (picture, result, NULL));
}

/* A format that no library here reads costs what our own decoding costs. */
static double
library_ms (const char *path, const Chosen *chosen, double otherwise)
{
  const double start = cpu_ms ();

  for (guint i = 0; i < G_N_ELEMENTS (bare); i++)
    if (g_str_equal (bare[i].codec, chosen->codec) && bare[i].decode (path, chosen))
      return cpu_ms () - start;
  return otherwise;
}

static gboolean
measure (const char *path, guint32 box, const ThLimits *limits, Costs *costs)
{
  const int fd = open (path, O_RDONLY | O_CLOEXEC);
  const double start = cpu_ms ();
  Chosen chosen = { 0 };
  ThImage result = { 0 };
  gboolean ok = fd >= 0 && codec_alone (fd, box, limits, &chosen);
  const double decoded = cpu_ms ();
  double rendered, encoded;

  ok = ok && render (fd, box, limits, &result);
  rendered = cpu_ms ();
  if (ok)
    th_png_body_free (th_png_encode (&result));
  encoded = cpu_ms ();
  *costs = (Costs){ 0, decoded - start, encoded - rendered, rendered - decoded };
  if (ok)
    costs->library = library_ms (path, &chosen, costs->codec);
  g_free (result.data);
  if (fd >= 0)
    close (fd);
  return ok;
}

static gboolean
add_least (const char *path, guint32 box, guint rounds, const ThLimits *limits, Costs *sums)
{
  Costs least = { 1e9, 1e9, 1e9, 1e9 };

  for (guint i = 0; i < rounds; i++)
    {
      Costs costs;

      if (!measure (path, box, limits, &costs))
        return FALSE;
      least = (Costs){ MIN (least.library, costs.library), MIN (least.codec, costs.codec),
                       MIN (least.deflate, costs.deflate), MIN (least.render, costs.render) };
    }
  sums->library += least.library;
  sums->codec += least.codec;
  sums->deflate += least.deflate;
  sums->render += least.render;
  return TRUE;
}

int
main (int argc, char **argv)
{
  guint64 rounds, box;
  guint files = 0, failed = 0;
  Costs sums = { 0 };
  ThLimits limits;
  const char *name;
  GDir *dir;

  if (argc != 4 || !g_ascii_string_to_unsigned (argv[1], 10, 1, 1000, &rounds, NULL)
      || !g_ascii_string_to_unsigned (argv[2], 10, 1, 1024, &box, NULL)
      || (dir = g_dir_open (argv[3], 0, NULL)) == NULL)
    {
      g_printerr ("usage: floor ROUNDS FLAVOR-PIXELS FOLDER\n");
      return 2;
    }
  th_limits_init (&limits);
  for (; (name = g_dir_read_name (dir)) != NULL; files++)
    {
      g_autofree char *path = g_build_filename (argv[3], name, NULL);

      failed += add_least (path, (guint32) box, (guint) rounds, &limits, &sums) ? 0 : 1;
    }
  g_dir_close (dir);
  g_print ("%u\t%u\t%.1f\t%.1f\t%.1f\t%.1f\n", files, failed, sums.library, sums.codec,
           sums.deflate, sums.render);
  return failed > 0;
}

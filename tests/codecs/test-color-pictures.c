/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures that other people made, with profiles and gammas of theirs: what the whole way makes of
 * them against lcms in floating point on the samples that the codec gives. */
#include "config.h"

#include <string.h>

#include "color-difference.h"
#include "core/th-codec.h"
#include "core/th-render.h"

/* CIEDE2000, of single pixels and over all: tables of a profile are followed in 16 bits. */
#define WORST 1.5
#define MEAN  0.35
/* Of 255, between pictures of PngSuite that show the same. */
#define MIDDLE_SAME 1
#define MOST_SAME   6
#define PROBES      4000u

typedef struct
{
  ThSink sink;
  gsize row_bytes;
  GByteArray *rows;
} Collector;

static gboolean
collect (ThSink *sink, const void *rows, gsize stride, guint32 n)
{
  Collector *collector = (Collector *) sink;

  for (guint32 i = 0; i < n; i++)
    g_byte_array_append (collector->rows, (const guint8 *) rows + i * stride,
                         (guint) collector->row_bytes);
  return TRUE;
}

typedef struct
{
  ThRaster raster;
  GByteArray *rows; /* as the codec pushed them */
  GByteArray *icc;
} Raw;

static void
raw_clear (Raw *raw)
{
  g_byte_array_unref (raw->rows);
  g_byte_array_unref (raw->icc);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Raw, raw_clear)

static void
decode_raw (ThBytes file, Raw *raw)
{
  g_autoptr (ThInput) input = th_input_new_bytes (file.data, file.size);
  const ThCodec *codec = th_codec_sniff (input);
  ThSession *session = NULL;
  Collector collector;
  ThLimits limits;
  ThPlan plan;

  th_limits_init (&limits);
  g_assert_nonnull (codec);
  g_assert_cmpint (codec->open (input, &limits, &session, NULL), ==, TH_STATUS_OK);
  raw->icc = g_byte_array_new ();
  g_byte_array_append (raw->icc, codec->header (session)->icc,
                       (guint) codec->header (session)->icc_size);
  g_assert_true (codec->plan (session, &codec->header (session)->size, 1, &plan));
  raw->raster = plan.raster;
  raw->rows = g_byte_array_new ();
  collector = (Collector){ { collect }, th_raster_row_bytes (&plan.raster), raw->rows };
  g_assert_cmpint (codec->decode (session, &plan, &collector.sink, NULL), ==, TH_STATUS_OK);
  codec->close (session);
}

/* At full size; the caller frees the data. */
static ThImage
render (ThBytes file)
{
  g_autoptr (ThInput) input = th_input_new_bytes (file.data, file.size);
  const guint32 box = 65000;
  g_autoptr (ThRender) job = NULL;
  g_autoptr (GError) error = NULL;
  ThLimits limits;
  ThImage image = { .channels = 0 };

  th_limits_init (&limits);
  th_render_open (input, &limits, &box, 1, NULL, &job, &error);
  g_assert_no_error (error);
  image.size = th_render_plan (job)->full;
  image.channels = th_render_plan (job)->channels;
  image.stride = (gsize) image.size.width * image.channels;
  image.data = g_malloc (image.stride * image.size.height);
  g_assert_cmpint (th_render_run (job, &image, &error), ==, TH_STATUS_OK);
  return image;
}

static double
sample (const Raw *raw, gsize index)
{
  guint16 deep;

  if (raw->raster.bits == 8)
    return raw->rows->data[index] / 255.0;
  memcpy (&deep, raw->rows->data + 2 * index, sizeof deep);
  return deep / 65535.0;
}

static gboolean
is_opaque (const Raw *raw, gsize pixel)
{
  const guint channels = th_raster_channels (&raw->raster);

  return raw->raster.alpha == TH_ALPHA_NONE || sample (raw, (pixel + 1) * channels - 1) >= 1;
}

/* Samples as lcms counts them. */
static void
samples_of (const Raw *raw, gsize pixel, double out[4])
{
  const guint channels = th_raster_channels (&raw->raster);
  const double top = raw->raster.color == TH_COLOR_CMYK ? 100 : 1;

  for (guint c = 0; c < (guint) raw->raster.color; c++)
    out[c] = sample (raw, pixel * channels + c) * top;
}

static ColorDifference
compare (const Raw *raw, const ThImage *image)
{
  g_autoptr (ColorReference) reference =
      color_reference_new (raw->raster.color, (ThBytes){ raw->icc->data, raw->icc->len });
  const gsize pixels = (gsize) image->size.width * image->size.height;
  const gsize step = MAX (pixels / PROBES, 1);
  ColorDifference result = { 0, 0 };
  gsize n = 0;

  g_assert_cmpuint (image->size.width, ==, raw->raster.width);
  for (gsize i = 0; i < pixels; i += step)
    {
      double in[4], difference;

      if (!is_opaque (raw, i))
        continue;
      samples_of (raw, i, in);
      difference = color_reference_difference (reference, in, image->data + i * image->channels);
      result.worst = MAX (result.worst, difference);
      result.mean += difference;
      n++;
    }
  g_assert_cmpuint (n, >, 0);
  result.mean /= (double) n;
  return result;
}

/* FALSE where there are none of those pictures. */
static gboolean
read_picture (const char *name, char **content, gsize *size)
{
  const char *folder = g_getenv ("TH_TEST_PICTURES");
  g_autofree char *path = NULL;

  if (folder == NULL)
    {
      g_test_skip ("TH_TEST_PICTURES is not set");
      return FALSE;
    }
  path = g_build_filename (folder, name, NULL);
  if (g_file_get_contents (path, content, size, NULL))
    return TRUE;
  g_test_skip ("this picture is not there");
  return FALSE;
}

static void
test_profile (gconstpointer data)
{
  g_autofree char *content = NULL;
  g_auto (Raw) raw = { 0 };
  ColorDifference difference;
  ThImage image;
  gsize size;

  raw.rows = g_byte_array_new ();
  raw.icc = g_byte_array_new ();
  if (!read_picture (data, &content, &size))
    return;
  raw_clear (&raw);
  decode_raw ((ThBytes){ (guint8 *) content, size }, &raw);
  g_assert_cmpuint (raw.icc->len, >, 0);
  image = render ((ThBytes){ (guint8 *) content, size });
  difference = compare (&raw, &image);
  g_free (image.data);
  g_test_message ("worst %.2f, mean %.3f", difference.worst, difference.mean);
  g_assert_cmpfloat (difference.worst, <=, WORST);
  g_assert_cmpfloat (difference.mean, <=, MEAN);
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  return *(const guint8 *) a - *(const guint8 *) b;
}

/* Greatest difference of a channel in each pixel, in order. */
static GByteArray *
differences (const ThImage *a, const ThImage *b)
{
  GByteArray *result = g_byte_array_new ();

  g_assert_cmpuint (a->channels, ==, 3);
  g_assert_cmpuint (b->channels, ==, 3);
  for (gsize i = 0; i < a->stride * a->size.height; i += 3)
    {
      guint8 worst = 0;

      for (guint c = 0; c < 3; c++)
        {
          const int difference = a->data[i + c] - b->data[i + c];

          worst = (guint8) MAX (worst, ABS (difference));
        }
      g_byte_array_append (result, &worst, 1);
    }
  qsort (result->data, result->len, 1, by_number);
  return result;
}

/* Pictures that are the same once their gamma has been followed; some numbers drawn into them
 * differ. */
static void
test_gamma (gconstpointer data)
{
  static const char *const gammas[] = { "g04", "g03", "g05", "g07", "g10", "g25" };
  g_autofree guint8 *first = NULL;
  ThImage reference = { .channels = 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (gammas); i++)
    {
      g_autofree char *name =
          g_strdup_printf ("pngsuite/codec-corpus__%s%s.png", gammas[i], (const char *) data);
      g_autofree char *content = NULL;
      g_autofree guint8 *pixels = NULL;
      g_autoptr (GByteArray) differ = NULL;
      ThImage image;
      gsize size;

      if (!read_picture (name, &content, &size))
        return;
      image = render ((ThBytes){ (guint8 *) content, size });
      if (i == 0)
        {
          first = image.data;
          reference = image;
          continue;
        }
      pixels = image.data;
      differ = differences (&image, &reference);
      g_assert_cmpuint (differ->data[differ->len / 2], <=, MIDDLE_SAME);
      g_assert_cmpuint (differ->data[differ->len * 9 / 10], <=, MOST_SAME);
    }
}

int
main (int argc, char **argv)
{
  static const char *const profiles[] = {
    "icc/avif-sample-images__red-at-12-oclock-with-color-profile.jpg",
    "icc/avif-sample-images__red-at-12-oclock-with-color-profile.png",
    "icc/libjxl-testdata__Google-Pixel2XL-16bit_acescg_g1_v4_krita.png",
    "icc/libjxl-testdata__HUAWEI-EVA-L09-16bit_709_g1_dt.png",
    "icc/libjxl-testdata__P3-sRGB-red.png",
    "icc/libjxl-testdata__rgb-to-gbr-test.png",
    "metadata-multi/libavif__paris_icc_exif_xmp.png",
    "mixed-go/golang-image__gopher-doc.with-alpha.lossless.webp",
    "mixed-wuffs/wuffs__red-blue-gradient.dcip3d65-no-chrm-no-gama.png",
    "photos/budgie-backgrounds__canyon-wren.jpg",
    "photos/metadata-extractor-images__Multiple_ICC_segments.jpg",
  };
  static const char *const shapes[] = { "n0g16", "n2c08", "n3p04" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (profiles); i++)
    {
      g_autofree char *path = g_strconcat ("/color-pictures/", profiles[i], NULL);

      g_test_add_data_func (path, profiles[i], test_profile);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autofree char *path = g_strconcat ("/color-pictures/gamma/", shapes[i], NULL);

      g_test_add_data_func (path, shapes[i], test_gamma);
    }
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "bombs-tiff.h"
#include "made.h"
#include "tiff-memory.h"

#define WIDTH  61u
#define HEIGHT 47u

typedef struct
{
  const char *name;
  guint photometric;
  guint samples;
  guint bits;
  guint compression;
  guint rows; /* of a strip, or the side of a tile */
  guint format;
  guint extra; /* of EXTRASAMPLES, where there is a sample more than colours */
  const char *mode;
  guint predictor;
  guint tolerance;
  guint mean;
  guint orientation;
  gboolean tiled;
  gboolean separate;
  gboolean reversed; /* bits within bytes */
} Spec;

#define GREY  PHOTOMETRIC_MINISBLACK
#define WHITE PHOTOMETRIC_MINISWHITE
#define RGB   PHOTOMETRIC_RGB
#define INK   PHOTOMETRIC_SEPARATED
#define MAP   PHOTOMETRIC_PALETTE
#define LAB   PHOTOMETRIC_CIELAB
#define FLOAT SAMPLEFORMAT_IEEEFP
#define INT   SAMPLEFORMAT_INT

static const Spec specs[] = {
  { "rgb-none", RGB, 3, 8, COMPRESSION_NONE, 7 },
  { "rgb-none-one-strip", RGB, 3, 8, COMPRESSION_NONE, HEIGHT },
  { "rgb-lzw", RGB, 3, 8, COMPRESSION_LZW, 7 },
  { "rgb-lzw-predictor", RGB, 3, 8, COMPRESSION_LZW, 9, .predictor = 2 },
  { "rgb-deflate", RGB, 3, 8, COMPRESSION_ADOBE_DEFLATE, HEIGHT },
  { "rgb-old-deflate", RGB, 3, 8, COMPRESSION_DEFLATE, 5 },
  { "rgb-packbits", RGB, 3, 8, COMPRESSION_PACKBITS, 7 },
  { "rgb-zstd", RGB, 3, 8, COMPRESSION_ZSTD, 7 },
  { "rgb-lzma", RGB, 3, 8, COMPRESSION_LZMA, 20 },
  { "rgb-webp", RGB, 3, 8, COMPRESSION_WEBP, 16, .mean = 6 },
  { "rgb-lerc", RGB, 3, 8, COMPRESSION_LERC, 16 },
  { "rgb-jpeg", RGB, 3, 8, COMPRESSION_JPEG, 16, .mean = 4 },
  { "ycbcr-jpeg", PHOTOMETRIC_YCBCR, 3, 8, COMPRESSION_JPEG, 16, .mean = 6 },
  { "ycbcr-jpeg-tiles", PHOTOMETRIC_YCBCR, 3, 8, COMPRESSION_JPEG, 16, .mean = 6, .tiled = TRUE },
  { "rgb-tiles", RGB, 3, 8, COMPRESSION_ADOBE_DEFLATE, 16, .tiled = TRUE },
  { "rgb-tiles-none", RGB, 3, 8, COMPRESSION_NONE, 32, .tiled = TRUE },
  { "rgb-planes", RGB, 3, 8, COMPRESSION_LZW, 11, .separate = TRUE },
  { "rgb-planes-none", RGB, 3, 8, COMPRESSION_NONE, 11, .separate = TRUE },
  { "rgb-planes-tiles", RGB, 3, 8, COMPRESSION_LZW, 16, .tiled = TRUE, .separate = TRUE },
  { "rgba-planes-16", RGB, 4, 16, COMPRESSION_LZW, 16, .separate = TRUE, .extra = 2 },
  { "rgb-big-endian", RGB, 3, 8, COMPRESSION_NONE, 7, .mode = "wb" },
  { "rgb-bigtiff", RGB, 3, 8, COMPRESSION_NONE, 7, .mode = "w8" },
  { "rgb-bigtiff-big-endian", RGB, 3, 16, COMPRESSION_LZW, 7, .mode = "w8b" },
  { "rgb-16", RGB, 3, 16, COMPRESSION_NONE, 7 },
  { "rgb-16-big-endian", RGB, 3, 16, COMPRESSION_NONE, 7, .mode = "wb" },
  { "rgb-16-predictor", RGB, 3, 16, COMPRESSION_ADOBE_DEFLATE, 7, .predictor = 2 },
  { "rgb-12", RGB, 3, 12, COMPRESSION_NONE, 7 },
  { "rgb-32", RGB, 3, 32, COMPRESSION_NONE, 7, .mode = "wb" },
  { "rgb-4", RGB, 3, 4, COMPRESSION_LZW, 7 },
  { "rgb-float", RGB, 3, 32, COMPRESSION_NONE, 7, FLOAT },
  { "rgb-float-predictor", RGB, 3, 32, COMPRESSION_ADOBE_DEFLATE, 7, FLOAT, .predictor = 3 },
  { "rgb-float-16", RGB, 3, 16, COMPRESSION_NONE, 7, FLOAT, .mode = "wb", .tolerance = 1 },
  { "rgb-float-64", RGB, 3, 64, COMPRESSION_NONE, 7, FLOAT },
  { "grey-float", GREY, 1, 32, COMPRESSION_NONE, 7, FLOAT },
  { "grey-int", GREY, 1, 16, COMPRESSION_NONE, 7, INT },
  { "grey-int-8", GREY, 1, 8, COMPRESSION_NONE, 7, INT, .tolerance = 2 },
  { "rgba", RGB, 4, 8, COMPRESSION_LZW, 7, .extra = EXTRASAMPLE_UNASSALPHA },
  { "rgba-premultiplied", RGB, 4, 8, COMPRESSION_NONE, 7, .extra = EXTRASAMPLE_ASSOCALPHA },
  { "rgbx", RGB, 4, 8, COMPRESSION_NONE, 7, .extra = 3 },
  { "rgb-unsaid", RGB, 4, 8, COMPRESSION_NONE, 7, .extra = 4 },
  { "rgba-16", RGB, 4, 16, COMPRESSION_LZW, 7, .extra = EXTRASAMPLE_UNASSALPHA },
  { "grey", GREY, 1, 8, COMPRESSION_LZW, 7 },
  { "grey-alpha", GREY, 2, 8, COMPRESSION_LZW, 7, .extra = EXTRASAMPLE_UNASSALPHA },
  { "white-alpha", WHITE, 2, 8, COMPRESSION_LZW, 7, .extra = EXTRASAMPLE_UNASSALPHA },
  { "grey-16", GREY, 1, 16, COMPRESSION_NONE, 7 },
  { "grey-4", GREY, 1, 4, COMPRESSION_NONE, 7 },
  { "grey-2", GREY, 1, 2, COMPRESSION_PACKBITS, 7 },
  { "grey-1", GREY, 1, 1, COMPRESSION_NONE, 7 },
  { "grey-1-reversed", GREY, 1, 1, COMPRESSION_NONE, 7, .reversed = TRUE },
  { "grey-1-tiles", GREY, 1, 1, COMPRESSION_LZW, 16, .tiled = TRUE },
  { "grey-6", GREY, 1, 6, COMPRESSION_NONE, 7 },
  { "white", WHITE, 1, 8, COMPRESSION_NONE, 7 },
  { "white-16", WHITE, 1, 16, COMPRESSION_LZW, 7 },
  { "white-4", WHITE, 1, 4, COMPRESSION_LZW, 7 },
  { "fax3", WHITE, 1, 1, COMPRESSION_CCITTFAX3, 7 },
  { "fax4", WHITE, 1, 1, COMPRESSION_CCITTFAX4, HEIGHT },
  { "fax4-reversed", WHITE, 1, 1, COMPRESSION_CCITTFAX4, 13, .reversed = TRUE },
  { "fax-rle", WHITE, 1, 1, COMPRESSION_CCITTRLE, 13 },
  { "palette-8", MAP, 1, 8, COMPRESSION_LZW, 7 },
  { "palette-4", MAP, 1, 4, COMPRESSION_NONE, 7 },
  { "palette-1", MAP, 1, 1, COMPRESSION_NONE, 7 },
  { "palette-16", MAP, 1, 16, COMPRESSION_LZW, 7 },
  { "palette-of-bytes", MAP, 1, 8, COMPRESSION_LZW, 8 },
  { "cmyk", INK, 4, 8, COMPRESSION_LZW, 7 },
  { "cmyk-16", INK, 4, 16, COMPRESSION_NONE, 7, .tolerance = 1 },
  { "cmyk-alpha", INK, 5, 8, COMPRESSION_LZW, 7, .extra = EXTRASAMPLE_UNASSALPHA },
  { "cmyk-planes", INK, 4, 8, COMPRESSION_LZW, 7, .separate = TRUE },
  { "lab", LAB, 3, 8, COMPRESSION_LZW, 7, .mean = 2 },
  { "lab-16", LAB, 3, 16, COMPRESSION_LZW, 7, .tolerance = 1 },
  { "icclab-16", PHOTOMETRIC_ICCLAB, 3, 16, COMPRESSION_LZW, 7, .tolerance = 1 },
  { "ycbcr-none", PHOTOMETRIC_YCBCR, 3, 8, COMPRESSION_NONE, 7, .tolerance = 3 },
  { "orientation-2", RGB, 3, 8, COMPRESSION_LZW, 7, .orientation = 2 },
  { "orientation-3", RGB, 3, 8, COMPRESSION_LZW, 7, .orientation = 3 },
  { "orientation-4", RGB, 3, 8, COMPRESSION_LZW, 7, .orientation = 4 },
  { "orientation-5", RGB, 3, 8, COMPRESSION_LZW, 7, .orientation = 5 },
  { "orientation-6", RGB, 3, 8, COMPRESSION_LZW, 7, .orientation = 6 },
  { "orientation-7", RGB, 3, 8, COMPRESSION_LZW, 7, .orientation = 7 },
  { "orientation-8", RGB, 3, 8, COMPRESSION_JPEG, 16, .orientation = 8, .mean = 4 },
};

static guint
colors_of (const Spec *spec)
{
  if (spec->photometric == INK)
    return 4;
  return spec->photometric == GREY || spec->photometric == WHITE || spec->photometric == MAP ? 1
                                                                                             : 3;
}

static double
to_linear (double value)
{
  return value <= 0.04045 ? value / 12.92 : pow ((value + 0.055) / 1.055, 2.4);
}

/* CIE L*a*b* of D50, by the definitions. */
static void
to_lab (const guint8 *rgba, double *lab)
{
  static const double to_xyz[3][3] = {
    { 0.4360747, 0.3850649, 0.1430804 },
    { 0.2225045, 0.7168786, 0.0606169 },
    { 0.0139322, 0.0971045, 0.7141733 },
  };
  static const double white[3] = { 0.96422, 1.0, 0.82521 };
  double f[3];

  for (guint i = 0; i < 3; i++)
    {
      double t = 0;

      for (guint c = 0; c < 3; c++)
        t += to_xyz[i][c] * to_linear (rgba[c] / 255.0) / white[i];
      f[i] = t > 216.0 / 24389 ? cbrt (t) : (24389.0 / 27 * t + 16) / 116;
    }
  lab[0] = (116 * f[1] - 16) / 100;
  lab[1] = 500 * (f[0] - f[1]);
  lab[2] = 200 * (f[1] - f[2]);
}

/* As whole numbers of the depth, a and b as their two's complement or with ICC's offset. */
static void
lab_values (const Spec *spec, const guint8 *rgba, double *values)
{
  const gboolean icc = spec->photometric == PHOTOMETRIC_ICCLAB;
  const double unit = spec->bits == 8 ? 1 : 256;
  double lab[3];

  to_lab (rgba, lab);
  values[0] = lab[0] * (icc ? 65280 : (1 << spec->bits) - 1);
  for (guint i = 1; i < 3; i++)
    {
      values[i] = rint (lab[i] * unit + (icc ? 128 * unit : 0));
      if (values[i] < 0)
        values[i] += 1 << spec->bits;
    }
}

static void
ycbcr_values (const guint8 *rgba, double *values)
{
  const double y = 0.299 * rgba[0] + 0.587 * rgba[1] + 0.114 * rgba[2];

  values[0] = y;
  values[1] = (rgba[2] - y) / 1.772 + 128;
  values[2] = (rgba[0] - y) / 1.402 + 128;
}

/* 0 to 1 a colour. */
static void
plain_values (const Spec *spec, const guint8 *rgba, double *values)
{
  for (guint c = 0; c < 3; c++)
    {
      values[c] = rgba[c] / 255.0;
      if (spec->photometric == WHITE || spec->photometric == INK)
        values[c] = 1 - values[c];
      if (spec->format == FLOAT && spec->photometric == RGB)
        values[c] = to_linear (values[c]);
    }
  values[3] = 0;
}

static guint64
half_of (double value)
{
  int exponent;
  const double fraction = frexp (value, &exponent);

  if (value < 1.0 / 16384)
    return (guint64) rint (value * (1 << 24));
  return (guint64) (exponent + 14) * 1024 + (guint64) rint ((fraction * 2 - 1) * 1024);
}

static guint64
bits_of (const Spec *spec, double value)
{
  const float single = (float) value;
  guint32 whole;
  guint64 full;

  if (spec->format == FLOAT && spec->bits == 16)
    return half_of (value);
  if (spec->format == FLOAT && spec->bits == 64)
    {
      memcpy (&full, &value, 8);
      return full;
    }
  if (spec->format == FLOAT)
    {
      memcpy (&whole, &single, 4);
      return whole;
    }
  full = (G_GUINT64_CONSTANT (1) << (spec->bits - (spec->format == INT ? 1 : 0))) - 1;
  return (guint64) rint (value * (double) full);
}

static void
samples_of (const Spec *spec, const guint8 *rgba, guint64 *samples)
{
  const guint colors = colors_of (spec);
  double values[4];

  plain_values (spec, rgba, values);
  for (guint c = 0; c < colors; c++)
    samples[c] = bits_of (spec, values[c]);
  if (colors < spec->samples)
    samples[colors] = bits_of (spec, rgba[3] / 255.0);
  if (spec->photometric == LAB || spec->photometric == PHOTOMETRIC_ICCLAB)
    lab_values (spec, rgba, values);
  else if (spec->photometric == PHOTOMETRIC_YCBCR && spec->compression == COMPRESSION_NONE)
    ycbcr_values (rgba, values);
  else
    return;
  for (guint c = 0; c < 3; c++)
    samples[c] = (guint64) rint (values[c]);
}

static void
put_sample (guint8 *row, gsize index, guint bits, guint64 value)
{
  if (bits == 8)
    row[index] = (guint8) value;
  else if (bits == 16)
    ((guint16 *) (void *) row)[index] = (guint16) value;
  else if (bits == 32)
    ((guint32 *) (void *) row)[index] = (guint32) value;
  else if (bits == 64)
    memcpy (row + 8 * index, &value, 8);
  else
    for (guint i = 0; i < bits; i++)
      {
        const gsize bit = index * bits + i;

        if ((value >> (bits - 1 - i) & 1) != 0)
          row[bit / 8] |= (guint8) (0x80 >> bit % 8);
      }
}

/* A block of the picture, which may reach beyond it; of all samples or one. */
static guint8 *
pack (const Spec *spec, const Picture *drawn, guint32 x0, guint32 y0, ThSize block, int plane,
      gsize *row_bytes)
{
  const guint n = plane >= 0 ? 1 : spec->samples;
  guint8 *data;

  *row_bytes = ((gsize) block.width * n * spec->bits + 7) / 8;
  data = g_malloc0 (*row_bytes * block.height);
  for (guint32 y = 0; y < block.height; y++)
    for (guint32 x = 0; x < block.width; x++)
      {
        const guint32 px = MIN (x0 + x, WIDTH - 1);
        const guint32 py = MIN (y0 + y, HEIGHT - 1);
        guint64 samples[5] = { 0 };

        samples_of (spec, drawn->rgba + ((gsize) py * WIDTH + px) * 4, samples);
        for (guint s = 0; s < n; s++)
          put_sample (data + y * *row_bytes, (gsize) x * n + s, spec->bits,
                      samples[plane >= 0 ? (guint) plane : s]);
      }
  return data;
}

static void
write_tiles (TIFF *tiff, const Spec *spec, const Picture *drawn, int plane)
{
  const ThSize block = { spec->rows, spec->rows };

  for (guint32 y = 0; y < HEIGHT; y += block.height)
    for (guint32 x = 0; x < WIDTH; x += block.width)
      {
        gsize row_bytes;
        g_autofree guint8 *data = pack (spec, drawn, x, y, block, plane, &row_bytes);
        const guint32 tile = TIFFComputeTile (tiff, x, y, 0, (guint16) MAX (plane, 0));
        const tmsize_t size = (tmsize_t) (row_bytes * block.height);

        g_assert_cmpint (TIFFWriteEncodedTile (tiff, tile, data, size), ==, size);
      }
}

static void
write_strips (TIFF *tiff, const Spec *spec, const Picture *drawn, int plane)
{
  for (guint32 y = 0; y < HEIGHT; y += spec->rows)
    {
      const ThSize block = { WIDTH, MIN (spec->rows, HEIGHT - y) };
      gsize row_bytes;
      g_autofree guint8 *data = pack (spec, drawn, 0, y, block, plane, &row_bytes);
      const guint32 strip = TIFFComputeStrip (tiff, y, (guint16) MAX (plane, 0));
      const tmsize_t size = (tmsize_t) (row_bytes * block.height);

      g_assert_cmpint (TIFFWriteEncodedStrip (tiff, strip, data, size), ==, size);
    }
}

static void
set_palette (TIFF *tiff, const Spec *spec)
{
  const guint size = 1u << spec->bits;
  g_autofree guint16 *maps = g_new (guint16, 3 * (gsize) size);
  /* Some write 8-bit values. */
  const guint top = spec->rows == 8 ? 255 : 65535;

  for (guint i = 0; i < size; i++)
    {
      maps[i] = (guint16) rint ((double) i * top / (size - 1));
      maps[size + i] = (guint16) (top - maps[i]);
      maps[2 * size + i] = (guint16) (top / 255 * 128);
    }
  TIFFSetField (tiff, TIFFTAG_COLORMAP, maps, maps + size, maps + 2 * (gsize) size);
}

static void
set_extra (TIFF *tiff, const Spec *spec)
{
  const guint16 kinds[] = { (guint16) (spec->extra <= 2 ? spec->extra : 0) };

  /* 4: the tag is left out. */
  if (spec->extra > 0 && spec->extra < 4)
    TIFFSetField (tiff, TIFFTAG_EXTRASAMPLES, 1, kinds);
}

static void
set_tags (TIFF *tiff, const Spec *spec)
{
  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, spec->bits);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, spec->samples);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, spec->photometric);
  TIFFSetField (tiff, TIFFTAG_COMPRESSION, spec->compression);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG,
                spec->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  TIFFSetField (tiff, TIFFTAG_FILLORDER, spec->reversed ? FILLORDER_LSB2MSB : FILLORDER_MSB2LSB);
  TIFFSetField (tiff, TIFFTAG_ORIENTATION, MAX (spec->orientation, 1));
  if (spec->format != 0)
    TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT, spec->format);
  if (spec->predictor != 0)
    TIFFSetField (tiff, TIFFTAG_PREDICTOR, spec->predictor);
  if (spec->tiled)
    {
      TIFFSetField (tiff, TIFFTAG_TILEWIDTH, spec->rows);
      TIFFSetField (tiff, TIFFTAG_TILELENGTH, spec->rows);
    }
  else
    TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, spec->rows);
  if (spec->photometric == PHOTOMETRIC_YCBCR && spec->compression == COMPRESSION_JPEG)
    TIFFSetField (tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  else if (spec->photometric == PHOTOMETRIC_YCBCR)
    TIFFSetField (tiff, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
  if (spec->photometric == MAP)
    set_palette (tiff, spec);
  set_extra (tiff, spec);
}

/* What remains of the drawing in so few bits or in a palette, and under alpha. */
static void
reduce (const Spec *spec, Picture *drawn)
{
  const double max = (double) ((G_GUINT64_CONSTANT (1) << MIN (spec->bits, 16)) - 1);

  for (gsize i = 0; i < (gsize) WIDTH * HEIGHT * 4; i++)
    if (i % 4 < 3 && spec->bits < 8)
      drawn->rgba[i] = (guint8) rint (
          rint ((spec->photometric == WHITE ? 255 - drawn->rgba[i] : drawn->rgba[i]) * max / 255)
          * 255 / max);
  for (gsize i = 0; i < (gsize) WIDTH * HEIGHT * 4; i += 4)
    {
      for (guint c = 0; c < 3 && spec->bits < 8 && spec->photometric == WHITE; c++)
        drawn->rgba[i + c] = 255 - drawn->rgba[i + c];
      for (guint c = 0; c < 3 && spec->extra == EXTRASAMPLE_ASSOCALPHA; c++)
        drawn->rgba[i + c] = (guint8) (drawn->rgba[i + c] * drawn->rgba[i + 3] / 255);
      if (spec->photometric == MAP)
        memcpy (drawn->rgba + i + 1, (guint8[]){ 255 - drawn->rgba[i], 128 }, 2);
    }
}

static Made *
make (const Spec *spec)
{
  const ThSize size = { WIDTH, HEIGHT };
  const gboolean alpha = spec->extra != 0 && spec->extra != 3;
  Picture *drawn = made_drawing (size, colors_of (spec) == 1, alpha);
  Made *made = made_new (g_strdup (spec->name), TH_STATUS_OK, drawn, MAX (spec->tolerance, 1));
  TiffMemory memory = { .bytes = made->data };
  TIFF *tiff = tiff_memory_open (&memory, spec->mode != NULL ? spec->mode : "w");
  const int planes = spec->separate ? (int) spec->samples : 1;

  made->mean = spec->mean;
  made->orientation = MAX (spec->orientation, 1);
  reduce (spec, drawn);
  set_tags (tiff, spec);
  for (int i = 0; i < planes; i++)
    if (spec->tiled)
      write_tiles (tiff, spec, drawn, spec->separate ? i : -1);
    else
      write_strips (tiff, spec, drawn, spec->separate ? i : -1);
  TIFFClose (tiff);
  return made;
}

GPtrArray *
made_pictures (void)
{
  GPtrArray *pictures = g_ptr_array_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    if (TIFFIsCODECConfigured ((guint16) specs[i].compression))
      g_ptr_array_add (pictures, make (&specs[i]));
  bombs_tiff_add (pictures);
  return pictures;
}

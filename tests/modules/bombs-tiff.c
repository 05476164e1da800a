/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "bombs-tiff.h"

#include <string.h>
#include <tiffio.h>

#include "codecs/jpeg-maker.h"
#include "made.h"
#include "tiff-memory.h"

/* A page of 8-bit grey in one strip, as its tags say. */
typedef struct
{
  guint32 width;
  guint32 height;
  guint32 bits;
  guint32 samples;
  guint32 compression;
  guint32 photometric;
  guint32 rows;
  guint32 kind;
  guint32 tile;    /* 0: strips */
  guint32 offsets; /* where the strips' offsets lie, and how many there are */
  guint32 blocks;
  guint32 data;  /* the only strip, where blocks is 0 or 1 */
  guint32 bytes; /* of the strip, or where their numbers lie */
} Page;

static void
put_16 (GByteArray *file, guint value)
{
  const guint8 bytes[2] = { (guint8) value, (guint8) (value >> 8) };

  g_byte_array_append (file, bytes, 2);
}

static void
put_32 (GByteArray *file, guint32 value)
{
  put_16 (file, value & 0xffff);
  put_16 (file, value >> 16);
}

static void
put_entry (GByteArray *file, guint tag, guint32 count, guint32 value)
{
  put_16 (file, tag);
  put_16 (file, TIFF_LONG);
  put_32 (file, count);
  put_32 (file, value);
}

static void
put_header (GByteArray *file, guint32 first)
{
  g_byte_array_append (file, (const guint8 *) "II*\0", 4);
  put_32 (file, first);
}

/* Bytes of put_page's directory. */
#define PAGE_BYTES (2u + 12u * 10u + 4u)

static void
put_page (GByteArray *file, const Page *page, guint32 next)
{
  const gboolean tiled = page->tile > 0;
  const guint32 blocks = MAX (page->blocks, 1);

  put_16 (file, tiled ? 11 : 10);
  put_entry (file, TIFFTAG_SUBFILETYPE, 1, page->kind);
  put_entry (file, TIFFTAG_IMAGEWIDTH, 1, page->width);
  put_entry (file, TIFFTAG_IMAGELENGTH, 1, page->height);
  put_entry (file, TIFFTAG_BITSPERSAMPLE, 1, page->bits);
  put_entry (file, TIFFTAG_COMPRESSION, 1, page->compression);
  put_entry (file, TIFFTAG_PHOTOMETRIC, 1, page->photometric);
  if (!tiled)
    put_entry (file, TIFFTAG_STRIPOFFSETS, blocks, page->data);
  put_entry (file, TIFFTAG_SAMPLESPERPIXEL, 1, page->samples);
  if (!tiled)
    {
      put_entry (file, TIFFTAG_ROWSPERSTRIP, 1, page->rows);
      put_entry (file, TIFFTAG_STRIPBYTECOUNTS, blocks, page->bytes);
    }
  else
    {
      put_entry (file, TIFFTAG_TILEWIDTH, 1, page->tile);
      put_entry (file, TIFFTAG_TILELENGTH, 1, page->tile);
      put_entry (file, TIFFTAG_TILEOFFSETS, blocks, page->data);
      put_entry (file, TIFFTAG_TILEBYTECOUNTS, blocks, page->bytes);
    }
  put_32 (file, next);
}

static const Page plain = {
  .width = 40,
  .height = 30,
  .bits = 8,
  .samples = 1,
  .compression = COMPRESSION_NONE,
  .photometric = PHOTOMETRIC_MINISBLACK,
  .rows = 30,
  .data = 8,
  .bytes = 1200,
};

static Made *
add (GPtrArray *pictures, const char *name, ThStatus expected)
{
  Made *made = made_new (g_strdup (name), expected, NULL, 0);

  g_ptr_array_add (pictures, made);
  return made;
}

static void
add_page (GPtrArray *pictures, const char *name, ThStatus expected, const Page *page)
{
  Made *made = add (pictures, name, expected);

  put_header (made->data, 8);
  put_page (made->data, page, 0);
  g_byte_array_set_size (made->data, made->data->len + 1200);
}

/* One page that lies in one way each. */
static void
add_lies (GPtrArray *pictures)
{
  static const struct
  {
    const char *name;
    ThStatus expected;
    guint32 change[10]; /* of width, height, bits, samples, compression, photometric, rows, kind,
                           tile */
  } lies[] = {
    { "lie-wide", TH_STATUS_TOO_LARGE, { 100000000, 100000 } },
    { "lie-largest", TH_STATUS_CORRUPT, { G_MAXUINT32, G_MAXUINT32 } },
    { "lie-tile", TH_STATUS_TOO_LARGE, { [8] = 65536 } },
    { "lie-bits-0", TH_STATUS_NOT_MINE, { [2] = 40 } },
    { "lie-bits-many", TH_STATUS_NOT_MINE, { [2] = 64 } },
    { "lie-compression", TH_STATUS_NOT_MINE, { [4] = 60000 } },
    { "lie-photometric", TH_STATUS_NOT_MINE, { [5] = 32803 } },
    { "lie-jpeg", TH_STATUS_CORRUPT, { [4] = COMPRESSION_JPEG } },
    { "lie-fax", TH_STATUS_CORRUPT, { [4] = COMPRESSION_CCITTFAX4 } },
    { "lie-zstd", TH_STATUS_CORRUPT, { [4] = COMPRESSION_ZSTD } },
    { "lie-lzw", TH_STATUS_CORRUPT, { [4] = COMPRESSION_LZW } },
    /* Shown as grey. */
    { "lie-palette", TH_STATUS_OK, { [5] = PHOTOMETRIC_PALETTE } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      Page page = plain;
      guint32 *fields = (guint32 *) &page;

      page.data = 8 + PAGE_BYTES;
      for (guint f = 0; f < 9; f++)
        if (lies[i].change[f] != 0)
          fields[f] = lies[i].change[f];
      add_page (pictures, lies[i].name, lies[i].expected, &page);
    }
}

/* Copies that follow each other in a ring: the first page is one, too. */
static void
add_ring (GPtrArray *pictures)
{
  Made *made = add (pictures, "ring", TH_STATUS_OK);
  Page page = plain;

  page.kind = FILETYPE_REDUCEDIMAGE;
  page.data = 8 + 2 * PAGE_BYTES;
  put_header (made->data, 8);
  put_page (made->data, &page, 8 + PAGE_BYTES);
  put_page (made->data, &page, 8);
  g_byte_array_set_size (made->data, page.data + 1200);
}

/* As many pages as fit, none of which is the picture. */
static void
add_pages (GPtrArray *pictures)
{
  const guint n = 20000;
  Made *made = add (pictures, "pages", TH_STATUS_OK);
  Page page = plain;

  page.kind = FILETYPE_REDUCEDIMAGE;
  page.data = 8 + n * PAGE_BYTES;
  put_header (made->data, 8);
  for (guint i = 0; i < n; i++)
    put_page (made->data, &page, i + 1 < n ? 8 + (i + 1) * PAGE_BYTES : 0);
  g_byte_array_set_size (made->data, page.data + 1200);
}

/* A directory with sixty thousand others below it, all of them itself. */
static void
add_below (GPtrArray *pictures)
{
  const guint32 n = 60000;
  Made *made = add (pictures, "below", TH_STATUS_OK);
  Page page = plain;

  page.data = 8 + PAGE_BYTES + 12;
  put_header (made->data, 8);
  put_page (made->data, &page, 0);
  /* One entry more, before the offset of the next directory. */
  made->data->data[8]++;
  g_byte_array_set_size (made->data, made->data->len - 4);
  put_entry (made->data, TIFFTAG_SUBIFD, n, page.data + 1200);
  put_32 (made->data, 0);
  g_byte_array_set_size (made->data, page.data + 1200);
  for (guint i = 0; i < n; i++)
    put_32 (made->data, 8);
}

/* One pixel a strip, all strips the same. */
static void
add_strips (GPtrArray *pictures, const char *name, guint32 compression, ThStatus expected)
{
  const guint32 n = 100000;
  Made *made = add (pictures, name, expected);
  Page page = plain;

  page.width = 1;
  page.height = page.blocks = n;
  page.rows = 1;
  page.compression = compression;
  page.data = 8 + PAGE_BYTES;
  page.bytes = page.data + 4 * n;
  put_header (made->data, 8);
  put_page (made->data, &page, 0);
  for (guint i = 0; i < n; i++)
    put_32 (made->data, 8);
  for (guint i = 0; i < n; i++)
    put_32 (made->data, 4);
}

static void
write_page (TIFF *tiff, ThSize size, guint level, guint kind)
{
  g_autofree guint8 *row = g_malloc (size.width);

  memset (row, (int) level, size.width);
  TIFFSetField (tiff, TIFFTAG_SUBFILETYPE, kind);
  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, size.width);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, size.height);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField (tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, size.height);
  for (guint32 y = 0; y < size.height; y++)
    g_assert_cmpint (TIFFWriteScanline (tiff, row, y, 0), ==, 1);
}

static Picture *
grey (ThSize size, guint8 level)
{
  Picture *picture = picture_new (size);

  memset (picture->rgba, level, (gsize) size.width * size.height * 4);
  for (gsize i = 3; i < (gsize) size.width * size.height * 4; i += 4)
    picture->rgba[i] = 255;
  return picture;
}

/* A thumbnail that comes first is not the picture. */
static void
add_thumbnail_first (GPtrArray *pictures)
{
  const ThSize size = { 200, 150 };
  Made *made = made_new (g_strdup ("thumbnail-first"), TH_STATUS_OK, grey (size, 77), 0);
  TiffMemory memory = { .bytes = made->data };
  TIFF *tiff = tiff_memory_open (&memory, "w");

  write_page (tiff, (ThSize){ 20, 15 }, 200, FILETYPE_REDUCEDIMAGE);
  TIFFWriteDirectory (tiff);
  write_page (tiff, size, 77, 0);
  TIFFClose (tiff);
  g_ptr_array_add (pictures, made);
}

/* Photoshop's layers are in a tag, which nobody needs here. */
static void
add_layers (GPtrArray *pictures)
{
  Made *made = made_new (g_strdup ("layers"), TH_STATUS_OK, grey ((ThSize){ 60, 40 }, 33), 0);
  TiffMemory memory = { .bytes = made->data };
  TIFF *tiff = tiff_memory_open (&memory, "w");
  const guint32 size = 8 * 1024 * 1024;
  g_autofree guint8 *layers = g_malloc0 (size);

  TIFFSetField (tiff, TIFFTAG_IMAGESOURCEDATA, size, layers);
  write_page (tiff, (ThSize){ 60, 40 }, 33, 0);
  TIFFClose (tiff);
  g_ptr_array_add (pictures, made);
}

/* A small file whose picture is large: every row is the same. */
static void
add_compressed (GPtrArray *pictures)
{
  Made *made = add (pictures, "compressed", TH_STATUS_OK);
  TiffMemory memory = { .bytes = made->data };
  TIFF *tiff = tiff_memory_open (&memory, "w");

  write_page (tiff, (ThSize){ 6000, 4000 }, 0, 0);
  TIFFClose (tiff);
}

/* TIFF 6.0's first way to hold JPEG, which libtiff reads and does not write. */
static void
add_old_jpeg (GPtrArray *pictures)
{
  const JpegRecipe recipe = {
    .width = 61, .height = 47, .stored = JCS_YCbCr, .h = 2, .v = 2, .flat = TRUE
  };
  g_autoptr (GByteArray) jpeg = jpeg_make (&recipe);
  Made *made = add (pictures, "old-jpeg", TH_STATUS_OK);
  const guint32 data = 8 + 2 + 12 * 11 + 4;

  put_header (made->data, 8);
  put_16 (made->data, 11);
  put_entry (made->data, TIFFTAG_IMAGEWIDTH, 1, 61);
  put_entry (made->data, TIFFTAG_IMAGELENGTH, 1, 47);
  put_entry (made->data, TIFFTAG_BITSPERSAMPLE, 1, 8);
  put_entry (made->data, TIFFTAG_COMPRESSION, 1, COMPRESSION_OJPEG);
  put_entry (made->data, TIFFTAG_PHOTOMETRIC, 1, PHOTOMETRIC_YCBCR);
  put_entry (made->data, TIFFTAG_STRIPOFFSETS, 1, data);
  put_entry (made->data, TIFFTAG_SAMPLESPERPIXEL, 1, 3);
  put_entry (made->data, TIFFTAG_ROWSPERSTRIP, 1, 47);
  put_entry (made->data, TIFFTAG_STRIPBYTECOUNTS, 1, jpeg->len);
  put_entry (made->data, TIFFTAG_JPEGIFOFFSET, 1, data);
  put_entry (made->data, TIFFTAG_JPEGIFBYTECOUNT, 1, jpeg->len);
  put_32 (made->data, 0);
  g_byte_array_append (made->data, jpeg->data, jpeg->len);
}

void
bombs_tiff_add (GPtrArray *pictures)
{
  add_lies (pictures);
  add_ring (pictures);
  add_pages (pictures);
  add_below (pictures);
  add_strips (pictures, "strips", COMPRESSION_NONE, TH_STATUS_OK);
  add_strips (pictures, "strips-packbits", COMPRESSION_PACKBITS, TH_STATUS_OK);
  add_strips (pictures, "strips-lzw", COMPRESSION_LZW, TH_STATUS_CORRUPT);
  add_thumbnail_first (pictures);
  add_layers (pictures);
  add_compressed (pictures);
  add_old_jpeg (pictures);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/tiff-page.h"

/* Strips of at most this size are read whole, which lets libtiff use its faster ways. */
#define BAND_BYTES (1024u * 1024u)
/* Of a strip without compression, at once. */
#define DIRECT_BYTES (64u * 1024u)
/* Blocks whose stored sizes are looked up; where there are more, they are small. */
#define BLOCKS_LOOKED_AT 4096u
/* More than a block that was not made to mislead takes, in relation to its pixels. */
#define PACKED_SLACK 65536u
/* libtiff's struct, the values of the tags and its list of known ones. */
#define DIRECTORY_BYTES (128u * 1024u)

/* What the photometric interpretation says, and how many samples it takes. */
typedef struct
{
  guint photometric;
  guint samples;
  ThColorModel color;
  ThTiffMeaning meaning;
} Kind;

static const Kind kinds[] = {
  { PHOTOMETRIC_MINISWHITE, 1, TH_COLOR_GREY, TH_TIFF_INVERT },
  { PHOTOMETRIC_MINISBLACK, 1, TH_COLOR_GREY, TH_TIFF_PLAIN },
  { PHOTOMETRIC_MASK, 1, TH_COLOR_GREY, TH_TIFF_PLAIN },
  { PHOTOMETRIC_RGB, 3, TH_COLOR_RGB, TH_TIFF_PLAIN },
  { PHOTOMETRIC_PALETTE, 1, TH_COLOR_RGB, TH_TIFF_PALETTE },
  { PHOTOMETRIC_SEPARATED, 4, TH_COLOR_CMYK, TH_TIFF_PLAIN },
  { PHOTOMETRIC_CIELAB, 3, TH_COLOR_RGB, TH_TIFF_CIELAB },
  { PHOTOMETRIC_ICCLAB, 3, TH_COLOR_RGB, TH_TIFF_ICCLAB },
};

/* What a decoder may hold beside the blocks: fixed, and per pixel of a block's width and of a whole
 * block. */
typedef struct
{
  guint compression;
  guint64 fixed;
  guint a_column;
  guint a_pixel;
} Appetite;

#define KIB (1024u)
#define MIB (1024u * KIB)

/* A window of zstd or LZMA is as large as the encoder chose: usual levels have up to 8 MiB, and
 * what asks for more meets the worker's limit. */
static const Appetite appetites[] = {
  { COMPRESSION_CCITTRLE, 64 * KIB, 40, 0 },
  { COMPRESSION_CCITTRLEW, 64 * KIB, 40, 0 },
  { COMPRESSION_CCITTFAX3, 64 * KIB, 40, 0 },
  { COMPRESSION_CCITTFAX4, 64 * KIB, 40, 0 },
  { COMPRESSION_LZW, 256 * KIB, 0, 0 },
  { COMPRESSION_ADOBE_DEFLATE, 128 * KIB, 0, 0 },
  { COMPRESSION_DEFLATE, 128 * KIB, 0, 0 },
  /* A progressive picture is held in whole as 16-bit coefficients. */
  { COMPRESSION_JPEG, 512 * KIB, 200, 8 },
  { COMPRESSION_OJPEG, 512 * KIB, 200, 8 },
  { COMPRESSION_ZSTD, 10 * MIB, 0, 0 },
  { COMPRESSION_LZMA, 12 * MIB, 0, 0 },
  { COMPRESSION_WEBP, 2 * MIB, 200, 16 },
  { COMPRESSION_LERC, 1 * MIB, 0, 48 },
  { COMPRESSION_PIXARLOG, 512 * KIB, 0, 16 },
  { COMPRESSION_SGILOG, 64 * KIB, 0, 16 },
  { COMPRESSION_SGILOG24, 64 * KIB, 0, 16 },
};

static guint
field_16 (TIFF *tiff, guint32 tag, guint missing)
{
  guint16 value;

  return TIFFGetFieldDefaulted (tiff, tag, &value) ? value : missing;
}

static ThStatus
refuse (GError **error, const char *what)
{
  g_set_error (error, TH_ERROR, TH_ERROR_INVALID_FORMAT, "TIFF: %s", what);
  return TH_STATUS_NOT_MINE;
}

static guint
photometric_of (const ThTiffPage *page, TIFF *tiff)
{
  guint16 value;

  if (TIFFGetField (tiff, TIFFTAG_PHOTOMETRIC, &value))
    return value;
  if (page->compression >= COMPRESSION_CCITTRLE && page->compression <= COMPRESSION_CCITTFAX4)
    return PHOTOMETRIC_MINISWHITE;
  return page->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
}

static gboolean
read_number (ThTiffPage *page, TIFF *tiff)
{
  const guint format = field_16 (tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  const gboolean whole_bytes = page->bits == 8 || page->bits == 16 || page->bits == 32;

  if (format == SAMPLEFORMAT_IEEEFP)
    {
      page->number = TH_TIFF_FLOAT;
      return page->bits == 16 || page->bits == 24 || page->bits == 32 || page->bits == 64;
    }
  page->number = format == SAMPLEFORMAT_INT ? TH_TIFF_INT : TH_TIFF_UINT;
  if (format != SAMPLEFORMAT_INT && format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID)
    return FALSE;
  return page->bits >= 1 && page->bits <= 32 && (page->number == TH_TIFF_UINT || whole_bytes);
}

static const Kind *
find_kind (ThTiffPage *page, TIFF *tiff)
{
  guint photometric = photometric_of (page, tiff);

  if (page->compression == COMPRESSION_OJPEG || page->compression == COMPRESSION_SGILOG
      || page->compression == COMPRESSION_SGILOG24)
    return NULL;
  if (photometric == PHOTOMETRIC_YCBCR && page->compression == COMPRESSION_JPEG && !page->separate)
    {
      page->jpeg_rgb = TRUE;
      photometric = PHOTOMETRIC_RGB;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].photometric == photometric && kinds[i].samples <= page->samples)
      return &kinds[i];
  return NULL;
}

/* Other inks than the usual four have no colours that could be told; libtiff takes the rest. */
static gboolean
is_usual (const ThTiffPage *page, const Kind *kind, TIFF *tiff)
{
  if (kind->color == TH_COLOR_CMYK)
    return field_16 (tiff, TIFFTAG_INKSET, INKSET_CMYK) == INKSET_CMYK;
  if (kind->meaning == TH_TIFF_PALETTE)
    return page->bits <= 16 && page->number == TH_TIFF_UINT;
  if (kind->meaning == TH_TIFF_CIELAB || kind->meaning == TH_TIFF_ICCLAB)
    return (page->bits == 8 || page->bits == 16) && page->number != TH_TIFF_FLOAT;
  return TRUE;
}

/* One sample too many is alpha where the file says nothing of it, which libtiff does not tell; what
 * it calls unspecified is not shown, for it can be a mask or a spot colour as well. */
static void
read_alpha (ThTiffPage *page, const ThTiffClient *client, const Kind *kind)
{
  static const ThAlpha alphas[] = {
    [EXTRASAMPLE_UNSPECIFIED] = TH_ALPHA_NONE,
    [EXTRASAMPLE_ASSOCALPHA] = TH_ALPHA_PREMULTIPLIED,
    [EXTRASAMPLE_UNASSALPHA] = TH_ALPHA_STRAIGHT,
  };
  const guint16 *extra = NULL;
  guint16 n = 0;
  guint i = 0;

  if (kind->meaning == TH_TIFF_PALETTE || kind->samples == page->samples)
    return;
  TIFFGetFieldDefaulted (client->tiff, TIFFTAG_EXTRASAMPLES, &n, &extra);
  n = (guint16) MIN (n, page->samples - kind->samples);
  while (i < n && (extra[i] >= G_N_ELEMENTS (alphas) || alphas[extra[i]] == TH_ALPHA_NONE))
    i++;
  if (i < n)
    page->alpha = alphas[extra[i]];
  else if (page->samples == kind->samples + 1 && !client->overlay.has_extra)
    page->alpha = TH_ALPHA_STRAIGHT;
  if (page->alpha != TH_ALPHA_NONE)
    page->wanted[page->n_wanted++] = kind->samples + (i < n ? i : 0);
}

static ThStatus
read_kind (ThTiffPage *page, ThTiffClient *client, GError **error)
{
  const Kind *kind = find_kind (page, client->tiff);
  char text[1024] = "";

  if (kind != NULL && read_number (page, client->tiff) && is_usual (page, kind, client->tiff))
    {
      page->color = kind->color;
      page->meaning = kind->meaning;
      page->out_bits = page->bits <= 8 || kind->meaning == TH_TIFF_PALETTE ? 8 : 16;
      for (guint i = 0; i < kind->samples; i++)
        page->wanted[page->n_wanted++] = i;
      read_alpha (page, client, kind);
      return TH_STATUS_OK;
    }
  if (!TIFFRGBAImageOK (client->tiff, text))
    return refuse (error, "a kind of picture that is not supported");
  page->way = TH_TIFF_RGBA;
  page->jpeg_rgb = FALSE;
  page->color = TH_COLOR_RGB;
  page->out_bits = 8;
  return TH_STATUS_OK;
}

static void
read_blocks (ThTiffPage *page, TIFF *tiff)
{
  guint64 down;

  page->tiled = TIFFIsTiled (tiff) != 0;
  page->block_width = page->size.width;
  page->block_height = page->size.height;
  if (page->tiled)
    {
      TIFFGetField (tiff, TIFFTAG_TILEWIDTH, &page->block_width);
      TIFFGetField (tiff, TIFFTAG_TILELENGTH, &page->block_height);
    }
  else
    TIFFGetFieldDefaulted (tiff, TIFFTAG_ROWSPERSTRIP, &page->block_height);
  page->block_width = MAX (page->block_width, 1);
  page->block_height = MAX (page->block_height, 1);
  if (!page->tiled)
    page->block_height = MIN (page->block_height, page->size.height);
  down = ((guint64) page->size.height - 1) / page->block_height + 1;
  page->blocks = down * (((guint64) page->size.width - 1) / page->block_width + 1)
                 * (page->separate ? page->samples : 1);
}

guint64
th_tiff_page_row_bytes (const ThTiffPage *page, guint32 width)
{
  const guint samples = page->separate ? 1 : page->samples;

  return ((guint64) width * samples * page->bits + 7) / 8;
}

/* What does not fit stays far beyond every limit, with room for sums. */
static guint64
times (guint64 a, guint64 b)
{
  guint64 product;

  if (!g_uint64_checked_mul (&product, a, b))
    return G_MAXUINT64 / 1024;
  return MIN (product, G_MAXUINT64 / 1024);
}

static guint64
block_bytes (const ThTiffPage *page)
{
  return times (th_tiff_page_row_bytes (page, page->block_width), page->block_height);
}

static void
choose_way (ThTiffPage *page)
{
  if (page->way == TH_TIFF_RGBA)
    return;
  if (page->tiled || (page->compression != COMPRESSION_NONE && block_bytes (page) <= BAND_BYTES))
    page->way = TH_TIFF_BAND;
  else if (page->compression == COMPRESSION_NONE)
    page->way = TH_TIFF_DIRECT;
  else
    page->way = TH_TIFF_SCANLINE;
}

static void
read_packed_bytes (ThTiffPage *page, const ThTiffClient *client)
{
  const guint64 all = th_input_size (client->input);
  const guint64 plausible = 2 * block_bytes (page) + PACKED_SLACK;
  guint64 most = 0;

  if (page->way == TH_TIFF_DIRECT)
    return;
  page->packed_bytes = MIN (plausible, all);
  if (page->blocks > BLOCKS_LOOKED_AT)
    return;
  for (guint32 i = 0; i < page->blocks; i++)
    {
      const guint64 bytes = TIFFGetStrileByteCount (client->tiff, i);

      most = MAX (most, bytes);
    }
  page->packed_bytes = MIN (most, all);
}

ThStatus
th_tiff_page_read (ThTiffPage *page, ThTiffClient *client, const ThLimits *limits, GError **error)
{
  TIFF *tiff = client->tiff;
  guint32 kind = 0;
  ThStatus status;

  *page = (ThTiffPage){ .alpha = TH_ALPHA_NONE,
                        .directory = client->overlay.directory,
                        .tag_bytes = client->overlay.tag_bytes };
  TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, &page->size.width);
  TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, &page->size.height);
  status = th_limits_check_size (limits, page->size.width, page->size.height, error);
  if (status != TH_STATUS_OK)
    return status;
  TIFFGetField (tiff, TIFFTAG_SUBFILETYPE, &kind);
  page->reduced = (kind & FILETYPE_REDUCEDIMAGE) != 0;
  page->orientation = field_16 (tiff, TIFFTAG_ORIENTATION, 1);
  if (page->orientation < 1 || page->orientation > 8)
    page->orientation = 1;
  page->compression = field_16 (tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  page->bits = field_16 (tiff, TIFFTAG_BITSPERSAMPLE, 1);
  page->samples = field_16 (tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  page->separate =
      page->samples > 1
      && field_16 (tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE;
  if (!TIFFIsCODECConfigured ((guint16) page->compression))
    return refuse (error, "a compression that is not supported");
  read_blocks (page, tiff);
  status = th_limits_check_size (limits, page->block_width, page->block_height, error);
  if (status == TH_STATUS_OK)
    status = read_kind (page, client, error);
  if (status != TH_STATUS_OK)
    return status;
  choose_way (page);
  read_packed_bytes (page, client);
  return TH_STATUS_OK;
}

gboolean
th_tiff_page_enter (const ThTiffPage *page, ThTiffClient *client)
{
  return !page->jpeg_rgb
         || TIFFSetField (client->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB) != 0;
}

static guint64
appetite_of (const ThTiffPage *page, guint64 pixels)
{
  for (gsize i = 0; i < G_N_ELEMENTS (appetites); i++)
    if (appetites[i].compression == page->compression)
      return appetites[i].fixed + (guint64) appetites[i].a_column * page->block_width
             + times (appetites[i].a_pixel, pixels);
  return 256 * KIB;
}

guint64
th_tiff_page_directory_bytes (const ThTiffPage *page)
{
  /* Lists of strips are of 64-bit numbers. */
  return page->blocks * 16 + 2 * page->tag_bytes + DIRECTORY_BYTES;
}

guint64
th_tiff_page_bytes (const ThTiffPage *page)
{
  const guint planes = page->separate && page->way != TH_TIFF_RGBA ? page->n_wanted : 1;
  const guint64 pixels = (guint64) page->block_width * page->block_height;
  const guint64 row = th_tiff_page_row_bytes (page, page->size.width);
  guint64 bytes =
      th_tiff_page_directory_bytes (page) + page->packed_bytes + appetite_of (page, pixels);

  if (page->way == TH_TIFF_DIRECT)
    bytes += MAX (row, DIRECT_BYTES);
  else if (page->way == TH_TIFF_SCANLINE)
    bytes += row * 2;
  else
    bytes += block_bytes (page) + times (row, page->block_height);
  if (page->way == TH_TIFF_RGBA)
    bytes += times (4ull * page->size.width, page->block_height)
             + times (block_bytes (page), page->samples);
  return times (bytes, planes);
}

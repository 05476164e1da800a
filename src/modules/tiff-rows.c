/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "modules/tiff-rows.h"

#include <string.h>

#define DIRECT_BYTES (64u * 1024u)

/* One plane, with a libtiff of its own: so each goes through its strips once. */
typedef struct
{
  ThTiffClient client;
  guint sample;  /* libtiff's number of the plane */
  guint8 *band;  /* rows from first on */
  guint8 *block; /* one tile */
  guint32 first; /* row of the picture */
  guint32 n;     /* rows that band stands for */
  guint32 good;  /* of them, those that are there */
  gboolean dirty;
} Plane;

/* Fills the plane's band from row y on: n and good. */
typedef void (*Fill) (ThTiffRows *rows, Plane *plane, guint32 y);

struct _ThTiffRows
{
  const ThTiffPage *page;
  gsize row_bytes;
  guint32 band_rows; /* that a band has room for */
  guint32 y;         /* next row */
  guint n_planes;
  Plane planes[TH_TIFF_SAMPLES_MAX];
};

/* A block that is larger than was planned for is not read. */
static gboolean
is_within_plan (const ThTiffRows *rows, const Plane *plane, guint32 block)
{
  return TIFFGetStrileByteCount (plane->client.tiff, block) <= rows->page->packed_bytes;
}

/* Rows up to the end of the strip or row of tiles that y lies in. */
static guint32
rows_left (const ThTiffPage *page, guint32 y)
{
  return MIN (page->block_height - y % page->block_height, page->size.height - y);
}

/* To the order of this machine, as libtiff does to what it reads. */
static void
put_in_order (const ThTiffPage *page, TIFF *tiff, guint8 *data, gsize size)
{
  guint16 order = FILLORDER_MSB2LSB;

  TIFFGetFieldDefaulted (tiff, TIFFTAG_FILLORDER, &order);
  if (order == FILLORDER_LSB2MSB && page->bits < 8)
    TIFFReverseBits (data, (tmsize_t) size);
  if (!TIFFIsByteSwapped (tiff))
    return;
  if (page->bits == 16)
    TIFFSwabArrayOfShort ((guint16 *) (void *) data, (tmsize_t) (size / 2));
  else if (page->bits == 24)
    TIFFSwabArrayOfTriples (data, (tmsize_t) (size / 3));
  else if (page->bits == 32)
    TIFFSwabArrayOfLong ((guint32 *) (void *) data, (tmsize_t) (size / 4));
  else if (page->bits == 64)
    TIFFSwabArrayOfLong8 ((guint64 *) (void *) data, (tmsize_t) (size / 8));
}

static void
fill_direct (ThTiffRows *rows, Plane *plane, guint32 y)
{
  const ThTiffPage *page = rows->page;
  TIFF *tiff = plane->client.tiff;
  const guint32 strip = TIFFComputeStrip (tiff, y, (guint16) plane->sample);
  const guint64 offset = TIFFGetStrileOffset (tiff, strip);
  gssize got = 0;

  plane->n = rows_left (page, y);
  plane->n = MIN (plane->n, rows->band_rows);
  if (offset > 0 && offset < G_MAXINT64)
    got = th_input_read (plane->client.input,
                         offset + (guint64) (y % page->block_height) * rows->row_bytes, plane->band,
                         plane->n * rows->row_bytes);
  plane->good = (guint32) ((gsize) MAX (got, 0) / rows->row_bytes);
  put_in_order (page, tiff, plane->band, plane->good * rows->row_bytes);
}

/* Row by row up to the first that fails. */
static guint32
read_scanlines (const ThTiffRows *rows, Plane *plane, guint32 y, guint32 n)
{
  for (guint32 i = 0; i < n; i++)
    if (TIFFReadScanline (plane->client.tiff, plane->band + i * rows->row_bytes, y + i,
                          (guint16) plane->sample)
        < 0)
      return i;
  return n;
}

static void
fill_scanline (ThTiffRows *rows, Plane *plane, guint32 y)
{
  const guint32 strip = TIFFComputeStrip (plane->client.tiff, y, (guint16) plane->sample);

  plane->n = 1;
  plane->good = is_within_plan (rows, plane, strip) ? read_scanlines (rows, plane, y, 1) : 0;
  /* What follows it in the strip would be garbage. */
  if (plane->good == 0)
    plane->n = rows_left (rows->page, y);
}

static void
fill_strip (ThTiffRows *rows, Plane *plane, guint32 y)
{
  TIFF *tiff = plane->client.tiff;
  const guint32 strip = TIFFComputeStrip (tiff, y, (guint16) plane->sample);
  tmsize_t size;

  plane->n = rows_left (rows->page, y);
  plane->good = 0;
  if (!is_within_plan (rows, plane, strip))
    return;
  size = (tmsize_t) (plane->n * rows->row_bytes);
  if (TIFFReadEncodedStrip (tiff, strip, plane->band, size) == size)
    plane->good = plane->n;
  else
    plane->good = read_scanlines (rows, plane, y, plane->n);
}

static gboolean
read_tile (ThTiffRows *rows, Plane *plane, guint32 x, guint32 y)
{
  TIFF *tiff = plane->client.tiff;
  const guint32 tile = TIFFComputeTile (tiff, x, y, 0, (guint16) plane->sample);
  const gsize width = th_tiff_page_row_bytes (rows->page, rows->page->block_width);
  const tmsize_t size = (tmsize_t) (width * rows->page->block_height);
  const gsize start = th_tiff_page_row_bytes (rows->page, x);
  const gsize length = MIN (width, rows->row_bytes - start);
  const gboolean good = is_within_plan (rows, plane, tile)
                        && TIFFReadEncodedTile (tiff, tile, plane->block, size) == size;

  if (!good)
    memset (plane->block, 0, (gsize) size);
  for (guint32 i = 0; i < plane->n; i++)
    memcpy (plane->band + i * rows->row_bytes + start, plane->block + i * width, length);
  return good;
}

/* A tile that is missing is black or transparent among the others. */
static void
fill_tiles (ThTiffRows *rows, Plane *plane, guint32 y)
{
  const ThTiffPage *page = rows->page;
  gboolean any = FALSE;

  plane->n = rows_left (page, y);
  for (guint64 x = 0; x < page->size.width; x += page->block_width)
    {
      const gboolean good = read_tile (rows, plane, (guint32) x, y);

      any = any || good;
      plane->dirty = plane->dirty || !good;
    }
  plane->good = any ? plane->n : 0;
}

static void
fill_rgba (ThTiffRows *rows, Plane *plane, guint32 y)
{
  guint32 *pixels = (guint32 *) (void *) plane->band;
  const gsize n_pixels = (gsize) rows->page->size.width * rows_left (rows->page, y);
  TIFFRGBAImage image;
  char text[1024] = "";

  plane->n = rows_left (rows->page, y);
  plane->good = 0;
  if (!TIFFRGBAImageBegin (&image, plane->client.tiff, 0, text))
    return;
  /* As stored: turning is for the caller. */
  image.req_orientation = image.orientation;
  image.row_offset = (int) y;
  image.col_offset = 0;
  if (TIFFRGBAImageGet (&image, pixels, rows->page->size.width, plane->n))
    plane->good = plane->n;
  TIFFRGBAImageEnd (&image);
  plane->dirty = plane->dirty || plane->client.text[0] != '\0';
  for (gsize i = 0; i < n_pixels * (plane->good > 0); i++)
    {
      const guint32 pixel = pixels[i];

      plane->band[3 * i] = (guint8) TIFFGetR (pixel);
      plane->band[3 * i + 1] = (guint8) TIFFGetG (pixel);
      plane->band[3 * i + 2] = (guint8) TIFFGetB (pixel);
    }
}

static void
fill_band (ThTiffRows *rows, Plane *plane, guint32 y)
{
  if (rows->page->tiled)
    fill_tiles (rows, plane, y);
  else
    fill_strip (rows, plane, y);
}

static const Fill fills[] = {
  [TH_TIFF_DIRECT] = fill_direct,
  [TH_TIFF_BAND] = fill_band,
  [TH_TIFF_SCANLINE] = fill_scanline,
  [TH_TIFF_RGBA] = fill_rgba,
};

static gboolean
next_of_plane (ThTiffRows *rows, Plane *plane, const guint8 **row)
{
  if (rows->y >= plane->first + plane->n)
    {
      plane->first = rows->y;
      fills[rows->page->way](rows, plane, rows->y);
      plane->dirty = plane->dirty || plane->good < plane->n;
    }
  *row = plane->band + (rows->y - plane->first) * rows->row_bytes;
  return rows->y - plane->first < plane->good;
}

gboolean
th_tiff_rows_next (ThTiffRows *rows, const guint8 *planes[TH_TIFF_SAMPLES_MAX])
{
  gboolean all = TRUE;

  for (guint i = 0; i < rows->n_planes; i++)
    all = next_of_plane (rows, &rows->planes[i], &planes[i]) && all;
  rows->y++;
  return all;
}

TIFF *
th_tiff_rows_tiff (const ThTiffRows *rows)
{
  return rows->planes[0].client.tiff;
}

gboolean
th_tiff_rows_dirty (const ThTiffRows *rows)
{
  for (guint i = 0; i < rows->n_planes; i++)
    if (rows->planes[i].dirty)
      return TRUE;
  return FALSE;
}

ThStatus
th_tiff_rows_failure (const ThTiffRows *rows, GError **error)
{
  guint i = 0;

  while (i + 1 < rows->n_planes && rows->planes[i].client.text[0] == '\0')
    i++;
  return th_tiff_client_failure (&rows->planes[i].client, error);
}

/* libtiff computes for itself how much it writes. */
static gboolean
sizes_agree (const ThTiffPage *page, TIFF *tiff)
{
  if (page->way == TH_TIFF_RGBA || page->way == TH_TIFF_DIRECT)
    return TRUE;
  if (page->tiled)
    return TIFFTileRowSize64 (tiff) == th_tiff_page_row_bytes (page, page->block_width);
  return TIFFScanlineSize64 (tiff) == th_tiff_page_row_bytes (page, page->size.width);
}

static ThStatus
open_plane (ThTiffRows *rows, Plane *plane, ThInput *input, guint64 max_bytes, GError **error)
{
  const ThTiffPage *page = rows->page;
  const gsize room = page->way == TH_TIFF_RGBA ? 4 * (gsize) page->size.width : rows->row_bytes;

  if (!th_tiff_client_open (&plane->client, input, page->directory, max_bytes)
      || !th_tiff_page_enter (page, &plane->client) || !sizes_agree (page, plane->client.tiff))
    return th_tiff_client_failure (&plane->client, error);
  plane->band = g_try_malloc_n (rows->band_rows, room);
  if (page->tiled && page->way == TH_TIFF_BAND)
    plane->block =
        g_try_malloc_n (page->block_height, th_tiff_page_row_bytes (page, page->block_width));
  if (plane->band != NULL && (plane->block != NULL || !page->tiled || page->way != TH_TIFF_BAND))
    return TH_STATUS_OK;
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "TIFF: %s",
               th_status_describe (TH_STATUS_NO_MEMORY));
  return TH_STATUS_NO_MEMORY;
}

static guint32
band_rows (const ThTiffPage *page, gsize row_bytes)
{
  if (page->way == TH_TIFF_SCANLINE)
    return 1;
  if (page->way == TH_TIFF_DIRECT)
    return (guint32) CLAMP (DIRECT_BYTES / row_bytes, 1, page->size.height);
  return MIN (page->block_height, page->size.height);
}

ThTiffRows *
th_tiff_rows_new (ThInput *input, const ThTiffPage *page, guint64 max_bytes, ThStatus *status,
                  GError **error)
{
  g_autoptr (ThTiffRows) rows = g_new0 (ThTiffRows, 1);
  const gboolean separate = page->separate && page->way != TH_TIFF_RGBA;

  rows->page = page;
  rows->row_bytes = page->way == TH_TIFF_RGBA ? 3 * (gsize) page->size.width
                                              : th_tiff_page_row_bytes (page, page->size.width);
  rows->band_rows = band_rows (page, rows->row_bytes);
  rows->n_planes = separate ? page->n_wanted : 1;
  for (guint i = 0; i < rows->n_planes; i++)
    {
      rows->planes[i].sample = separate ? page->wanted[i] : 0;
      *status = open_plane (rows, &rows->planes[i], input, max_bytes, error);
      if (*status != TH_STATUS_OK)
        return NULL;
    }
  return g_steal_pointer (&rows);
}

void
th_tiff_rows_free (ThTiffRows *rows)
{
  for (guint i = 0; i < rows->n_planes; i++)
    {
      th_tiff_client_close (&rows->planes[i].client);
      g_free (rows->planes[i].band);
      g_free (rows->planes[i].block);
    }
  g_free (rows);
}

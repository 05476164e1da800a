/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-preview.h"

#include <string.h>

#include "core/codecs/jpeg-agree.h"
#include "core/codecs/jpeg-look.h"
#include "core/codecs/jpeg-scale.h"
#include "core/th-shrink.h"

/* Main pixels for each of the preview. */
#define PIXELS_RATIO 4u
/* One part in so many by which shapes may differ. */
#define SHAPE_PARTS 100u

static gboolean
says_it_is_untouched (const struct jpeg_decompress_struct *cinfo, const ThJpegMarkers *markers)
{
  const ThExif *exif = &markers->exif;

  return markers->exif_first && !markers->edited && !cinfo->saw_JFIF_marker
         && !cinfo->saw_Adobe_marker && !exif->changed
         && (exif->width == 0 || exif->width == cinfo->image_width)
         && (exif->height == 0 || exif->height == cinfo->image_height)
         && (exif->preview_orientation == 0 || exif->preview_orientation == exif->orientation);
}

static gboolean
has_same_shape (ThSize full, ThSize other)
{
  guint64 a = (guint64) full.width * other.height, b = (guint64) full.height * other.width;

  return MAX (a, b) - MIN (a, b) <= MAX (a, b) / SHAPE_PARTS;
}

static gboolean
is_worth_a_look (ThSize full, ThSize other, ThSize target)
{
  return has_same_shape (full, other) && th_jpeg_scale_is_ample (other, target, 8)
         && (guint64) other.width * other.height
                <= (guint64) full.width * full.height / PIXELS_RATIO;
}

static gboolean
lies_inside (const ThJpegPiece *place, const ThInput *input)
{
  guint64 size = th_input_size (input);

  return place->offset < size && place->size <= size - place->offset;
}

/* Pixels of the picture there, 0 where it is of no use. */
static guint64
useful_pixels (ThInput *input, const ThJpegPiece *place, ThSize full, ThSize target)
{
  guint64 pixels = 0;
  ThJpegLook look;

  if (!lies_inside (place, input))
    return 0;
  if (th_jpeg_look_open (&look, input, place->offset, place->size)
      && is_worth_a_look (full, look.size, target))
    pixels = (guint64) look.size.width * look.size.height;
  th_jpeg_look_close (&look);
  return pixels;
}

/* The smallest one that suffices, or NULL. */
static const ThJpegPiece *
choose (ThInput *input, const ThJpegMarkers *markers, ThSize full, ThSize target)
{
  const ThJpegPiece *best = NULL;
  guint64 least = G_MAXUINT64;

  for (guint i = 0; i < markers->n_previews; i++)
    {
      guint64 pixels = useful_pixels (input, &markers->previews[i], full, target);

      if (pixels == 0 || pixels >= least)
        continue;
      best = &markers->previews[i];
      least = pixels;
    }
  return best;
}

static void
keep_row (guint i, guint32 y, const guint8 *row, gpointer data)
{
  ThJpegPreview *preview = data;
  gsize stride = (gsize) preview->size.width * preview->channels;

  memcpy (preview->pixels + y * stride, row, stride);
}

static void
compare_row (guint i, guint32 y, const guint8 *row, gpointer data)
{
  th_jpeg_agree_row (data, row);
}

static gboolean
push_all (ThJpegLook *look, ThSink *sink)
{
  while (!th_jpeg_look_is_done (look))
    if (!th_jpeg_look_push (look, sink))
      return FALSE;
  return TRUE;
}

/* Makes the whole thumbnail of the preview at place. */
static gboolean
make_thumbnail (ThJpegPreview *preview, ThJpegLook *look, ThSize target)
{
  guint scale = th_jpeg_scale_for (look->size, target);
  ThRaster raster = th_jpeg_scale_raster (look->size, scale, look->color);
  g_autoptr (ThShrink) shrink = NULL;

  *preview = (ThJpegPreview){ target, look->color, NULL };
  preview->pixels = g_try_malloc ((gsize) target.width * target.height * preview->channels);
  if (preview->pixels == NULL)
    return FALSE;
  shrink = th_shrink_new (&raster, &target, 1, keep_row, preview);
  if (shrink == NULL || !th_jpeg_look_start (look, scale)
      || !push_all (look, th_shrink_sink (shrink)))
    return FALSE;
  th_shrink_finish (shrink);
  return TRUE;
}

/* Makes as much of the main picture's thumbnail as it takes to be sure. */
static gboolean
shows_main (const ThJpegPreview *preview, ThJpegLook *look)
{
  guint scale = th_jpeg_scale_for (look->size, preview->size);
  ThRaster raster = th_jpeg_scale_raster (look->size, scale, look->color);
  g_autoptr (ThShrink) shrink = NULL;
  ThJpegAgree agree;

  if (look->color != preview->channels
      || !th_jpeg_agree_init (&agree, preview->pixels, preview->size, preview->channels))
    return FALSE;
  shrink = th_shrink_new (&raster, &preview->size, 1, compare_row, &agree);
  if (shrink != NULL && th_jpeg_look_start (look, scale))
    while (agree.verdict == TH_JPEG_AGREE_UNSURE && !th_jpeg_look_is_done (look)
           && th_jpeg_look_push (look, th_shrink_sink (shrink)))
      ;
  th_jpeg_agree_clear (&agree);
  return agree.verdict == TH_JPEG_AGREE_YES;
}

static gboolean
try_place (ThJpegPreview *preview, ThInput *input, const ThJpegPiece *place, ThSize target)
{
  ThJpegLook look;
  gboolean good;

  good = th_jpeg_look_open (&look, input, place->offset, place->size)
         && make_thumbnail (preview, &look, target);
  th_jpeg_look_close (&look);
  if (!good)
    return FALSE;
  good = th_jpeg_look_open (&look, input, 0, th_input_size (input)) && shows_main (preview, &look);
  th_jpeg_look_close (&look);
  return good;
}

gboolean
th_jpeg_preview_find (ThJpegPreview *preview, ThInput *input, struct jpeg_decompress_struct *cinfo,
                      const ThJpegMarkers *markers, ThSize target)
{
  ThSize full = { cinfo->image_width, cinfo->image_height };
  const ThJpegPiece *place = NULL;

  *preview = (ThJpegPreview){ .pixels = NULL };
  if (markers->n_previews > 0 && !jpeg_has_multiple_scans (cinfo)
      && says_it_is_untouched (cinfo, markers))
    place = choose (input, markers, full, target);
  if (place != NULL && try_place (preview, input, place, target))
    return TRUE;
  th_jpeg_preview_clear (preview);
  return FALSE;
}

void
th_jpeg_preview_clear (ThJpegPreview *preview)
{
  g_clear_pointer (&preview->pixels, g_free);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The small pictures that a camera puts into its file beside the main one: finding one that shows
 * just what a thumbnail of the main picture would show, and nothing else.
 *
 * A preview that was not made anew when its picture was edited still shows what somebody has cut
 * off or painted over, so the rule is not to trust but to be shown, and in doubt the main picture
 * is decoded. A preview is taken only where
 *
 * - nothing but the camera has written the file: EXIF stands first, as its standard wants, there is
 *   no JFIF, Adobe or Photoshop segment, which practically every editor's library writes, EXIF's
 *   size of the picture is the picture's, and it does not say that it was changed after it was
 *   taken. This is about the whole of the picture, but only says so;
 * - its shape is the picture's to 1 %: bars at the sides, a turned or a cropped picture differ;
 * - it is half as large again as the largest thumbnail, as is asked of a scaled main picture. The
 *   usual 160 pixels made 128 of an SSIM of 0.951 to 0.975 in real cameras' files, 256 and 512 of
 *   0.985 and more;
 * - it has at most a quarter of the main picture's pixels: otherwise nothing is won;
 * - it decodes without a fault, and the thumbnail's upper part made of it is, by colours and by
 *   structure, the one made of the main picture. At least an eighth of the main picture is decoded
 *   for that, and up to a quarter until enough has been seen that is not plain sky: of an unbroken
 *   stream only the beginning can be decoded without the rest.
 *
 * Where the main picture cannot be decoded as far as that, there is no proof and no preview. Where
 * it breaks off later the preview shows the whole. */
#pragma once

#include "base/th-fit.h"
#include "core/codecs/jpeg-markers.h"

/* A thumbnail's rows: stored orientation, grey or RGB. */
typedef struct
{
  ThSize size;
  guint channels;
  guint8 *pixels; /* NULL where there is none */
} ThJpegPreview;

/* Looks for one from which target can be made; cinfo has read the main picture's header. Reads the
 * input through its window. TRUE where preview is set, free its pixels with th_jpeg_preview_clear.
 * Takes a few megabytes, and keeps those of the target. */
gboolean th_jpeg_preview_find (ThJpegPreview *preview, ThInput *input,
                               struct jpeg_decompress_struct *cinfo, const ThJpegMarkers *markers,
                               ThSize target);
void th_jpeg_preview_clear (ThJpegPreview *preview);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-source.h"

#include <string.h>

#include <jerror.h>

/* Segments before the picture that are read at most. Those of real files (previews, depth maps,
 * extended XMP) reach some megabytes; without a bound a file of nothing but fill bytes or
 * application segments would be read to its end. */
#define HEADER_BYTES_MAX (64u * 1024u * 1024u)

static const JOCTET end_of_image[2] = { 0xff, JPEG_EOI };

static ThJpegSource *
source_of (j_decompress_ptr cinfo)
{
  return (ThJpegSource *) cinfo->src;
}

static void
do_nothing (j_decompress_ptr cinfo)
{
}

/* Moves out of holes; returns where the next one begins. */
static guint64
pass_holes (ThJpegSource *source)
{
  while (source->n_holes > 0 && source->holes[0].start <= source->next)
    {
      source->next = MAX (source->next, source->holes[0].end);
      source->n_holes--;
      memmove (source->holes, source->holes + 1, source->n_holes * sizeof *source->holes);
    }
  return source->n_holes > 0 ? MIN (source->holes[0].start, source->end) : source->end;
}

/* What libjpeg sees next; nothing at the end and where reading fails. */
static ThBytes
next_window (ThJpegSource *source)
{
  ThBytes window = { NULL, 0 };
  guint64 stop;

  while (source->filter != NULL && window.size == 0)
    window = source->filter (source, source->filter_data);
  if (window.size > 0)
    return window;
  stop = pass_holes (source);
  if (!source->ended && source->next < stop
      && (!source->in_header || source->next < source->header_end))
    window = th_input_peek (source->input, source->next, 1);
  window.size = (gsize) MIN (window.size, stop - MIN (source->next, stop));
  source->next += window.size;
  return window;
}

static boolean
fill (j_decompress_ptr cinfo)
{
  ThJpegSource *source = source_of (cinfo);
  ThBytes window = next_window (source);

  if (window.size > 0)
    {
      source->manager.next_input_byte = window.data;
      source->manager.bytes_in_buffer = window.size;
      return TRUE;
    }
  if (th_input_failed (source->input))
    ERREXIT (cinfo, JERR_FILE_READ);
  if (source->in_header)
    ERREXIT (cinfo, JERR_INPUT_EOF);
  if (!source->ended)
    WARNMS (cinfo, JWRN_JPEG_EOF);
  source->ended = TRUE;
  source->manager.next_input_byte = end_of_image;
  source->manager.bytes_in_buffer = sizeof end_of_image;
  return TRUE;
}

static void
skip (j_decompress_ptr cinfo, long count)
{
  ThJpegSource *source = source_of (cinfo);

  if (count <= 0)
    return;
  if ((gsize) count > source->manager.bytes_in_buffer)
    {
      th_jpeg_source_seek (source, th_jpeg_source_tell (source) + (guint64) count);
      return;
    }
  source->manager.next_input_byte += count;
  source->manager.bytes_in_buffer -= (gsize) count;
}

void
th_jpeg_source_init_within (ThJpegSource *source, ThInput *input, guint64 offset, guint64 length,
                            struct jpeg_decompress_struct *cinfo)
{
  *source = (ThJpegSource){
    .manager = { .init_source = do_nothing,
                 .fill_input_buffer = fill,
                 .skip_input_data = skip,
                 .resync_to_restart = jpeg_resync_to_restart,
                 .term_source = do_nothing },
    .input = input,
    .next = offset,
    .end = offset + length,
    .header_end = offset + MIN (length, HEADER_BYTES_MAX),
    .in_header = TRUE,
  };
  cinfo->src = &source->manager;
}

void
th_jpeg_source_init (ThJpegSource *source, ThInput *input, struct jpeg_decompress_struct *cinfo)
{
  th_jpeg_source_init_within (source, input, 0, th_input_size (input), cinfo);
}

guint64
th_jpeg_source_tell (const ThJpegSource *source)
{
  return source->next - (source->ended ? 0 : source->manager.bytes_in_buffer);
}

void
th_jpeg_source_seek (ThJpegSource *source, guint64 offset)
{
  source->next = offset;
  source->manager.next_input_byte = NULL;
  source->manager.bytes_in_buffer = 0;
}

gboolean
th_jpeg_source_leave_out (ThJpegSource *source, guint64 start, guint64 end)
{
  if (source->n_holes == TH_JPEG_HOLES_MAX)
    return FALSE;
  /* What libjpeg sees already may reach into it. */
  th_jpeg_source_seek (source, th_jpeg_source_tell (source));
  source->holes[source->n_holes++] = (ThJpegHole){ start, end };
  return TRUE;
}

void
th_jpeg_source_filter (ThJpegSource *source, ThJpegFilter filter, gpointer data)
{
  source->filter = filter;
  source->filter_data = data;
  source->manager.bytes_in_buffer = 0;
}

void
th_jpeg_source_unfilter (ThJpegSource *source, guint64 offset)
{
  source->filter = NULL;
  source->next = offset;
}

void
th_jpeg_source_leave_header (ThJpegSource *source)
{
  source->in_header = FALSE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-markers.h"

#include <jerror.h>

#include "core/codecs/jpeg-mpf.h"

/* Profiles of real devices have 0.5 KB to 2 MB (CMYK tables). */
#define ICC_BYTES_MAX (4u * 1024u * 1024u)
/* "ICC_PROFILE\0", number of the piece, count of pieces (ICC.1, annex B.4). */
#define ICC_HEAD_BYTES 14

static const guint8 exif_name[6] = { 'E', 'x', 'i', 'f', 0, 0 };
/* Of the content of a segment that follows SOI at once. */
#define FIRST_OFFSET 6

static const guint8 icc_name[12] = { 'I', 'C', 'C', '_', 'P', 'R', 'O', 'F', 'I', 'L', 'E', 0 };

typedef void (*Listener) (ThJpegMarkers *markers, ThBytes segment, guint64 offset);

static void
add_preview (ThJpegMarkers *markers, guint64 offset, gsize length)
{
  if (length == 0 || length > G_MAXUINT32 || markers->n_previews == TH_JPEG_PREVIEWS)
    return;
  markers->previews[markers->n_previews++] = (ThJpegPiece){ offset, (guint32) length };
}

static void
take_exif (ThJpegMarkers *markers, ThBytes segment, guint64 offset)
{
  if (markers->has_exif || !th_bytes_starts_with (segment, exif_name, sizeof exif_name))
    return;
  markers->has_exif = TRUE;
  markers->exif_first = offset == FIRST_OFFSET;
  th_exif_read (segment, &markers->exif);
  add_preview (markers, offset + markers->exif.preview_offset, markers->exif.preview_length);
}

static void
take_icc (ThJpegMarkers *markers, ThBytes segment, guint64 offset)
{
  guint8 number, count;

  if (!th_bytes_starts_with (segment, icc_name, sizeof icc_name)
      || !th_bytes_u8 (segment, sizeof icc_name, &number)
      || !th_bytes_u8 (segment, sizeof icc_name + 1, &count))
    return;
  if (number == 0 || number > count || segment.size == ICC_HEAD_BYTES
      || (markers->icc_count != 0 && markers->icc_count != count)
      || markers->icc[number - 1].size != 0)
    {
      markers->icc_bad = TRUE;
      return;
    }
  markers->icc_count = count;
  markers->icc_seen++;
  markers->icc[number - 1] = (ThJpegPiece){
    .offset = offset + ICC_HEAD_BYTES,
    .size = (guint32) (segment.size - ICC_HEAD_BYTES),
  };
}

static void
take_app2 (ThJpegMarkers *markers, ThBytes segment, guint64 offset)
{
  ThJpegMpfEntry entries[TH_JPEG_MPF_MAX];
  guint n = th_jpeg_mpf_read (segment, entries);

  for (guint i = 0; i < n; i++)
    add_preview (markers, offset + TH_JPEG_MPF_BASE + entries[i].offset, entries[i].length);
  take_icc (markers, segment, offset);
}

/* Photoshop's and its kin's. */
static void
take_app13 (ThJpegMarkers *markers, ThBytes segment, guint64 offset)
{
  markers->edited = TRUE;
}

/* Shows the segment that begins at the source's place to listen, then goes on behind it. */
static boolean
hear (j_decompress_ptr cinfo, Listener listen)
{
  ThJpegSource *source = (ThJpegSource *) cinfo->src;
  guint64 offset = th_jpeg_source_tell (source);
  ThBytes head, segment;
  guint16 length;

  head = th_input_peek (source->input, offset, sizeof length);
  if (th_input_failed (source->input))
    ERREXIT (cinfo, JERR_FILE_READ);
  if (!th_bytes_u16 (head, 0, TRUE, &length))
    ERREXIT (cinfo, JERR_INPUT_EOF);
  if (length < sizeof length)
    ERREXIT (cinfo, JERR_BAD_LENGTH);
  if (source->in_header)
    {
      head = th_input_peek (source->input, offset, length);
      if (th_bytes_slice (head, sizeof length, length - sizeof length, &segment))
        listen (cinfo->client_data, segment, offset + sizeof length);
    }
  th_jpeg_source_seek (source, offset + length);
  return TRUE;
}

static boolean
hear_app1 (j_decompress_ptr cinfo)
{
  return hear (cinfo, take_exif);
}

static boolean
hear_app2 (j_decompress_ptr cinfo)
{
  return hear (cinfo, take_app2);
}

static boolean
hear_app13 (j_decompress_ptr cinfo)
{
  return hear (cinfo, take_app13);
}

void
th_jpeg_markers_init (ThJpegMarkers *markers, struct jpeg_decompress_struct *cinfo)
{
  *markers = (ThJpegMarkers){ .exif = { .orientation = 1 } };
  cinfo->client_data = markers;
  jpeg_set_marker_processor (cinfo, JPEG_APP0 + 1, hear_app1);
  jpeg_set_marker_processor (cinfo, JPEG_APP0 + 2, hear_app2);
  jpeg_set_marker_processor (cinfo, JPEG_APP0 + 13, hear_app13);
}

static gsize
icc_bytes (const ThJpegMarkers *markers)
{
  gsize total = 0;

  for (guint i = 0; i < markers->icc_count; i++)
    total += markers->icc[i].size;
  return total;
}

ThStatus
th_jpeg_markers_read_icc (const ThJpegMarkers *markers, ThInput *input, guint8 **icc, gsize *size)
{
  g_autofree guint8 *profile = NULL;
  gsize total = icc_bytes (markers), done = 0;

  *icc = NULL;
  *size = 0;
  if (markers->icc_bad || markers->icc_count == 0 || markers->icc_seen != markers->icc_count
      || total > ICC_BYTES_MAX)
    return TH_STATUS_OK;
  profile = g_try_malloc (total);
  if (profile == NULL)
    return TH_STATUS_NO_MEMORY;
  for (guint i = 0; i < markers->icc_count; i++)
    {
      const ThJpegPiece *piece = &markers->icc[i];

      if (th_input_read (input, piece->offset, profile + done, piece->size) != piece->size)
        return th_input_failed (input) ? TH_STATUS_IO : TH_STATUS_OK;
      done += piece->size;
    }
  *icc = g_steal_pointer (&profile);
  *size = total;
  return TH_STATUS_OK;
}

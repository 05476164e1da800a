/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-drop.h"

#include <string.h>

#define MARKER_RST7 (JPEG_RST0 + 7)
#define MARKER_SOS  0xda

/* A scan header: Ns, a selector and its tables, Ss (T.81, B.2.3), behind its length. */
#define SELECTOR_AT 3u
#define SPECTRAL_AT 5u
#define HEADER_SIZE 8u

typedef struct
{
  guint8 code;
  guint64 start; /* of the 0xff */
  guint64 after; /* the code */
} Marker;

/* The next marker at or after offset that is not of those within the data of a scan; FALSE where
 * there is none. */
static gboolean
find_marker (ThInput *input, guint64 offset, guint64 end, Marker *marker)
{
  while (offset + 1 < end)
    {
      ThBytes window = th_input_peek (input, offset, 2);
      gsize size = (gsize) MIN (window.size, end - offset);
      const guint8 *found = size > 1 ? memchr (window.data, 0xff, size - 1) : NULL;

      if (size < 2)
        return FALSE;
      if (found == NULL)
        {
          offset += size - 1;
          continue;
        }
      offset += (gsize) (found - window.data);
      *marker = (Marker){ found[1], offset, offset + 2 };
      if (marker->code != 0 && marker->code != 0xff
          && (marker->code < JPEG_RST0 || marker->code > MARKER_RST7))
        return TRUE;
      offset++;
    }
  return FALSE;
}

static guint
u16 (const guint8 *data)
{
  return (guint) data[0] << 8 | data[1];
}

static const jpeg_component_info *
find_component (const struct jpeg_decompress_struct *cinfo, int id)
{
  for (int i = 0; i < cinfo->num_components; i++)
    if (cinfo->comp_info[i].component_id == id)
      return &cinfo->comp_info[i];
  return NULL;
}

/* TRUE for a scan of nothing but coefficients after the first, of a component that is shown by its
 * first alone. Such a scan has one component (T.81, G.1.1.1.1). */
static gboolean
is_unseen (const struct jpeg_decompress_struct *cinfo, ThInput *input, const Marker *marker)
{
  const jpeg_component_info *component;
  guint8 head[HEADER_SIZE];

  if (th_input_read (input, marker->after, head, sizeof head) < (gssize) sizeof head
      || u16 (head) != HEADER_SIZE || head[2] != 1 || head[SPECTRAL_AT] == 0)
    return FALSE;
  component = find_component (cinfo, head[SELECTOR_AT]);
  return component != NULL && component->DCT_scaled_size == 1;
}

/* Where the segment that begins with this marker ends. */
static guint64
segment_end (ThInput *input, const Marker *marker)
{
  guint8 length[2];

  if (th_input_read (input, marker->after, length, sizeof length) < (gssize) sizeof length)
    return marker->after;
  return marker->after + u16 (length);
}

/* The marker that libjpeg reads next. It may have read the code already, but not what follows. */
static gboolean
next_marker (const struct jpeg_decompress_struct *cinfo, const ThJpegSource *source, Marker *marker)
{
  guint64 place = th_jpeg_source_tell (source);

  if (cinfo->unread_marker == 0)
    return find_marker (source->input, place, source->end, marker);
  *marker = (Marker){ (guint8) cinfo->unread_marker, place - 2, place };
  return place >= 2;
}

void
th_jpeg_drop_scans (struct jpeg_decompress_struct *cinfo)
{
  ThJpegSource *source = (ThJpegSource *) cinfo->src;
  guint64 place = th_jpeg_source_tell (source);
  Marker marker, next;
  gboolean have = next_marker (cinfo, source, &marker);

  while (have && marker.code != JPEG_EOI)
    {
      guint64 after = segment_end (source->input, &marker);

      have = find_marker (source->input, after, source->end, &next);
      if (marker.code == MARKER_SOS
          && (!have || !is_unseen (cinfo, source->input, &marker)
              || !th_jpeg_source_leave_out (source, marker.start, next.start)))
        break;
      /* libjpeg has read no more of it than its code. */
      if (marker.code == MARKER_SOS && marker.start < place)
        cinfo->unread_marker = 0;
      marker = next;
    }
  th_jpeg_source_seek (source, place);
}

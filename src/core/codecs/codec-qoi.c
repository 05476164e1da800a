/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QOI, pixel by pixel in one row: the library there is wants the whole file and the whole picture
 * in memory. */
#include "config.h"

#include <string.h>

#include "core/th-codec.h"

#define HEAD_BYTES  14u
#define END_BYTES   8u /* seven of 0 and one of 1 */
#define LINEAR      1u /* of the byte about colours; 0 is sRGB, and there is nothing else */
#define INDEX_SIZE  64u
#define OP_BYTES    5u /* of the longest one */
#define OP_RGB      0xfeu
#define OP_RGBA     0xffu
#define SMALL_BYTES 4096u /* an error, and what the heap rounds up */

typedef struct
{
  ThSession base;
  ThHeader header;
  guint channels;
} QoiSession;

typedef struct
{
  guint8 rgba[4];
} Pixel;

typedef struct
{
  ThInput *input;
  ThBytes view;   /* of the input, from offset */
  gsize at;       /* of the next byte within the view */
  guint64 offset; /* of the view */
  guint64 end;    /* of the pixels' bytes */
  guint run;      /* how often the pixel is still to be repeated */
  Pixel pixel;
  Pixel index[INDEX_SIZE];
} Decode;

static const char *const mime_types[] = { "image/qoi", "image/x-qoi", NULL };

static const ThMagic magic[] = { { 0, 4, "qoif", NULL }, { 0 } };

static ThStatus
fail (ThInput *input, ThStatus status, GError **error, const char *what)
{
  if (th_input_failed (input))
    status = TH_STATUS_IO;
  g_set_error (error, TH_ERROR, th_status_to_error (status), "QOI: %s",
               what != NULL && status != TH_STATUS_IO ? what : th_status_describe (status));
  return status;
}

static ThStatus
read_header (QoiSession *session, const ThLimits *limits, GError **error)
{
  ThInput *input = session->base.input;
  const ThBytes head = th_input_peek (input, 0, HEAD_BYTES);
  ThHeader *header = &session->header;
  guint8 channels = 0, colors = 0;

  *header = (ThHeader){ .orientation = 1, .pages = 1, .frames = 1, .mime_type = mime_types[0] };
  if (!th_bytes_u32 (head, 4, TRUE, &header->size.width)
      || !th_bytes_u32 (head, 8, TRUE, &header->size.height) || !th_bytes_u8 (head, 12, &channels)
      || !th_bytes_u8 (head, 13, &colors))
    return fail (input, TH_STATUS_CORRUPT, error, "the header is cut");
  if (channels < 3 || channels > 4 || colors > LINEAR)
    return fail (input, TH_STATUS_CORRUPT, error, "the way the pixels are kept is unknown");
  session->channels = channels;
  header->has_alpha = channels == 4;
  if (colors == LINEAR)
    header->space = th_color_space_plain (TH_TRANSFER_GAMMA, 1);
  return th_limits_check_size (limits, header->size.width, header->size.height, error);
}

static void
qoi_close (ThSession *base)
{
  g_free (base);
}

static ThStatus
qoi_open (ThInput *input, const ThLimits *limits, ThSession **out, GError **error)
{
  QoiSession *session = g_new0 (QoiSession, 1);
  ThStatus status;

  session->base.input = input;
  status = read_header (session, limits, error);
  if (status == TH_STATUS_OK)
    *out = &session->base;
  else
    qoi_close (&session->base);
  return status;
}

static const ThHeader *
qoi_header (const ThSession *base)
{
  return &((const QoiSession *) base)->header;
}

static gboolean
qoi_plan (ThSession *base, const ThSize *targets, guint n_targets, ThPlan *plan)
{
  const QoiSession *session = (const QoiSession *) base;
  const ThSize size = session->header.size;

  *plan = (ThPlan){
    .raster = { size.width, size.height, size.width, size.height, TH_COLOR_RGB,
                session->channels == 4 ? TH_ALPHA_STRAIGHT : TH_ALPHA_NONE, 8 },
    .peak_bytes = sizeof *session + SMALL_BYTES + (guint64) size.width * session->channels,
  };
  return TRUE;
}

static guint
slot_of (Pixel pixel)
{
  return (pixel.rgba[0] * 3u + pixel.rgba[1] * 5u + pixel.rgba[2] * 7u + pixel.rgba[3] * 11u)
         % INDEX_SIZE;
}

/* A view of at least the longest operation, or of what is left. */
static void
refill (Decode *decode)
{
  decode->offset += decode->at;
  decode->at = 0;
  decode->view = th_input_peek (decode->input, decode->offset, TH_INPUT_WINDOW);
  decode->view.size = (gsize) MIN (decode->view.size, decode->end - decode->offset);
}

static void
add (Pixel *pixel, int red, int green, int blue)
{
  pixel->rgba[0] = (guint8) (pixel->rgba[0] + red);
  pixel->rgba[1] = (guint8) (pixel->rgba[1] + green);
  pixel->rgba[2] = (guint8) (pixel->rgba[2] + blue);
}

static guint
op_length (guint8 op)
{
  if (op == OP_RGBA)
    return 5;
  if (op == OP_RGB)
    return 4;
  return op >> 6 == 2 ? 2 : 1;
}

static void
apply (Decode *decode, const guint8 *op)
{
  Pixel *pixel = &decode->pixel;
  const int low = op[0] & 63;
  int green;

  if (op[0] >= OP_RGB)
    {
      memcpy (pixel->rgba, op + 1, op[0] == OP_RGBA ? 4 : 3);
      return;
    }
  switch (op[0] >> 6)
    {
    case 0:
      *pixel = decode->index[low];
      return;
    case 1:
      add (pixel, (low >> 4) - 2, (low >> 2 & 3) - 2, (low & 3) - 2);
      return;
    case 2:
      green = low - 32;
      add (pixel, green - 8 + (op[1] >> 4), green, green - 8 + (op[1] & 15));
      return;
    default:
      decode->run = (guint) low;
      return;
    }
}

/* FALSE where the data have ended. */
static gboolean
next_pixel (Decode *decode)
{
  guint length;

  if (decode->run > 0)
    {
      decode->run--;
      return TRUE;
    }
  if (decode->view.size - decode->at < OP_BYTES)
    refill (decode);
  if (decode->at >= decode->view.size)
    return FALSE;
  length = op_length (decode->view.data[decode->at]);
  if (decode->view.size - decode->at < length)
    return FALSE;
  apply (decode, decode->view.data + decode->at);
  decode->at += length;
  decode->index[slot_of (decode->pixel)] = decode->pixel;
  return TRUE;
}

static gboolean
fill_row (Decode *decode, const QoiSession *session, guint8 *row)
{
  const guint channels = session->channels;

  for (guint32 x = 0; x < session->header.size.width; x++, row += channels)
    {
      if (!next_pixel (decode))
        return FALSE;
      memcpy (row, decode->pixel.rgba, channels);
    }
  return TRUE;
}

/* Where the pixels' bytes end: before the mark, if it is there. */
static guint64
find_end (ThInput *input)
{
  static const guint8 mark[END_BYTES] = { 0, 0, 0, 0, 0, 0, 0, 1 };
  const guint64 size = th_input_size (input);
  guint8 last[END_BYTES];

  if (size < HEAD_BYTES + END_BYTES
      || th_input_read (input, size - END_BYTES, last, sizeof last) != sizeof last)
    return size;
  return memcmp (last, mark, sizeof last) == 0 ? size - END_BYTES : size;
}

static ThStatus
qoi_decode (ThSession *base, const ThPlan *plan, ThSink *sink, GError **error)
{
  const QoiSession *session = (const QoiSession *) base;
  const gsize stride = th_raster_row_bytes (&plan->raster);
  g_autofree guint8 *row = g_try_malloc (stride);
  Decode decode = { .input = base->input, .offset = HEAD_BYTES, .pixel = { { 0, 0, 0, 255 } } };
  guint32 y = 0;

  if (row == NULL)
    return fail (base->input, TH_STATUS_NO_MEMORY, error, NULL);
  decode.end = find_end (base->input);
  for (; y < plan->raster.height && fill_row (&decode, session, row); y++)
    if (!sink->rows (sink, row, stride, 1))
      return TH_STATUS_STOPPED;
  if (y > 0 && (y == plan->raster.height || !th_input_failed (base->input)))
    return y == plan->raster.height ? TH_STATUS_OK : TH_STATUS_PARTIAL;
  return fail (base->input, TH_STATUS_CORRUPT, error, "the file ends before the first row");
}

const ThCodec th_codec_qoi = {
  .abi = TH_CODEC_ABI,
  .name = "qoi",
  .mime_types = mime_types,
  .magic = magic,
  .needs = TH_NEEDS_NOTHING,
  .open = qoi_open,
  .header = qoi_header,
  .plan = qoi_plan,
  .decode = qoi_decode,
  .close = qoi_close,
};

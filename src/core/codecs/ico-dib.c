/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/ico-dib.h"

#include <string.h>

#define INFO_BYTES      40u
#define INFO_MOST_BYTES 124u
#define FIELDS_BYTES    12u /* masks behind a header of INFO_BYTES */
#define PLAIN           0u  /* compressions */
#define FIELDS          3u
#define FILE_BYTES      14u /* of a BMP's file header */
#define MASKED_BYTES    56u /* of a BMP's header with masks for all four */
#define ROWS_BYTES      (64u * 1024u)
#define MOST_COLORS     (1u << 20)

static void
put_u16 (guint8 *to, guint value)
{
  to[0] = (guint8) value;
  to[1] = (guint8) (value >> 8);
}

static void
put_u32 (guint8 *to, guint32 value)
{
  put_u16 (to, value & 0xffff);
  put_u16 (to + 2, value >> 16);
}

static gboolean
is_known (guint bits, guint32 compression)
{
  static const guint8 depths[] = { 1, 4, 8, 16, 24, 32 };

  for (gsize i = 0; i < G_N_ELEMENTS (depths); i++)
    if (depths[i] == bits)
      return compression == PLAIN || (compression == FIELDS && bits == 32);
  return FALSE;
}

gboolean
th_ico_dib_read (ThIcoDib *dib, ThInput *input, guint64 offset)
{
  guint8 head[INFO_BYTES];
  const gssize got = th_input_read (input, offset, head, sizeof head);
  const ThBytes bytes = { head, (gsize) MAX (got, 0) };
  guint32 header = 0, height = 0, compression = 0, colors = 0;
  guint16 bits = 0;

  *dib = (ThIcoDib){ 0 };
  if (!th_bytes_u32 (bytes, 0, FALSE, &header) || header < INFO_BYTES || header > INFO_MOST_BYTES
      || !th_bytes_u32 (bytes, 4, FALSE, &dib->size.width)
      || !th_bytes_u32 (bytes, 8, FALSE, &height) || !th_bytes_u16 (bytes, 14, FALSE, &bits)
      || !th_bytes_u32 (bytes, 16, FALSE, &compression)
      || !th_bytes_u32 (bytes, 32, FALSE, &colors))
    return FALSE;
  if (dib->size.width == 0 || dib->size.width > G_MAXINT32 || height < 2 || height > G_MAXINT32
      || !is_known (bits, compression) || colors > MOST_COLORS)
    return FALSE;
  dib->size.height = height / 2;
  dib->bits = bits;
  dib->colors = colors == 0 && bits <= 8 ? 1u << bits : colors;
  dib->row_bytes = ((guint64) dib->size.width * bits + 31) / 32 * 4;
  dib->mask_row_bytes = ((guint64) dib->size.width + 31) / 32 * 4;
  dib->pixels = offset + header + dib->colors * G_GUINT64_CONSTANT (4)
                + (compression == FIELDS && header == INFO_BYTES ? FIELDS_BYTES : 0);
  dib->mask = dib->pixels + dib->row_bytes * dib->size.height;
  return TRUE;
}

ThInput *
th_ico_dib_input (const ThIcoDib *dib, ThInput *input)
{
  static const guint32 masks[] = { 0xff0000, 0xff00, 0xff, 0xff000000 };
  const guint32 header = dib->bits == 32 ? MASKED_BYTES : INFO_BYTES;
  /* More colours than there are indexes are passed over. */
  const guint32 palette = dib->bits <= 8 ? dib->colors * 4 : 0;
  guint8 head[FILE_BYTES + MASKED_BYTES] = "BM";
  guint8 *info = head + FILE_BYTES;

  put_u32 (head + 10, FILE_BYTES + header + palette);
  put_u32 (info, header);
  put_u32 (info + 4, dib->size.width);
  put_u32 (info + 8, dib->size.height);
  put_u16 (info + 12, 1);
  put_u16 (info + 14, dib->bits);
  put_u32 (info + 16, dib->bits == 32 ? FIELDS : PLAIN);
  put_u32 (info + 32, dib->bits <= 8 ? dib->colors : 0);
  for (gsize i = 0; i < G_N_ELEMENTS (masks) && dib->bits == 32; i++)
    put_u32 (info + INFO_BYTES + 4 * i, masks[i]);
  return th_input_new_part (input, dib->pixels - palette, G_MAXUINT64,
                            (ThBytes){ head, FILE_BYTES + header });
}

void
th_ico_dib_plan (const ThIcoDib *dib, ThPlan *plan)
{
  plan->raster.alpha = TH_ALPHA_STRAIGHT;
  plan->peak_bytes += MAX (dib->mask_row_bytes, ROWS_BYTES) + (guint64) dib->size.width * 4;
}

/* Pictures of 32 bits whose fourth bytes are all 0 are older than alpha. */
static gboolean
has_alpha (const ThIcoDib *dib, ThInput *input, guint8 *rows)
{
  const guint64 bytes = dib->row_bytes * dib->size.height;

  for (guint64 at = 0; dib->bits == 32 && at < bytes; at += ROWS_BYTES)
    {
      const gsize wanted = (gsize) MIN (bytes - at, ROWS_BYTES);
      const gssize got = th_input_read (input, dib->pixels + at, rows, wanted);

      for (gssize i = 3; i < got; i += 4)
        if (rows[i] != 0)
          return TRUE;
      if (got < (gssize) wanted)
        return FALSE;
    }
  return FALSE;
}

/* What is missing of the mask hides nothing. */
static void
next_mask (ThIcoMask *mask)
{
  const gsize wanted = (gsize) mask->dib->mask_row_bytes;
  const guint64 offset = mask->dib->mask + mask->dib->mask_row_bytes * mask->y;
  const gssize got = th_input_read (mask->input, offset, mask->mask, wanted);

  if (got < (gssize) wanted)
    memset (mask->mask + MAX (got, 0), 0, wanted - (gsize) MAX (got, 0));
}

static gboolean
take_rows (ThSink *sink, const void *rows, gsize stride, guint32 n)
{
  ThIcoMask *mask = (ThIcoMask *) sink;
  const guint channels = th_raster_channels (&mask->colors);

  for (guint32 i = 0; i < n; i++, mask->y++)
    {
      const guint8 *from = (const guint8 *) rows + i * stride;

      if (mask->by_mask)
        next_mask (mask);
      for (gsize x = 0; x < mask->colors.width; x++)
        {
          memcpy (mask->out + 4 * x, from + x * channels, channels);
          if (mask->by_mask)
            mask->out[4 * x + 3] = (mask->mask[x / 8] >> (7 - x % 8) & 1) != 0 ? 0 : 255;
        }
      if (!mask->to->rows (mask->to, mask->out, (gsize) mask->colors.width * 4, 1))
        return FALSE;
    }
  return TRUE;
}

gboolean
th_ico_mask_init (ThIcoMask *mask, const ThIcoDib *dib, ThInput *input, const ThRaster *colors,
                  ThSink *to)
{
  *mask = (ThIcoMask){
    .sink = { take_rows },
    .to = to,
    .dib = dib,
    .input = input,
    .colors = *colors,
    .mask = g_try_malloc ((gsize) MAX (dib->mask_row_bytes, ROWS_BYTES)),
    .out = g_try_malloc_n (colors->width, 4),
  };
  if (mask->mask == NULL || mask->out == NULL)
    return FALSE;
  mask->by_mask = !has_alpha (dib, input, mask->mask);
  return TRUE;
}

void
th_ico_mask_clear (ThIcoMask *mask)
{
  g_free (mask->mask);
  g_free (mask->out);
}

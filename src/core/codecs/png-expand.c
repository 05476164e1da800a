/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/png-expand.h"

#include <string.h>

/* One pixel a table entry; channels is a constant wherever this is called, so that the copy is a
 * move. */
static inline void
look_up (const ThPngExpand *expand, const guint8 *stored, guint32 width, guint8 *out,
         guint channels)
{
  guint depth = expand->head->depth;
  guint mask = (1u << depth) - 1;
  guint per_byte = 8 / depth;

  for (guint32 x = 0; x < width; x++)
    {
      guint shift = 8 - depth - (x % per_byte) * depth;
      guint index = (stored[x / per_byte] >> shift) & mask;

      memcpy (out + (gsize) x * channels, expand->table + (gsize) index * channels, channels);
    }
}

static void
look_up_grey (const ThPngExpand *expand, const guint8 *stored, guint32 width, guint8 *out)
{
  look_up (expand, stored, width, out, 1);
}

static void
look_up_grey_alpha (const ThPngExpand *expand, const guint8 *stored, guint32 width, guint8 *out)
{
  look_up (expand, stored, width, out, 2);
}

static void
look_up_rgb (const ThPngExpand *expand, const guint8 *stored, guint32 width, guint8 *out)
{
  look_up (expand, stored, width, out, 3);
}

static void
look_up_rgb_alpha (const ThPngExpand *expand, const guint8 *stored, guint32 width, guint8 *out)
{
  look_up (expand, stored, width, out, 4);
}

static void
swap_samples (const ThPngExpand *expand, const guint8 *stored, guint32 width, guint8 *out)
{
  gsize samples = (gsize) width * (expand->pixel_bytes / 2);

  for (gsize i = 0; i < samples; i++)
    {
      guint16 sample;

      memcpy (&sample, stored + 2 * i, sizeof sample);
      sample = GUINT16_FROM_BE (sample);
      memcpy (out + 2 * i, &sample, sizeof sample);
    }
}

static void
key_rgb (const ThPngExpand *expand, const guint8 *stored, guint32 width, guint8 *out)
{
  const guint8 *trns = expand->head->trns;
  const guint8 key[3] = { trns[1], trns[3], trns[5] };

  for (guint32 x = 0; x < width; x++, stored += 3, out += 4)
    {
      memcpy (out, stored, 3);
      out[3] = memcmp (stored, key, 3) == 0 ? 0 : 255;
    }
}

/* Grey or RGB of 16 bits; the key is stored like a pixel. */
static void
key_16 (const ThPngExpand *expand, const guint8 *stored, guint32 width, guint8 *out)
{
  gsize samples = (gsize) expand->color;

  for (guint32 x = 0; x < width; x++, stored += 2 * samples, out += expand->pixel_bytes)
    {
      guint16 opacity = memcmp (stored, expand->head->trns, 2 * samples) == 0 ? 0 : 0xffff;

      for (gsize i = 0; i < samples; i++)
        {
          guint16 sample;

          memcpy (&sample, stored + 2 * i, sizeof sample);
          sample = GUINT16_FROM_BE (sample);
          memcpy (out + 2 * i, &sample, sizeof sample);
        }
      memcpy (out + 2 * samples, &opacity, sizeof opacity);
    }
}

static void
init_palette (ThPngExpand *expand)
{
  const ThPngHead *head = expand->head;
  guint channels = expand->pixel_bytes;

  /* Indexes beyond the palette are opaque black, as in libpng. */
  for (guint i = 0; i < 256; i++)
    {
      guint8 *pixel = expand->table + (gsize) i * channels;

      if (i < head->n_palette)
        memcpy (pixel, head->palette + (gsize) i * 3, 3);
      if (channels == 4)
        pixel[3] = i < head->n_trns ? head->trns[i] : 255;
    }
  expand->row = channels == 4 ? look_up_rgb_alpha : look_up_rgb;
}

static void
init_grey (ThPngExpand *expand)
{
  const ThPngHead *head = expand->head;
  guint top = (1u << head->depth) - 1;
  guint key = head->n_trns > 0 ? (((guint) head->trns[0] << 8) | head->trns[1]) & top : 256;
  guint channels = expand->pixel_bytes;

  for (guint i = 0; i <= top; i++)
    {
      expand->table[i * channels] = (guint8) (i * (255 / top));
      if (channels == 2)
        expand->table[i * channels + 1] = i == key ? 0 : 255;
    }
  expand->row = channels == 2 ? look_up_grey_alpha : look_up_grey;
}

static gboolean
has_alpha (const ThPngHead *head)
{
  if (head->color != TH_PNG_PALETTE)
    return head->color == TH_PNG_GREY_ALPHA || head->color == TH_PNG_RGB_ALPHA || head->n_trns > 0;
  for (guint i = 0; i < MIN (head->n_trns, 1u << head->depth); i++)
    if (head->trns[i] != 255)
      return TRUE;
  return FALSE;
}

void
th_png_expand_init (ThPngExpand *expand, const ThPngHead *head)
{
  gboolean grey = head->color == TH_PNG_GREY || head->color == TH_PNG_GREY_ALPHA;
  gboolean alpha = has_alpha (head);

  *expand = (ThPngExpand){
    .head = head,
    .color = grey ? TH_COLOR_GREY : TH_COLOR_RGB,
    .alpha = alpha ? TH_ALPHA_STRAIGHT : TH_ALPHA_NONE,
    .bits = head->depth == 16 ? 16 : 8,
  };
  expand->pixel_bytes = ((guint) expand->color + (alpha ? 1 : 0)) * (expand->bits / 8u);
  if (head->color == TH_PNG_PALETTE)
    init_palette (expand);
  else if (head->depth == 16)
    expand->row = head->n_trns > 0 ? key_16 : swap_samples;
  else if (head->color == TH_PNG_GREY && (head->depth < 8 || head->n_trns > 0))
    init_grey (expand);
  else if (head->n_trns > 0)
    expand->row = key_rgb;
}

void
th_png_expand_row (const ThPngExpand *expand, const guint8 *stored, guint32 width, guint8 *out)
{
  if (expand->row == NULL)
    memcpy (out, stored, (gsize) width * expand->pixel_bytes);
  else
    expand->row (expand, stored, width, out);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-color.h"

#include <stdlib.h>
#include <string.h>

#include "core/th-icc-distil.h"
#include "core/th-icc.h"
#include "core/th-shaper.h"

/* Profiles kept, and their bytes together with what was made of them. */
#define CACHE_ENTRIES 4
#define CACHE_BYTES   (4u * 1024u * 1024u)

/* From here on lcms's tables pay for themselves: with a press's profile they took 22 ms to make and
 * 0.045 µs a pixel, the way without them 0.8 ms and 0.24 µs. */
#define MANY_PIXELS 110000u
/* Of a table of greys for 16-bit samples: a step is a fifth of a value where they are linear. */
#define GREY_BITS 14

/* What a row goes through; without any of the three it is today's plain conversion. */
struct _ThColor
{
  guint users; /* its owner and the cache */
  ThColorModel model;
  gboolean has_alpha;
  gboolean many; /* is made for that */
  guint bits;    /* of a sample in */
  guint8 *greys; /* RGB of each grey */
  ThShaper *shaper;
  ThIcc *icc;
};

typedef struct
{
  guint8 *profile; /* distilled, owned; NULL where the entry is free */
  gsize size;
  ThColor *color;
  guint64 used; /* when */
} Entry;

struct _ThColorCache
{
  guint64 clock;
  Entry entries[CACHE_ENTRIES];
};

void
th_color_free (ThColor *color)
{
  if (--color->users > 0)
    return;
  g_free (color->greys);
  g_clear_pointer (&color->shaper, th_shaper_free);
  g_clear_pointer (&color->icc, th_icc_free);
  g_free (color);
}

guint
th_color_channels (const ThColor *color)
{
  return color->has_alpha ? 4 : 3;
}

guint
th_color_bits (const ThColor *color)
{
  return th_color_is_plain (color) ? 8 : color->bits;
}

gboolean
th_color_is_plain (const ThColor *color)
{
  return color->greys == NULL && color->shaper == NULL && color->icc == NULL;
}

/* Greys that have an entry: all of 8 bits, and of 16 so many that dark ones stay apart. */
static guint
n_greys (guint bits)
{
  return bits == 8 ? 256 : 1 << GREY_BITS;
}

static gsize
greys_bytes (guint bits)
{
  return 3 * (gsize) n_greys (bits);
}

gsize
th_color_bytes (const ThColor *color)
{
  return sizeof *color + (color->greys != NULL ? greys_bytes (color->bits) : 0)
         + (color->shaper != NULL ? th_shaper_bytes (color->shaper) : 0)
         + (color->icc != NULL ? th_icc_bytes (color->icc) : 0);
}

/* The greys of the table as the samples that stand for them, each channels times. */
static void *
grey_samples (guint bits, guint channels)
{
  const guint n = n_greys (bits);
  guint8 *samples = g_malloc_n (n, (gsize) channels * bits / 8);
  guint16 *deep = (guint16 *) samples;

  for (guint i = 0; i < n * channels; i++)
    if (bits == 8)
      samples[i] = (guint8) (i / channels);
    else
      deep[i] = (guint16) (i / channels * 65535 / (n - 1));
  return samples;
}

/* Takes the table over, unless it says what grey is anyhow. */
static void
take_greys (ThColor *color, guint8 *greys)
{
  const guint n = n_greys (color->bits);
  guint differ = 0;

  for (guint i = 0; i < 3 * n; i++)
    differ += abs (greys[i] - (int) (i / 3 * 255 / (n - 1))) > TH_SHAPER_SAME ? 1 : 0;
  if (differ > 0)
    color->greys = greys;
  else
    g_free (greys);
}

static void
greys_of_icc (ThColor *color, const ThIcc *icc)
{
  g_autofree void *samples = grey_samples (color->bits, 1);
  guint8 *greys = g_malloc (greys_bytes (color->bits));

  th_icc_row (icc, samples, n_greys (color->bits), greys);
  take_greys (color, greys);
}

/* TRUE where the profile tells the colours. */
static gboolean
use_profile (ThColor *color, ThBytes profile)
{
  const gboolean grey = color->model == TH_COLOR_GREY;
  g_autoptr (ThIcc) icc = th_icc_new (profile, color->model);
  g_autoptr (ThShaper) shaper = NULL;

  if (icc == NULL)
    return FALSE;
  shaper = th_icc_read_shaper (icc, 8);
  if (shaper != NULL && th_shaper_is_identity (shaper))
    return TRUE;
  if (shaper != NULL)
    {
      color->shaper =
          color->bits == 8 ? g_steal_pointer (&shaper) : th_icc_read_shaper (icc, color->bits);
      return TRUE;
    }
  /* Of grey only the table's are ever asked for. */
  if (!th_icc_link (icc, color->bits, color->has_alpha && !grey, color->many && !grey))
    return FALSE;
  if (grey)
    greys_of_icc (color, icc);
  else
    color->icc = g_steal_pointer (&icc);
  return TRUE;
}

/* Grey has the space's white and nothing of its primaries. */
static void
greys_of_space (ThColor *color, const ThColorSpace *space)
{
  g_autofree void *samples = grey_samples (color->bits, 3);
  ThColorSpace curve = th_color_space_plain (space->transfer, space->gamma);
  g_autoptr (ThShaper) shaper = NULL;
  guint8 *greys;

  curve.narrow = space->narrow;
  shaper = th_shaper_new_space (color->bits, &curve);
  if (shaper == NULL)
    return;
  greys = g_malloc (greys_bytes (color->bits));
  th_shaper_row (shaper, 3, samples, n_greys (color->bits), greys);
  take_greys (color, greys);
}

static void
use_space (ThColor *color, const ThColorSpace *space)
{
  g_autoptr (ThShaper) shaper = NULL;

  if (!space->given || color->model == TH_COLOR_CMYK)
    return;
  if (color->model == TH_COLOR_GREY)
    {
      greys_of_space (color, space);
      return;
    }
  shaper = th_shaper_new_space (8, space);
  if (shaper == NULL || th_shaper_is_identity (shaper))
    return;
  color->shaper =
      color->bits == 8 ? g_steal_pointer (&shaper) : th_shaper_new_space (color->bits, space);
}

static ThColor *
make (const ThColorSource *source)
{
  ThColor *color = g_new (ThColor, 1);

  *color = (ThColor){
    .users = 1,
    .model = source->model,
    .has_alpha = source->has_alpha,
    .many = source->pixels >= MANY_PIXELS,
    .bits = source->deep ? 16 : 8,
  };
  return color;
}

static void
clear_entry (Entry *entry)
{
  g_clear_pointer (&entry->profile, g_free);
  g_clear_pointer (&entry->color, th_color_free);
  entry->size = 0;
}

static ThColor *
look_up (ThColorCache *cache, const ThColorSource *source, ThBytes profile)
{
  for (guint i = 0; i < CACHE_ENTRIES; i++)
    {
      Entry *entry = &cache->entries[i];

      if (entry->profile == NULL || entry->size != profile.size
          || entry->color->model != source->model || entry->color->has_alpha != source->has_alpha
          || entry->color->many != (source->pixels >= MANY_PIXELS)
          || (entry->color->bits == 16) != source->deep
          || memcmp (entry->profile, profile.data, profile.size) != 0)
        continue;
      entry->used = ++cache->clock;
      entry->color->users++;
      return entry->color;
    }
  return NULL;
}

/* The free entry, or the one that was not asked for for the longest time, made free. */
static Entry *
make_room (ThColorCache *cache)
{
  Entry *oldest = &cache->entries[0];

  for (guint i = 0; i < CACHE_ENTRIES; i++)
    {
      Entry *entry = &cache->entries[i];

      if (entry->profile == NULL)
        return entry;
      if (entry->used < oldest->used)
        oldest = entry;
    }
  clear_entry (oldest);
  return oldest;
}

static gsize
cached_bytes (const ThColorCache *cache)
{
  gsize sum = 0;

  for (guint i = 0; i < CACHE_ENTRIES; i++)
    if (cache->entries[i].profile != NULL)
      sum += cache->entries[i].size + th_color_bytes (cache->entries[i].color);
  return sum;
}

/* Takes the profile over. */
static void
keep (ThColorCache *cache, ThColor *color, guint8 *profile, gsize size)
{
  Entry *entry = make_room (cache);

  *entry = (Entry){ profile, size, color, ++cache->clock };
  color->users++;
  /* Everything else goes before what has just come, which alone is kept only if it is small. */
  for (guint i = 0; i < CACHE_ENTRIES && cached_bytes (cache) > CACHE_BYTES; i++)
    if (&cache->entries[i] != entry)
      clear_entry (&cache->entries[i]);
  if (cached_bytes (cache) > CACHE_BYTES)
    clear_entry (entry);
}

ThColorCache *
th_color_cache_new (void)
{
  th_icc_warm_up ();
  return g_new0 (ThColorCache, 1);
}

void
th_color_cache_free (ThColorCache *cache)
{
  for (guint i = 0; i < CACHE_ENTRIES; i++)
    clear_entry (&cache->entries[i]);
  g_free (cache);
}

/* NULL where the profile is of no use. */
static ThColor *
from_profile (const ThColorSource *source, ThColorCache *cache)
{
  g_autofree guint8 *profile = NULL;
  g_autoptr (ThColor) color = NULL;
  gsize size;

  if (source->icc.data == NULL)
    return NULL;
  profile = th_icc_distil (source->icc, source->model, &size);
  if (profile == NULL)
    return NULL;
  color = cache != NULL ? look_up (cache, source, (ThBytes){ profile, size }) : NULL;
  if (color != NULL)
    return g_steal_pointer (&color);
  color = make (source);
  if (!use_profile (color, (ThBytes){ profile, size }))
    return NULL;
  if (cache != NULL)
    keep (cache, color, g_steal_pointer (&profile), size);
  return g_steal_pointer (&color);
}

ThColor *
th_color_new (const ThColorSource *source, ThColorCache *cache)
{
  ThColor *color = from_profile (source, cache);

  if (color != NULL)
    return color;
  color = make (source);
  use_space (color, &source->space);
  return color;
}

/* a × b / 255, rounded. */
static inline guint8
times (guint a, guint b)
{
  return (guint8) ((a * b + 127) / 255);
}

static void
plain_cmyk (const guint8 *in, guint8 *rgb)
{
  const guint through = 255u - in[3];

  rgb[0] = times (255u - in[0], through);
  rgb[1] = times (255u - in[1], through);
  rgb[2] = times (255u - in[2], through);
}

static void
cmyk_row (const ThColor *color, const guint8 *in, guint32 width, guint8 *out)
{
  const guint n_out = th_color_channels (color);
  const guint n_in = color->has_alpha ? 5 : 4;

  for (guint32 x = 0; x < width; x++, in += n_in, out += n_out)
    {
      plain_cmyk (in, out);
      if (color->has_alpha)
        out[3] = in[4];
    }
}

static void
grey_row (const ThColor *color, const guint8 *in, guint32 width, guint8 *out)
{
  const guint n_out = th_color_channels (color);
  const guint n_in = color->has_alpha ? 2 : 1;

  for (guint32 x = 0; x < width; x++, in += n_in, out += n_out)
    {
      if (color->greys != NULL)
        memcpy (out, color->greys + 3 * in[0], 3);
      else
        out[0] = out[1] = out[2] = in[0];
      if (color->has_alpha)
        out[3] = in[1];
    }
}

static void
deep_grey_row (const ThColor *color, const guint16 *in, guint32 width, guint8 *out)
{
  const guint n_out = th_color_channels (color);
  const guint n_in = color->has_alpha ? 2 : 1;

  for (guint32 x = 0; x < width; x++, in += n_in, out += n_out)
    {
      memcpy (out, color->greys + 3 * (in[0] >> (16 - GREY_BITS)), 3);
      if (color->has_alpha)
        out[3] = (guint8) ((in[1] * 255u + 32767u) / 65535u);
    }
}

void
th_color_row (const ThColor *color, const void *in, guint32 width, guint8 *out)
{
  if (color->icc != NULL)
    th_icc_row (color->icc, in, width, out);
  else if (color->shaper != NULL)
    th_shaper_row (color->shaper, th_color_channels (color), in, width, out);
  else if (color->greys != NULL && color->bits == 16)
    deep_grey_row (color, in, width, out);
  else if (color->model == TH_COLOR_GREY)
    grey_row (color, in, width, out);
  else if (color->model == TH_COLOR_CMYK)
    cmyk_row (color, in, width, out);
  else
    memcpy (out, in, (gsize) width * th_color_channels (color));
}

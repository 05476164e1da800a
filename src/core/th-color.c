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

/* What a row goes through; without any of the three it is today's plain conversion. */
struct _ThColor
{
  guint users; /* its owner and the cache */
  ThColorModel model;
  gboolean has_alpha;
  gboolean many; /* is made for that */
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
  g_free (color->shaper);
  g_clear_pointer (&color->icc, th_icc_free);
  g_free (color);
}

guint
th_color_channels (const ThColor *color)
{
  return color->has_alpha ? 4 : 3;
}

gboolean
th_color_is_plain (const ThColor *color)
{
  return color->greys == NULL && color->shaper == NULL && color->icc == NULL;
}

gsize
th_color_bytes (const ThColor *color)
{
  return sizeof *color + (color->greys != NULL ? 3 * 256 : 0)
         + (color->shaper != NULL ? sizeof (ThShaper) : 0)
         + (color->icc != NULL ? th_icc_bytes (color->icc) : 0);
}

/* Keeps the table unless it says what grey is anyhow. */
static void
take_greys (ThColor *color, const guint8 greys[3 * 256])
{
  guint differ = 0;

  for (int i = 0; i < 3 * 256; i++)
    differ += abs (greys[i] - i / 3) > TH_SHAPER_SAME ? 1 : 0;
  if (differ > 0)
    color->greys = g_memdup2 (greys, 3 * 256);
}

static void
take_shaper (ThColor *color, const ThShaper *shaper)
{
  if (!th_shaper_is_identity (shaper))
    color->shaper = g_memdup2 (shaper, sizeof *shaper);
}

/* TRUE where the profile tells the colours. */
static gboolean
use_profile (ThColor *color, ThBytes profile)
{
  g_autoptr (ThIcc) icc = th_icc_new (profile, color->model);
  guint8 in[256], greys[3 * 256];
  ThShaper shaper;

  if (icc == NULL)
    return FALSE;
  if (th_icc_read_shaper (icc, &shaper))
    {
      take_shaper (color, &shaper);
      return TRUE;
    }
  /* Of grey only 256 values are ever asked for. */
  if (color->model == TH_COLOR_GREY ? !th_icc_link (icc, FALSE, FALSE)
                                    : !th_icc_link (icc, color->has_alpha, color->many))
    return FALSE;
  if (color->model != TH_COLOR_GREY)
    {
      color->icc = g_steal_pointer (&icc);
      return TRUE;
    }
  for (guint i = 0; i < 256; i++)
    in[i] = (guint8) i;
  th_icc_row (icc, in, 256, greys);
  take_greys (color, greys);
  return TRUE;
}

static void
use_space (ThColor *color, const ThColorSpace *space)
{
  ThColorSpace curve = th_color_space_plain (space->transfer, space->gamma);
  guint8 in[3 * 256], greys[3 * 256];
  ThShaper shaper;

  if (!space->given || color->model == TH_COLOR_CMYK)
    return;
  /* Grey has the space's white and nothing of its primaries. */
  curve.narrow = space->narrow;
  if (!th_shaper_init_space (&shaper, color->model == TH_COLOR_GREY ? &curve : space))
    return;
  if (color->model == TH_COLOR_RGB)
    {
      take_shaper (color, &shaper);
      return;
    }
  for (guint i = 0; i < 3 * 256; i++)
    in[i] = (guint8) (i / 3);
  th_shaper_row (&shaper, 3, in, 256, greys);
  take_greys (color, greys);
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

void
th_color_row (const ThColor *color, const guint8 *in, guint32 width, guint8 *out)
{
  if (color->icc != NULL)
    th_icc_row (color->icc, in, width, out);
  else if (color->shaper != NULL)
    th_shaper_row (color->shaper, th_color_channels (color), in, width, out);
  else if (color->model == TH_COLOR_GREY)
    grey_row (color, in, width, out);
  else if (color->model == TH_COLOR_CMYK)
    cmyk_row (color, in, width, out);
  else
    memcpy (out, in, (gsize) width * th_color_channels (color));
}

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

/* What came of something that is said of colours. */
typedef enum
{
  USELESS,
  USED,
  NO_MEMORY,
} Use;

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

/* The greys of the table as the samples that stand for them, each channels times; NULL where memory
 * is short. */
static void *
grey_samples (guint bits, guint channels)
{
  const guint n = n_greys (bits);
  guint8 *samples = g_try_malloc_n (n, (gsize) channels * bits / 8);
  guint16 *deep = (guint16 *) samples;

  for (guint i = 0; samples != NULL && i < n * channels; i++)
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

static Use
greys_of_icc (ThColor *color, const ThIcc *icc)
{
  g_autofree void *samples = grey_samples (color->bits, 1);
  guint8 *greys = g_try_malloc (greys_bytes (color->bits));

  if (samples == NULL || greys == NULL)
    {
      g_free (greys);
      return NO_MEMORY;
    }
  th_icc_row (icc, samples, n_greys (color->bits), greys);
  take_greys (color, greys);
  return USED;
}

/* What fills a shaper from where it comes from; FALSE where that is no curves and a matrix. */
typedef gboolean (*Fill) (gconstpointer from, ThShaper *shaper);

static gboolean
fill_from_icc (gconstpointer from, ThShaper *shaper)
{
  return th_icc_read_shaper (from, shaper);
}

static gboolean
fill_from_space (gconstpointer from, ThShaper *shaper)
{
  return th_shaper_fill_space (shaper, from);
}

/* One of 8 bits tells whether there is anything to do. */
static Use
use_shaper (ThColor *color, Fill fill, gconstpointer from)
{
  g_autoptr (ThShaper) shaper = th_shaper_new (8);

  if (shaper == NULL)
    return NO_MEMORY;
  if (!fill (from, shaper))
    return USELESS;
  if (th_shaper_is_identity (shaper))
    return USED;
  if (color->bits == 8)
    {
      color->shaper = g_steal_pointer (&shaper);
      return USED;
    }
  color->shaper = th_shaper_new (color->bits);
  if (color->shaper == NULL)
    return NO_MEMORY;
  return fill (from, color->shaper) ? USED : NO_MEMORY;
}

static Use
use_tables (ThColor *color, ThIcc **icc)
{
  const gboolean grey = color->model == TH_COLOR_GREY;

  /* Of grey only the table's are ever asked for. */
  if (!th_icc_link (*icc, color->bits, color->has_alpha && !grey, color->many && !grey))
    return USELESS;
  if (grey)
    return greys_of_icc (color, *icc);
  color->icc = g_steal_pointer (icc);
  return USED;
}

static Use
use_profile (ThColor *color, ThBytes profile)
{
  g_autoptr (ThIcc) icc = th_icc_new (profile, color->model);
  const ThIcc *borrowed = icc;
  Use use = USELESS;

  if (icc == NULL)
    return NO_MEMORY;
  if (th_icc_is_open (icc))
    use = use_shaper (color, fill_from_icc, icc);
  if (th_icc_is_open (icc) && use == USELESS)
    use = use_tables (color, &icc);
  return th_icc_lacked_memory (borrowed) ? NO_MEMORY : use;
}

/* Grey has the space's white and nothing of its primaries. */
static Use
greys_of_space (ThColor *color, const ThColorSpace *space)
{
  g_autofree void *samples = grey_samples (color->bits, 3);
  g_autofree guint8 *greys = g_try_malloc (greys_bytes (color->bits));
  g_autoptr (ThShaper) shaper = th_shaper_new (color->bits);
  ThColorSpace curve = th_color_space_plain (space->transfer, space->gamma);

  if (samples == NULL || greys == NULL || shaper == NULL)
    return NO_MEMORY;
  curve.narrow = space->narrow;
  if (!th_shaper_fill_space (shaper, &curve))
    return USELESS;
  th_shaper_row (shaper, 3, samples, n_greys (color->bits), greys);
  take_greys (color, g_steal_pointer (&greys));
  return USED;
}

static Use
use_space (ThColor *color, const ThColorSpace *space)
{
  if (!space->given || color->model == TH_COLOR_CMYK)
    return USELESS;
  if (color->model == TH_COLOR_GREY)
    return greys_of_space (color, space);
  return use_shaper (color, fill_from_space, space);
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

/* Sets *made where the profile is used. */
static Use
from_profile (const ThColorSource *source, ThColorCache *cache, ThColor **made)
{
  g_autofree guint8 *profile = NULL;
  g_autoptr (ThColor) color = NULL;
  gsize size;
  Use use;

  profile = th_icc_distil (source->icc, source->model, &size);
  if (profile == NULL)
    return size > 0 ? NO_MEMORY : USELESS;
  *made = cache != NULL ? look_up (cache, source, (ThBytes){ profile, size }) : NULL;
  if (*made != NULL)
    return USED;
  color = make (source);
  use = use_profile (color, (ThBytes){ profile, size });
  if (use != USED)
    return use;
  if (cache != NULL)
    keep (cache, color, g_steal_pointer (&profile), size);
  *made = g_steal_pointer (&color);
  return USED;
}

ThColor *
th_color_new (const ThColorSource *source, ThColorCache *cache)
{
  g_autoptr (ThColor) color = NULL;
  Use use = USELESS;

  if (source->icc.data != NULL)
    use = from_profile (source, cache, &color);
  if (use == USELESS)
    {
      color = make (source);
      use = use_space (color, &source->space);
    }
  return use != NO_MEMORY ? g_steal_pointer (&color) : NULL;
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

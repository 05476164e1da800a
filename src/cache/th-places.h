/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All that a cache has of a URI: one file of the same name in each of its places, which are the
 * four flavor folders and those of our failure entries, of all versions. Other programs' failure
 * entries are not among them. */
#pragma once

#include "cache/th-cache.h"

typedef struct
{
  char *path;
  int folder; /* O_PATH */
} ThCachePlace;

/* Those places that exist and are the effective user's. Of ThCachePlace; the caller unrefs it. */
GArray *th_places_open (const ThCache *cache);

/* Where the file of uri is, or would be, in a place. Caller frees. */
char *th_cache_place_path (const ThCachePlace *place, const char *uri);
/* Whether there was one. */
gboolean th_cache_place_remove (const ThCachePlace *place, const char *uri);

/* What is to become of a file; text is what it says. */
typedef void (*ThCachePlaceVisit) (const ThCachePlace *place, const char *name,
                                   const ThPngText *text, gpointer data);
/* Visits each file that has the name of a thumbnail and is a whole PNG, in no order, reading the
 * head of each and keeping nothing. Files may come and go meanwhile, also by the visit. Ends early
 * once *stop is not 0. */
void th_cache_place_scan (const ThCachePlace *place, ThCachePlaceVisit visit, gpointer data,
                          const gint *stop);

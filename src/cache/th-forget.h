/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removing what a cache has of files, by their URIs: thumbnails in all flavors and our failure
 * entries. Looks at no source: whoever calls knows why. */
#pragma once

#include "cache/th-cache.h"
#include "cache/th-look.h"

/* That there was a failure entry, beside the bits of ThFlavors. */
#define TH_FORGOT_FAILURE (1u << TH_N_FLAVORS)

/* What lies under the names of exactly these URIs, whatever it says; one unlink a URI and place,
 * nothing is scanned. had[i] becomes what there was of uris[i]; may be NULL. *stop: see
 * th_cache_place_scan. */
void th_forget_uris (const ThCache *cache, const char *const *uris, guint n, guint32 *had,
                     const gint *stop);

/* Both scan the whole cache; a file goes by the Thumb::URI in it, so that one that cannot be read
 * stays. */
/* Those of the URIs and of everything below them. looker: as for th_follow; NULL. */
void th_forget_below (const ThCache *cache, const char *const *bases, guint n,
                      const ThLooker *looker, const gint *stop);
/* Of the same those whose sources were last modified at or before since, by their Thumb::MTime; one
 * without stays. No bases: of all URIs. */
void th_forget_older (const ThCache *cache, const char *const *bases, guint n, gint64 since,
                      const gint *stop);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Under which names a thumbnailer of somebody else finds what it reads and is to write. */
#pragma once

#include <glib.h>

typedef struct
{
  char *source;
  char *output;
  char *folder; /* ours, without a sandbox; NULL: nothing lies outside */
} ThExternalPlace;

/* source_path is absolute; its extension stays, as programs go by that. With a sandbox all names
 * are of its inside. Fails only without one: TH_ERROR_OTHER. */
gboolean th_external_place_init (ThExternalPlace *place, gboolean sandboxed,
                                 const char *source_path, GError **error);
/* Removes what was written, too. */
void th_external_place_clear (ThExternalPlace *place);
/* Whether a path leads through such a folder: nothing of ours is ever a source. */
gboolean th_external_place_owns (const char *path);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThExternalPlace, th_external_place_clear)

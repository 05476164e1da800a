/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-privacy.h"

#include <string.h>

/* "fuse.gocryptfs" and, where the type says nothing, what the mount calls itself. */
static const char *
name_of (const ThMount *mount)
{
  if (g_str_has_prefix (mount->type, "fuse."))
    return mount->type + strlen ("fuse.");
  return strcmp (mount->type, "ecryptfs") == 0 ? mount->type : mount->source;
}

char *
th_privacy_forbid (ThMounts *mounts, const ThMount *mount, const ThCache *cache)
{
  g_autoptr (ThMount) home = NULL;
  g_autofree char *name = NULL, *point = NULL;

  if (!mount->encrypted)
    return NULL;
  home = th_mounts_find (mounts, th_cache_root (cache));
  if (home->id == mount->id)
    return NULL;
  name = g_utf8_make_valid (name_of (mount), -1);
  point = g_filename_display_name (mount->point);
  return g_strdup_printf ("nothing is kept of what lies in an encrypted folder (%s, on %s)", name,
                          point);
}

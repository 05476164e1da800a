/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-leave.h"

#include <string.h>
#include <sys/sysmacros.h>

#include "cache/th-uri.h"
#include "engine/th-apart.h"

/* What stat says of files is the number in the table of mounts, but where that is made up: btrfs
 * has one for each subvolume. */
static dev_t
device_of (const ThMount *mount)
{
  return g_str_equal (mount->type, "btrfs") || mount->apart ? 0 : mount->device;
}

ThLeave *
th_leave_new (ThMounts *mounts, const char *point)
{
  ThLeave *leave = g_new0 (ThLeave, 1);
  g_autoptr (ThMount) mount = NULL;
  g_autofree char *uri = th_uri_from_path (point);

  g_atomic_ref_count_init (&leave->refs);
  leave->mounts = mounts;
  leave->point = th_uri_to_path (uri, NULL);
  leave->uri = g_strconcat (uri, g_str_has_suffix (uri, "/") ? "" : "/", NULL);
  mount = th_mounts_find (mounts, point);
  if (g_strcmp0 (mount->point, leave->point) != 0)
    return leave;
  leave->device = device_of (mount);
  leave->apart = mount->apart;
  return leave;
}

ThLeave *
th_leave_ref (ThLeave *leave)
{
  g_atomic_ref_count_inc (&leave->refs);
  return leave;
}

void
th_leave_unref (ThLeave *leave)
{
  if (!g_atomic_ref_count_dec (&leave->refs))
    return;
  g_free (leave->point);
  g_free (leave->uri);
  g_free (leave);
}

gboolean
th_leave_is_same (const ThLeave *a, const ThLeave *b)
{
  return a->device == b->device && a->apart == b->apart && g_str_equal (a->point, b->point);
}

gboolean
th_leave_concerns (const ThLeave *leave, const char *uri, const ThFileKey *key)
{
  g_autofree char *path = NULL;

  if (g_str_has_prefix (uri, leave->uri))
    return TRUE;
  if (!th_apart_is_key (key)
      && (leave->apart || (leave->device != 0 && key->device != leave->device)))
    return FALSE;
  path = th_uri_to_path (uri, NULL);
  return path != NULL && th_mounts_leads_below (leave->mounts, path, leave->point);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One symbolic link into our folder of data, at a place where others look for a file. Never takes
 * the place of, and never removes, what is no such link. Knows nothing of what the files are for.
 */
#pragma once

#include <glib.h>

typedef enum
{
  TH_LINK_FAILED, /* error is set; nothing was changed */
  TH_LINK_CHANGED,
  TH_LINK_AS_IT_WAS,
} ThLinkResult;

/* Makes the link, and the folders above it. A link of ours to another place, of an earlier
 * installation for example, is replaced. */
ThLinkResult th_link_make (const char *target, const char *path, GError **error);
/* Removes it where it is there. What is not ours is no error and stays. */
ThLinkResult th_link_remove (const char *target, const char *path, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at a file that may lie where nobody answers. */
#pragma once

#include "cache/th-stamp.h"

typedef enum
{
  TH_LOOK_FOUND,
  TH_LOOK_MISSING, /* there is nothing of that name */
  TH_LOOK_REFUSED, /* it cannot be looked at */
  TH_LOOK_UNKNOWN, /* nobody answers: nothing is to be believed */
} ThLook;

/* Who looks; a NULL for it: th_stamp_from_path, and nobody for what is no path. */
typedef struct
{
  /* where is an absolute path, or a URI of another scheme than file; the device of what that leads
   * to is 0. */
  ThLook (*look) (const char *where, ThStamp *stamp, struct stat *st, gpointer data);
  gpointer data;
} ThLooker;

/* st is all 0 unless FOUND. */
ThLook th_look (const ThLooker *looker, const char *where, ThStamp *stamp, struct stat *st);
/* The nearest of what is above path, absolute, that is there, and its st: all 0 where not even the
 * root can be looked at. *parent: it is what path lies in. Caller frees. */
char *th_look_above (const ThLooker *looker, const char *path, struct stat *st, gboolean *parent);

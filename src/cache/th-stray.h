/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What lies in a folder of thumbnails by its name: entries, and the temporaries of the programs
 * that write them, which a killed one leaves behind. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

typedef enum
{
  TH_STRAY_NONE,  /* somebody else's, for whatever purpose */
  TH_STRAY_ENTRY, /* 32 hexadecimal digits and ".png" */
  TH_STRAY_OWN,   /* a temporary of ours */
  TH_STRAY_OTHER, /* of gnome-desktop, GLib, KIO, MATE or tumbler */
} ThStray;

ThStray th_stray_kind (const char *name);
/* Whether a temporary, of which st tells, was left behind: not touched for hours before now, and
 * open in no process, where the file system can tell that. */
gboolean th_stray_is_abandoned (ThStray kind, int folder, const char *name, const struct stat *st,
                                gint64 now);

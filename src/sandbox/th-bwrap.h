/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a program of somebody else gets to see, as arguments of bubblewrap. Starts nothing. */
#pragma once

#include <glib.h>

/* Descriptors that bubblewrap itself is given. */
#define TH_BWRAP_FILTER_FD 5
#define TH_BWRAP_INFO_FD   6
#define TH_BWRAP_SOURCE_FD 7 /* where the source is no path */

/* Where things are inside. */
#define TH_BWRAP_SOURCE_DIR "/source"
#define TH_BWRAP_OUTPUT     "/tmp/thumbnail.png"
#define TH_BWRAP_HELPER     "/thimble-external"

typedef struct
{
  const char *bwrap;
  const char *helper;
  const char *source;       /* path outside; NULL: none */
  gboolean source_is_data;  /* what TH_BWRAP_SOURCE_FD gives is copied inside */
  const char *source_there; /* path inside */
  const char *bind;         /* one more thing to be seen at its own path, or NULL: for tests */
} ThBwrap;

/* bwrap and its options, up to and without the command; the caller adds that, and frees. */
GPtrArray *th_bwrap_arguments (const ThBwrap *bwrap);
/* Whether a file can be run inside: it lies in what is bound. path is absolute and free of links.
 */
gboolean th_bwrap_shows (const char *path, const char *bind);

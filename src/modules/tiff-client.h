/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libtiff over ThInput, for one directory: reads by offset, never mapped, and keeps what libtiff
 * says in place of printing it. */
#pragma once

#include <tiffio.h>

#include "base/th-error.h"
#include "modules/tiff-overlay.h"

#define TH_TIFF_TEXT 160

typedef struct
{
  ThInput *input; /* borrowed */
  ThTiffOverlay overlay;
  guint64 position;
  char text[TH_TIFF_TEXT]; /* libtiff's first complaint; empty where there was none */
  TIFF *tiff;
} ThTiffClient;

/* Opens one directory, 0: the first; input must outlive the client, which must stay where it is.
 * What libtiff allocates at once is at most max_bytes. FALSE where libtiff refuses, and text says
 * why. */
gboolean th_tiff_client_open (ThTiffClient *client, ThInput *input, guint64 directory,
                              guint64 max_bytes);
/* May be called on one that was not opened, or is all zero. */
void th_tiff_client_close (ThTiffClient *client);
/* IO where reading failed, else CORRUPT with libtiff's own words where it had some. */
ThStatus th_tiff_client_failure (const ThTiffClient *client, GError **error);

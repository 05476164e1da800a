/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What of an AVIF picture is to be seen. Knows no files and no colours. */
#pragma once

#include <avif/avif.h>
#include <glib.h>

/* The clean aperture on whole pixels, and where chroma is coarser on whole pixels of that. All of
 * the picture where there is none, or one that is not within it. */
avifCropRect th_avif_crop (const avifImage *image);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the samples that a TIFF page stores to a row of the raster: bits, numbers, palettes, planes
 * and Lab. Reads no file. */
#pragma once

#include "modules/tiff-page.h"

typedef struct _ThTiffExpand ThTiffExpand;

/* Bytes that an expander allocates for the page. */
guint64 th_tiff_expand_bytes (const ThTiffPage *page);
/* For a page that tiff has entered; page must outlive it. has_profile: floating-point samples are
 * what the profile says, else linear light. NULL without memory or without the page's palette. */
ThTiffExpand *th_tiff_expand_new (const ThTiffPage *page, TIFF *tiff, gboolean has_profile);
void th_tiff_expand_free (ThTiffExpand *expand);
/* One row, valid until the next call: the stored one itself where nothing is to be done. */
const void *th_tiff_expand_row (ThTiffExpand *expand,
                                const guint8 *const planes[TH_TIFF_SAMPLES_MAX]);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThTiffExpand, th_tiff_expand_free)

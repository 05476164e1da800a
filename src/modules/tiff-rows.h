/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of one page as they are stored, from strips or tiles, in one plane or several. Memory
 * for a row of blocks, or for some rows of a large strip. Knows no colour. */
#pragma once

#include "modules/tiff-page.h"

typedef struct _ThTiffRows ThTiffRows;

/* input and page must outlive the rows. NULL, with status and error: IO, CORRUPT or NO_MEMORY. */
ThTiffRows *th_tiff_rows_new (ThInput *input, const ThTiffPage *page, guint64 max_bytes,
                              ThStatus *status, GError **error);
void th_tiff_rows_free (ThTiffRows *rows);
/* The next row: in planes[0] all samples, or in each the one of page->wanted. FALSE where it is
 * missing; those after it may still be there. The views last until the next call. Not to be called
 * more often than the page has rows. */
gboolean th_tiff_rows_next (ThTiffRows *rows, const guint8 *planes[TH_TIFF_SAMPLES_MAX]);
/* libtiff as it has entered the page. */
TIFF *th_tiff_rows_tiff (const ThTiffRows *rows);
/* Some block was damaged, whether or not its rows came. */
gboolean th_tiff_rows_dirty (const ThTiffRows *rows);
/* Why rows are missing: IO or CORRUPT. */
ThStatus th_tiff_rows_failure (const ThTiffRows *rows, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThTiffRows, th_tiff_rows_free)

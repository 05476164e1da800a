/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of a PNG as they are stored, inflated and unfiltered, in the order of the file. Knows
 * nothing of colours and not which pass a row belongs to. */
#pragma once

#include "core/codecs/png-head.h"

typedef struct _ThPngRows ThPngRows;

/* Borrows both. */
ThPngRows *th_png_rows_new (const ThPngHead *head, ThInput *input);
void th_png_rows_free (ThPngRows *rows);
/* Most that one will have allocated. */
guint64 th_png_rows_bytes (const ThPngHead *head);
/* The next row, valid until the next call; in an interlaced picture one row of a pass, starting at
 * the first byte. NULL at the end of the data and wherever they are broken: then nothing follows.
 */
const guint8 *th_png_rows_next (ThPngRows *rows);
/* Why th_png_rows_next has returned NULL: CORRUPT, IO or NO_MEMORY. */
ThStatus th_png_rows_failure (const ThPngRows *rows, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThPngRows, th_png_rows_free)

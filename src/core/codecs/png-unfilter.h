/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Undoes PNG's row filters in place. Knows bytes only. */
#pragma once

#include <glib.h>

/* Bytes behind the last row that may be read. */
#define TH_PNG_SLACK 16u

/* rows: n rows of a filter byte and stride - 1 bytes each; step: bytes from a byte to the one that
 * is its left neighbour; above: the row before, without filter byte, zeros before the first.
 * Returns how many rows were done: all, or those before the first with an unknown filter. */
guint th_png_unfilter (guint8 *rows, gsize stride, guint n, guint step, const guint8 *above);

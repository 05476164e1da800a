/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adam7: keeps the first six passes, half of the picture, as stored, and assembles rows from them;
 * the seventh pass is every second row and is streamed. Where data are missing, what came with the
 * coarser passes stands in. Knows nothing of files. */
#pragma once

#include "core/codecs/png-expand.h"
#include "core/codecs/png-rows.h"

typedef struct _ThPngAdam7 ThPngAdam7;

/* Borrows both. NULL where memory is short. */
ThPngAdam7 *th_png_adam7_new (const ThPngHead *head, const ThPngExpand *expand);
void th_png_adam7_free (ThPngAdam7 *adam7);
guint64 th_png_adam7_bytes (const ThPngHead *head);
/* Takes the first six passes; FALSE where they are not complete. */
gboolean th_png_adam7_load (ThPngAdam7 *adam7, ThPngRows *rows);
/* Row y of the picture; FALSE where nothing came that could stand for it. */
gboolean th_png_adam7_row (const ThPngAdam7 *adam7, guint32 y, guint8 *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThPngAdam7, th_png_adam7_free)

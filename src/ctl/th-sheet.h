/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A contact sheet in memory: cells of one size in rows, in each a picture and its label below.
 * Knows no file and decodes nothing. */
#pragma once

#include "base/th-image.h"

typedef struct
{
  guint32 box; /* pixels of a picture's side at most, and of a label's width */
  guint columns;
  guint cells;
  gboolean labels; /* room is left for them */
  ThImage canvas;
} ThSheet;

/* Pixels of a label's height. */
#define TH_SHEET_LABEL 36u

/* As many columns as give a sheet about as wide as a screen; 1 at least. */
guint th_sheet_columns (guint32 box, guint cells);
/* Cells that one sheet may have at most, whole rows, so that its memory is bounded. 0: not even
 * one row. */
guint th_sheet_most_cells (guint32 box, guint columns);
/* White. FALSE: there is no memory for it. */
gboolean th_sheet_init (ThSheet *sheet, guint32 box, guint columns, guint cells, gboolean labels,
                        GError **error);
void th_sheet_clear (ThSheet *sheet);
/* Puts a picture in the middle of its cell; what does not fit is cut off. */
void th_sheet_put (ThSheet *sheet, guint cell, const ThImage *picture);
void th_sheet_put_label (ThSheet *sheet, guint cell, const ThImage *label);

/* An SVG of width × TH_SHEET_LABEL pixels with the name on at most two lines, its middle left out
 * where it is too long. Caller frees. */
char *th_sheet_label (const char *name, guint32 width);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThSheet, th_sheet_clear)

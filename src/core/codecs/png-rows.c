/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/png-rows.h"

#include "core/codecs/png-fast.h"
#include "core/codecs/png-library.h"

struct _ThPngRows
{
  const ThPngHead *head;
  ThInput *input;
  ThPngFast *fast;       /* until it gives up */
  ThPngLibrary *library; /* from then on */
  guint32 given;         /* rows by fast */
  gboolean no_memory;
};

ThPngRows *
th_png_rows_new (const ThPngHead *head, ThInput *input)
{
  ThPngRows *rows = g_new0 (ThPngRows, 1);

  rows->head = head;
  rows->input = input;
  rows->fast = th_png_fast_new (head, input);
  return rows;
}

void
th_png_rows_free (ThPngRows *rows)
{
  g_clear_pointer (&rows->fast, th_png_fast_free);
  g_clear_pointer (&rows->library, th_png_library_free);
  g_free (rows);
}

guint64
th_png_rows_bytes (const ThPngHead *head)
{
  const guint64 fast = th_png_fast_bytes (head), library = th_png_library_bytes (head);

  return sizeof (ThPngRows) + MAX (fast, library);
}

/* libpng starts at the beginning: what has been given already is dropped. */
static const guint8 *
next_by_library (ThPngRows *rows)
{
  const guint8 *row = NULL;

  if (rows->library == NULL)
    {
      rows->library = th_png_library_new (rows->head, rows->input);
      rows->no_memory = rows->library == NULL;
      for (; rows->library != NULL && rows->given > 0; rows->given--)
        th_png_library_next (rows->library);
    }
  if (rows->library != NULL)
    row = th_png_library_next (rows->library);
  return row;
}

const guint8 *
th_png_rows_next (ThPngRows *rows)
{
  const guint8 *row = rows->fast != NULL ? th_png_fast_next (rows->fast) : NULL;

  if (row != NULL)
    {
      rows->given++;
      return row;
    }
  g_clear_pointer (&rows->fast, th_png_fast_free);
  return rows->no_memory ? NULL : next_by_library (rows);
}

ThStatus
th_png_rows_failure (const ThPngRows *rows, GError **error)
{
  if (rows->library != NULL)
    return th_png_library_failure (rows->library, error);
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "PNG: %s",
               th_status_describe (TH_STATUS_NO_MEMORY));
  return TH_STATUS_NO_MEMORY;
}

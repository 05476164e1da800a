/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/icon-file.h"

#define PNG_DEPTH 32u /* what one counts as */

gboolean
th_icon_is_png (ThBytes head, ThIcon *icon)
{
  ThSize size;

  if (!th_bytes_starts_with (head, "\211PNG\r\n\032\n", 8)
      || !th_bytes_u32 (head, 16, TRUE, &size.width)
      || !th_bytes_u32 (head, 20, TRUE, &size.height))
    return FALSE;
  icon->layout = TH_ICON_PNG;
  icon->depth = PNG_DEPTH;
  icon->size = size;
  return TRUE;
}

static void
fill_header (ThIconFile *file)
{
  const ThHeader own = { .orientation = 1, .has_alpha = TRUE };
  const ThHeader shown = file->open.layout == TH_ICON_PNG ? th_part_header (&file->part) : own;

  file->header.orientation = shown.orientation;
  file->header.has_alpha = shown.has_alpha;
  file->header.icc = shown.icc;
  file->header.icc_size = shown.icc_size;
  file->header.space = shown.space;
}

static ThStatus
open_icon (ThIconFile *file, const ThIcon *icon, ThIconOpen open, GError **error)
{
  static const ThBytes nothing = { NULL, 0 };
  ThInput *input = file->base.input;
  ThStatus status;

  if (icon->layout == TH_ICON_PNG)
    status =
        th_part_open (&file->part, th_input_new_part (input, icon->offset, icon->bytes, nothing),
                      NULL, &file->limits, error);
  else
    status = open (file, icon, error);
  if (status != TH_STATUS_OK)
    return status;
  file->open = *icon;
  fill_header (file);
  return TH_STATUS_OK;
}

/* Not the picture's fault, and the same for the next. */
static gboolean
is_final (ThStatus status)
{
  return status == TH_STATUS_OK || status == TH_STATUS_IO || status == TH_STATUS_NO_MEMORY;
}

ThStatus
th_icon_file_open (ThIconFile *file, ThIconOpen open, GError **error)
{
  g_autoptr (GError) best = NULL;
  ThStatus first = TH_STATUS_OK;

  while (file->set.n > 0)
    {
      g_autoptr (GError) local = NULL;
      const ThStatus status = open_icon (file, &file->set.icons[0], open, &local);

      if (status == TH_STATUS_OK)
        file->header.size = file->open.size;
      else if (best == NULL || is_final (status))
        {
          g_clear_error (&best);
          best = g_steal_pointer (&local);
          first = status;
        }
      if (is_final (status))
        break;
      th_icon_set_drop_first (&file->set);
    }
  if (file->header.size.width > 0)
    return TH_STATUS_OK;
  g_propagate_error (error, g_steal_pointer (&best));
  return first;
}

gboolean
th_icon_file_choose (ThIconFile *file, ThIconOpen open, ThSize target)
{
  const ThIcon *best = th_icon_set_choose (&file->set, target);

  if (best->offset == file->open.offset)
    return TRUE;
  th_part_clear (&file->part);
  return open_icon (file, best, open, NULL) == TH_STATUS_OK
         || open_icon (file, &file->set.icons[0], open, NULL) == TH_STATUS_OK;
}

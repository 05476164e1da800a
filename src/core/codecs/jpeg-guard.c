/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-guard.h"

#include <jerror.h>

static void
leave (j_common_ptr cinfo)
{
  ThJpegGuard *guard = (ThJpegGuard *) cinfo->err;

  longjmp (guard->jump, 1);
}

static void
note (j_common_ptr cinfo, int level)
{
  ThJpegGuard *guard = (ThJpegGuard *) cinfo->err;
  struct jpeg_decompress_struct *decoder = (struct jpeg_decompress_struct *) cinfo;

  if (level >= 0)
    return;
  guard->manager.num_warnings++;
  /* The arithmetic decoder takes zeros for what is missing and says nothing: only the source does.
   */
  if (guard->manager.msg_code != JWRN_HIT_MARKER
      && !(guard->manager.msg_code == JWRN_JPEG_EOF && decoder->arith_code))
    return;
  guard->starved = TRUE;
  guard->starved_row = decoder->input_iMCU_row;
  guard->starved_scan = decoder->input_scan_number;
}

static void
say_nothing (j_common_ptr cinfo)
{
}

struct jpeg_error_mgr *
th_jpeg_guard_init (ThJpegGuard *guard)
{
  *guard = (ThJpegGuard){ .starved = FALSE };
  jpeg_std_error (&guard->manager);
  guard->manager.error_exit = leave;
  guard->manager.emit_message = note;
  guard->manager.output_message = say_nothing;
  return &guard->manager;
}

/* Holds no locals: what longjmp leaves of them is undefined. */
static gboolean
guarded (ThJpegGuard *guard, ThJpegStep step, gpointer data)
{
  if (setjmp (guard->jump) != 0)
    return FALSE;
  step (data);
  return TRUE;
}

gboolean
th_jpeg_guard_run (ThJpegGuard *guard, ThJpegStep step, gpointer data)
{
  return guarded (guard, step, data);
}

ThStatus
th_jpeg_guard_status (const ThJpegGuard *guard)
{
  switch (guard->manager.msg_code)
    {
    case JERR_OUT_OF_MEMORY:
      return TH_STATUS_NO_MEMORY;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
      return TH_STATUS_TOO_LARGE;
    case JERR_FILE_READ:
      return TH_STATUS_IO;
    default:
      return TH_STATUS_CORRUPT;
    }
}

void
th_jpeg_guard_set_error (ThJpegGuard *guard, struct jpeg_decompress_struct *cinfo, GError **error)
{
  char text[JMSG_LENGTH_MAX];

  guard->manager.format_message ((j_common_ptr) cinfo, text);
  g_set_error (error, TH_ERROR, th_status_to_error (th_jpeg_guard_status (guard)), "JPEG: %s",
               text);
}

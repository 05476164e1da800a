/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/codecs/jpeg-look.h"

#define BATCH_ROWS 16u

static void
step_header (gpointer data)
{
  ThJpegLook *look = data;

  jpeg_read_header (&look->cinfo, TRUE);
}

static gboolean
is_plain (struct jpeg_decompress_struct *cinfo)
{
  return !jpeg_has_multiple_scans (cinfo) && !cinfo->progressive_mode && !cinfo->arith_code
         && cinfo->data_precision == BITS_IN_JSAMPLE
         && (cinfo->jpeg_color_space == JCS_YCbCr || cinfo->jpeg_color_space == JCS_GRAYSCALE);
}

static void
step_create (gpointer data)
{
  ThJpegLook *look = data;

  jpeg_create_decompress (&look->cinfo);
}

gboolean
th_jpeg_look_open (ThJpegLook *look, ThInput *input, guint64 offset, guint64 length)
{
  *look = (ThJpegLook){ .got = 0 };
  look->cinfo.err = th_jpeg_guard_init (&look->guard);
  if (!th_jpeg_guard_run (&look->guard, step_create, look))
    return FALSE;
  th_jpeg_source_init_within (&look->source, input, offset, length, &look->cinfo);
  if (!th_jpeg_guard_run (&look->guard, step_header, look) || !is_plain (&look->cinfo))
    return FALSE;
  th_jpeg_source_leave_header (&look->source);
  look->size = (ThSize){ look->cinfo.image_width, look->cinfo.image_height };
  look->color = look->cinfo.jpeg_color_space == JCS_YCbCr ? TH_COLOR_RGB : TH_COLOR_GREY;
  return TRUE;
}

void
th_jpeg_look_close (ThJpegLook *look)
{
  jpeg_destroy_decompress (&look->cinfo);
  g_clear_pointer (&look->batch, g_free);
}

static void
step_start (gpointer data)
{
  ThJpegLook *look = data;

  look->cinfo.scale_num = look->scale;
  look->cinfo.scale_denom = 8;
  look->cinfo.dct_method = JDCT_ISLOW;
  look->cinfo.do_fancy_upsampling = FALSE;
  look->cinfo.out_color_space = look->color == TH_COLOR_RGB ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_start_decompress (&look->cinfo);
}

gboolean
th_jpeg_look_start (ThJpegLook *look, guint scale)
{
  look->scale = scale;
  if (!th_jpeg_guard_run (&look->guard, step_start, look))
    return FALSE;
  look->stride = (gsize) look->cinfo.output_width * look->color;
  look->batch = g_try_malloc (look->stride * BATCH_ROWS);
  return look->batch != NULL;
}

static void
step_batch (gpointer data)
{
  ThJpegLook *look = data;
  JSAMPROW rows[BATCH_ROWS];

  for (guint i = 0; i < BATCH_ROWS; i++)
    rows[i] = look->batch + i * look->stride;
  look->got = 0;
  while (look->got < BATCH_ROWS && look->cinfo.output_scanline < look->cinfo.output_height)
    look->got += jpeg_read_scanlines (&look->cinfo, rows + look->got, BATCH_ROWS - look->got);
}

gboolean
th_jpeg_look_push (ThJpegLook *look, ThSink *sink)
{
  return th_jpeg_guard_run (&look->guard, step_batch, look) && look->guard.manager.num_warnings == 0
         && look->got > 0 && sink->rows (sink, look->batch, look->stride, look->got);
}

gboolean
th_jpeg_look_is_done (const ThJpegLook *look)
{
  return look->cinfo.output_scanline == look->cinfo.output_height;
}

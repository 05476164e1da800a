/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libjpeg's errors as values: it unwinds with longjmp, and the only setjmp is here. Knows neither
 * sources nor pictures. */
#pragma once

#include <glib.h>
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "base/th-error.h"

typedef struct
{
  struct jpeg_error_mgr manager; /* first: libjpeg hands it back */
  jmp_buf jump;
  /* Entropy-coded data ran out, so that some blocks are made up: where that was noticed last. */
  gboolean starved;
  guint32 starved_row; /* iMCU row */
  int starved_scan;    /* 1 is the first */
} ThJpegGuard;

/* A piece of work with libjpeg. It may be left at any call of the library, so it owns nothing. */
typedef void (*ThJpegStep) (gpointer data);

/* Prints nothing and never exits. cinfo->err must be set to the result before anything else. */
struct jpeg_error_mgr *th_jpeg_guard_init (ThJpegGuard *guard);
/* Runs one step; FALSE where libjpeg gave up in it. */
gboolean th_jpeg_guard_run (ThJpegGuard *guard, ThJpegStep step, gpointer data);
/* What a step that failed is reported as: CORRUPT, TOO_LARGE, IO or NO_MEMORY. */
ThStatus th_jpeg_guard_status (const ThJpegGuard *guard);
/* Sets error to libjpeg's own words. */
void th_jpeg_guard_set_error (ThJpegGuard *guard, struct jpeg_decompress_struct *cinfo,
                              GError **error);

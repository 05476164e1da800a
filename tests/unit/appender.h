/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that writes a file piece by piece, and what is to be known of it afterwards. */
#pragma once

#include <glib.h>

typedef struct
{
  const char *path;
  const char *data; /* borrowed until appender_end */
  gsize size;
  guint pieces;
  guint pause_ms;  /* between two of them */
  gboolean reopen; /* the file is closed meanwhile */
} AppenderPlan;

typedef struct _Appender Appender;

/* The first piece is there when this returns; the others are written by a thread. */
Appender *appender_start (const AppenderPlan *plan);
/* No more pieces. */
void appender_stop (Appender *appender);
/* Waits for the end. The longest that the file can have been left as it was, in µs, before there
 * was the last piece. */
gint64 appender_end (Appender *appender);

/* Whether two PNGs of the same encoder have the same pixels. */
gboolean same_pixels (const char *path, const char *other);

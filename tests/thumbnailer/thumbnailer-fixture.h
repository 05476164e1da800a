/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder with a picture in it, and runs of thimble-thumbnailer there. */
#pragma once

#include <glib.h>

#include "base/th-fit.h"

typedef struct
{
  char *folder; /* also the working directory of the runs */
  char *input;  /* picture.png of 300 × 200 in it */
  char *output; /* not there yet */
  char *program;
  /* Of the last run. */
  int status; /* exit status, -1 for a signal */
  char *out;
  char *err;
} Fixture;

void fixture_set_up (Fixture *fixture, gconstpointer data);
void fixture_tear_down (Fixture *fixture, gconstpointer data);

/* Writes the picture under another path. */
void fixture_draw (const char *path);
/* Runs the program with these arguments, up to NULL. */
void fixture_run (Fixture *fixture, ...) G_GNUC_NULL_TERMINATED;
/* Runs any command line. */
void fixture_run_argv (Fixture *fixture, const char *const *argv);
/* The last run went well, said nothing, and left a PNG of that size. */
void assert_made (const Fixture *fixture, const char *output, ThSize size);
/* It ended so, with one line on standard error, and left no file but those that were there. */
void assert_failed (const Fixture *fixture, int status);
/* Number of files in the folder. */
guint fixture_count (const Fixture *fixture);

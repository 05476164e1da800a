/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run of a thumbnailer of somebody else: under bubblewrap, within limits, with a deadline, and
 * nothing left of it afterwards. Knows no .thumbnailer entry and no picture. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

#include "sandbox/th-external-place.h"
#include "sandbox/th-external-report.h"

/* Bytes of the output, and of any other file that the program writes. */
#define TH_EXTERNAL_FILE_BYTES (64u * 1024u * 1024u)

/* How programs are run here. */
typedef struct
{
  const char *bwrap;  /* path; NULL: without a sandbox */
  const char *helper; /* path of thimble-external */
  const char *bind;   /* th-bwrap.h */
  guint wall_ms;
  guint64 memory_bytes; /* of each process */
  guint processes;      /* threads count */
} ThExternalSetup;

typedef struct
{
  const ThExternalSetup *setup;
  const ThExternalPlace *place;
  const char *source_path;   /* NULL: source_fd, under bubblewrap only */
  const struct stat *source; /* the file at source_path must be this one */
  int source_fd;             /* read from where it stands; else -1 */
  const char *const *argv;
  const gint *cancelled; /* looked at now and then; not 0: give up. Both may be NULL. */
  const gint *closing;
} ThExternalRun;

typedef struct
{
  ThExternalEnd end;
  int value;  /* th-external-report.h */
  int output; /* DONE: a sealed descriptor, which the caller closes; else -1 */
  char *said; /* the last line that it left on standard error, or NULL; the caller frees */
} ThExternalResult;

/* The calling thread waits, and must be the one that all of this ends with. When it returns every
 * process of the run has ended. */
void th_external_run (const ThExternalRun *run, ThExternalResult *result);
/* Whether bubblewrap works here at all, asked by running nothing in it. *said as in a result. */
gboolean th_external_probe (const ThExternalSetup *setup, char **said);

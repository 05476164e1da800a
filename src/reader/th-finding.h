/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a path or URI leads to in the end, and its state. Knows no request. */
#pragma once

#include <gio/gio.h>
#include <sys/stat.h>

#include "reader/th-pulse.h"

/* What is known of the device that the last path lay on. To ask is a round trip of its own. */
typedef struct
{
  dev_t number;
  gint64 asked; /* monotonic time; 0: never */
  gboolean inode_lasts;
  gboolean talks_to_kernel;
} ThDevice;

typedef struct
{
  ThDevice device; /* outlives th_finding_clear */
  struct stat st;  /* for a URI only mode, size and mtime */
  gboolean inode_lasts;
  gboolean readable;
  char *mime_type; /* what GVfs says; NULL: not known */
  /* Of a path. */
  char *asked; /* as it was spelled; NULL: not a path */
  char *path;  /* without symlinks; NULL: it has none */
  int hold;    /* O_PATH: closing it asks nobody; -1: none */
  /* Of a URI. */
  GFile *file;
  GLoadableIcon *preview; /* NULL: none */
} ThFinding;

#define TH_FINDING_INIT                                                                            \
  {                                                                                                \
    .hold = -1                                                                                     \
  }

typedef enum
{
  TH_FINDING_CACHED, /* what the kernel still knows of it will do */
  TH_FINDING_ASK,    /* the server is asked */
} ThFindingCare;

/* Follows standard::target-uri where there is one. Replaces what finding has; it is empty after an
 * error. */
gboolean th_finding_resolve (ThFinding *finding, const char *where, ThFindingCare care,
                             ThPulse *pulse, GError **error);
/* Whether both are the same file in the same state. */
gboolean th_finding_equal (const ThFinding *a, const ThFinding *b);
void th_finding_clear (ThFinding *finding);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThFinding, th_finding_clear)

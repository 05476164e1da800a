/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An open source file and the state it was opened in. Knows no URI. */
#pragma once

#include <glib.h>

#include "cache/th-stamp.h"

typedef struct
{
  char *path;
  int fd; /* read-only; -1: not open */
  ThStamp stamp;
  dev_t device;
  ino_t inode;
} ThSource;

#define TH_SOURCE_INIT                                                                             \
  {                                                                                                \
    .fd = -1                                                                                       \
  }

/* Only regular files. A source that was open is closed first. */
gboolean th_source_open (ThSource *source, const char *path, GError **error);
/* Whether both the open file and what lies at its path are what was opened. */
gboolean th_source_is_unchanged (const ThSource *source);
/* Whether what lies at path is the same file in the same state. */
gboolean th_source_is_at (const ThSource *source, const char *path);
void th_source_clear (ThSource *source);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThSource, th_source_clear)

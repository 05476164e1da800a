/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An open source file and the state it was opened in. Knows no URI. */
#pragma once

#include <glib.h>

#include "cache/th-stamp.h"
#include "engine/th-readers.h"

typedef struct
{
  char *path;         /* absolute; of a file apart that has none: its URI */
  ThReading *reading; /* who looks after a file apart; NULL: we do */
  ThReadHow how;      /* it was opened by that */
  int fd;             /* read-only; -1: not open */
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
/* A file apart, which reading leads to and whose look found facts; reading belongs to the source
 * from now on. Not open yet. */
void th_source_take (ThSource *source, const char *path, ThReading *reading, const ThFacts *facts);
/* Opens that, one way or, later, another. */
gboolean th_source_open_as (ThSource *source, ThReadHow how, GError **error);
/* What is there now, the way it was opened before. */
gboolean th_source_reopen (ThSource *source, GError **error);
/* Whether both the open file and what lies at its path are what was opened. */
gboolean th_source_is_unchanged (const ThSource *source);
/* Whether what lies at path is the same file in the same state. FALSE for a file apart, which is
 * known by one name only. */
gboolean th_source_is_at (const ThSource *source, const char *path);
void th_source_clear (ThSource *source);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThSource, th_source_clear)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files that the arguments of a command name, folder by folder. Knows nothing of what is done
 * with them. */
#pragma once

#include <glib.h>

typedef struct
{
  char *uri;
  char *path;     /* NULL where the URI names nothing local */
  gboolean named; /* by an argument, not found in a folder */
} ThWalkFile;

void th_walk_file_clear (ThWalkFile *file);

typedef enum
{
  TH_WALK_FILE,
  TH_WALK_PROBLEM, /* a folder that cannot be read, and the like; the walk goes on */
  TH_WALK_END,
} ThWalkStep;

typedef struct _ThWalk ThWalk;

/* arguments are paths or URIs, NULL-terminated, and must live as long as the walk. Within folders:
 * depth first, names in byte order, regular files and symlinks to them, no folder behind a symlink,
 * names that begin with a dot only where hidden is set. The folder skipped (the thumbnail cache) is
 * never entered. */
ThWalk *th_walk_new (const char *const *arguments, gboolean hidden, const char *skipped);
void th_walk_free (ThWalk *walk);

/* FILE fills *file, free it with th_walk_file_clear; PROBLEM sets *problem, caller frees. */
ThWalkStep th_walk_next (ThWalk *walk, ThWalkFile *file, char **problem);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThWalk, th_walk_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThWalkFile, th_walk_file_clear)

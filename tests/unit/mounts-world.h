/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A folder with a table of mounts of its own, to which the files in it belong. */
#pragma once

#include "engine/th-mounts.h"

typedef struct
{
  char *tmp; /* TMP in the tables; a path without symlinks */
  char *table;
  ThMounts *mounts;
} MountsWorld;

/* What the table says at first; each of its mounts is a folder in TMP. */
extern const char mounts_world_usual[];

void mounts_world_set_up (MountsWorld *world, gconstpointer unused);
void mounts_world_tear_down (MountsWorld *world, gconstpointer unused);
void mounts_world_add (const char *path, void (*test) (MountsWorld *world, gconstpointer unused));

void mounts_world_table (MountsWorld *world, const char *text);
/* The path of what is called so within. Caller frees. */
char *mounts_world_at (const MountsWorld *world, const char *name);
void mounts_world_folder (const MountsWorld *world, const char *name);
/* A target that begins with a slash lies within, too. */
void mounts_world_link (const MountsWorld *world, const char *name, const char *target);
/* That name leads to the mount at point, both within; an empty point is the root of all. */
void mounts_world_assert (const MountsWorld *world, const char *name, const char *point,
                          gboolean apart);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files and their thumbnails by name, on top of cache-world: what the tests of following and
 * forgetting start from. Names are relative to the world's folder. */
#pragma once

#include "cache-world.h"

/* Where the failure entries of this test lie. */
#define FAILURES "fail/thimble-9.9"

/* All callers free what they get. */
char *follow_path (World *world, const char *name);
char *follow_uri (World *world, const char *name);
/* Writes a file of this content, with folders, and an mtime with nanoseconds. */
void follow_file (World *world, const char *name, const char *content, gint64 mtime);
/* Thumbnails of what is there now, in two flavors, and a failure entry. */
void follow_thumbnails (World *world, const char *name);
/* The same with other text: a thumbnail in FLAVOR as another program would write it. */
void follow_foreign (World *world, const char *name, const ThPngTextEntry *entries, guint n);
void follow_rename (World *world, const char *from, const char *to);
/* Content and mtime, as cp -p; the mtime cut to multiples of so many nanoseconds. */
void follow_copy (World *world, const char *from, const char *to, long step);
/* How many of the three are there, and how many of them are valid for what is there. */
guint follow_count (World *world, const char *name);
guint follow_count_valid (World *world, const char *name);
/* Path of one of the three. */
char *follow_thumbnail (World *world, const char *name, guint i);

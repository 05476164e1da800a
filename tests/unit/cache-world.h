/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cache, a source and its pixels in a temporary folder: what the tests of th-cache start from. */
#pragma once

#include <glib.h>
#include <sys/stat.h>

#include "cache/th-cache.h"

#define FLAVOR TH_FLAVOR_NORMAL

typedef struct
{
  char *folder;
  char *source;
  char *uri;
  char *thumbnail; /* where it goes */
  ThCache *cache;
  ThPngBody *body;
} World;

void world_set_up (World *world, gconstpointer data);
void world_tear_down (World *world, gconstpointer data);
/* Another source: five bytes, with an mtime that has nanoseconds. */
void world_set_source (World *world, const char *name);
ThThumbnailInfo world_info (World *world);
/* By both kinds of stamp, which must agree. */
ThCacheState world_look_up (World *world);
/* Succeeds, and what was stored is valid. */
void world_store (World *world);
/* TH_ERROR_SAVE_FAILED with this text in its message. */
void world_store_fails (World *world, const char *text);

void world_set_mtime (const char *path, gint64 seconds, long ns);
mode_t world_mode (const char *path);
guint world_count_files (const char *folder);
void world_remove_tree (const char *path);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An engine whose .thumbnailer entries lead to scripts of the test, and what is left of those. */
#pragma once

#include "engine-fixture.h"

/* Of the files that the scripts are for. */
#define WORLD_TYPE "application/x-thimble-test"

typedef struct
{
  Fixture fixture;
  char *programs; /* folder, seen inside the sandbox too */
  char *entries;
} World;

void world_set_up (World *world, gconstpointer unused);
/* Also sees that no process is left, neither here nor inside. */
void world_tear_down (World *world, gconstpointer unused);

/* Whether programs can be locked in on this system. */
gboolean world_can_sandbox (void);
/* A shell script, "$1" being the input and "$2" the output, and an entry for it. In the script
 * @PROGRAMS@ stands for the folder, where good.png, deep.png, huge.png and photo.jpg lie, and
 * @OUTSIDE@ for another one. */
void world_add (World *world, const char *name, const char *script, const char *more_keys);
/* The Exec line is the caller's. */
void world_add_entry (World *world, const char *name, const char *exec, const char *more_keys);
/* Writes a file that no codec knows; returns its URI. */
char *world_file (World *world, const char *name);
/* Has a thumbnail made of each in one request. */
guint32 world_queue (World *world, const char *const *uris, ThClass klass);
/* One file to its end: the record of an error, or NULL where it was ready. */
const Record *world_try (World *world, const char *uri);
/* Sees that no process mentions the folder of this test. */
void world_assert_quiet (World *world);

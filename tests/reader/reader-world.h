/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Readers over a temporary folder; what they leave open or running is noticed. */
#pragma once

#include "engine/th-readers.h"

/* As long as nothing is to be waited out. */
#define PATIENT_MS 60000u
/* Where something is. */
#define STALL_MS 300u

typedef struct
{
  char *folder;
  ThReadersOptions options;
  ThReaders *readers;
  guint fds; /* open before anything was done */
} World;

/* For g_test_add. The second one ends the readers and sees that no process and no descriptor is
 * left. */
void world_set_up (World *world, gconstpointer unused);
void world_tear_down (World *world, gconstpointer unused);
/* With world->options as they are now. */
void world_start (World *world);
/* A reader that does not answer takes so long. */
void world_stall_after (World *world, guint stall_ms, guint total_ms);

char *world_path (World *world, const char *name);
/* Writes a file and returns its path. */
char *world_file (World *world, const char *name, gconstpointer data, gsize size);
/* Data that tell every place from every other one. Caller frees. */
char *world_data (gsize size, guint32 seed);

/* Must succeed. */
ThReading *world_look (World *world, const char *where, ThFacts *facts);
int world_open (ThReading *reading, ThReadHow how, ThFacts *facts);
/* Asserts that fd is a memfd that cannot be changed, holds exactly these data and is at its start;
 * closes it. */
void world_check_copy (int fd, gconstpointer data, gsize size);
/* Must fail; the error is freed. */
void world_look_fails (World *world, const char *where, GQuark domain, int code);
void world_open_fails (ThReading *reading, ThReadHow how, GQuark domain, int code);

guint world_fds (void);
/* Processes that this one has started, zombies too. Caller frees. */
GArray *world_children (void);
/* Tends until no process is left. */
void world_wait_for_no_process (World *world);

/* Another thread that looks, and opens how, what will not answer. */
typedef struct
{
  World *world;
  const char *where;
  gboolean opens;
  ThReadHow how;
  GThread *thread;
  GError *error;
} Waiter;

void waiter_start (Waiter *waiter);
/* Joins it; it must have failed with this code of G_IO_ERROR. */
void waiter_end (Waiter *waiter, int code);
